"""The cassettes that one run of the proxy records into: a file, or a folder where each request names its own."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ..cassettes.errors import CassetteError, CassetteNameError
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.naming import cassette_name, cassette_path, split_session
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette
from ..checks.config import Config
from .choosing import choosers
from .failing import Failing
from .lines import printable, without_secrets
from .newtape import MakeChooser, NewTape
from .tape import Existing, MakeJudge, MakeStrict, Recorded, Tape

OPEN_AT_MOST: Final = 32
"""Cassettes held open at once; a folder of a thousand tests would run out of file descriptors."""


class Tapes:
    """The cassette file, or the folder of them, that one run of the proxy records into."""

    def __init__(
        self,
        target: Path,
        *,
        folder: bool,
        existing: Existing = Existing.REFUSE,
        make_judge: MakeJudge | None = None,
        checked_by: str = "",
        redactor: Redactor | None = None,
        matching: Matching = EVERYTHING,
        make_strict: MakeStrict | None = None,
        make_chooser: MakeChooser | None = None,
        tells: bool = False,
    ) -> None:
        """Choose the target.

        Args:
            target: the file, or the folder.
            folder: which of the two it is.
            existing: what to do with a cassette that is there already.
            make_judge: makes the checks that every exchange goes through before it is stored.
            checked_by: version and rule set of these checks, stored beside what they find.
            redactor: takes secrets out of every exchange before it is stored; the shapes of keys by default.
            matching: what does not count when a request is looked up later; the stored keys are made for it.
            make_strict: makes what refuses a request that the API would refuse, before it is sent; nothing does by default.
            make_chooser: makes what chooses between cassette and upstream, where `existing` asks for new conversations only.
            tells: whether these tell beside each cassette, in a file of its own, what was asked of it.
        """
        self.target = target
        self.folder = folder
        self._existing = existing
        self._make_judge = make_judge
        self._checked_by = checked_by
        self._redactor = redactor
        self._matching = matching
        self._make_strict = make_strict
        self._make_chooser = make_chooser
        self._tells = tells
        self.asked = 0
        """Requests that came, whatever became of them."""
        self.enforced = 0
        """Requests that were refused in the API's stead, and neither sent nor recorded."""
        self.unrecorded = 0
        """Requests that were refused, or answers that were cut, because they could not be stored."""
        self.nameless = 0
        """Requests whose path names no cassette of the folder."""
        self.passed_over = ""
        """The first path prefix that took no part, since there is only one cassette."""
        self.left_out = 0
        """Exchanges that were not to be kept."""
        self.failing = Failing()
        """How exchanges failed, kept or not."""
        self.recorded: list[Recorded] = []
        """What became of each cassette, once they are closed."""
        self._tapes: dict[str, Tape] = {}
        self._awake: dict[str, Tape] = {}

    def prepare(self) -> str:
        """Get ready before the first request: open the one cassette, or make the folder.

        Returns:
            What the user should know about it, or nothing.

        Raises:
            CassetteError: it exists and may not be touched, or cannot be written.
        """
        if not self.folder:
            return self._tape("").take_note()
        try:
            self.target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CassetteError(f"cannot make the folder {self.target}: {error.strerror}") from error
        if not os.access(self.target, os.W_OK):
            raise CassetteError(f"cannot write to the folder {self.target}")
        # The first cassette of a process imports what makes one, and no request should wait for that.
        Cassette.temporary().close()
        return ""

    def name(self, prefix: str) -> str:
        """The name of the cassette that a path prefix selects; empty when there is only one.

        Raises:
            CassetteNameError: the prefix cannot name one.
        """
        if not self.folder:
            with suppress(CassetteNameError):
                self.passed_over = self.passed_over or printable(without_secrets(split_session(prefix)[0]))
            return ""
        try:
            return cassette_name(split_session(prefix)[0])
        except CassetteNameError:
            self.nameless += 1
            raise

    def session(self, prefix: str) -> str:
        """The session that a path prefix selects, each with recorded answers of its own; empty for the usual one.

        Raises:
            CassetteNameError: the prefix cannot name one.
        """
        return split_session(prefix)[1] if self._existing is Existing.NEW else ""

    def tape(self, name: str) -> Tape:
        """The cassette of a name; the first request for it decides what happens to an existing file.

        Raises:
            CassetteError: it exists and may not be touched, or cannot be written.
        """
        tape = self._tape(name)
        self._awake.pop(name, None)
        self._awake[name] = tape
        if len(self._awake) > OPEN_AT_MOST:
            self._awake.pop(next(iter(self._awake))).park()
        return tape

    def finish(self) -> list[Recorded]:
        """Close all cassettes; nothing can be recorded afterwards."""
        self.recorded = [tape.finish() for tape in self._tapes.values()]
        self._tapes.clear()
        self._awake.clear()
        return self.recorded

    def _tape(self, name: str) -> Tape:
        if name not in self._tapes:
            path = cassette_path(self.target, name) if self.folder else self.target
            self._tapes[name] = self._opened(path)
        return self._tapes[name]

    def _opened(self, path: Path) -> Tape:
        checks = self._make_judge, self._checked_by
        how: Any = {
            "redactor": self._redactor,
            "matching": self._matching,
            "make_strict": self._make_strict,
        }
        if self._existing is Existing.NEW:
            make = self._make_chooser or choosers(Config())
            return NewTape(path, make, *checks, tells=self._tells, **how)
        return Tape(path, self._existing, *checks, **how)
