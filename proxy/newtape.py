"""A cassette that is answered from and recorded into at once, with `--mode new`.

It is opened to read; a run in which nothing goes live leaves its file as it is, and needs no right to write it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson

from ..cassettes.entry import Entry
from ..cassettes.errors import CassetteError
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.models import Exchange, Request, Violation
from ..cassettes.naming import status_file
from ..cassettes.redaction import Redactor
from ..cassettes.removing import remove
from ..cassettes.store import Cassette
from .choosing import Chooser, Replay
from .tape import Existing, MakeJudge, MakeStrict, Recorded, Tape

MakeChooser = Callable[[Cassette], Chooser]
"""Makes what chooses between the cassette and the upstream."""


class NewTape(Tape):
    """One cassette, answered from where it can be and recorded where it has to be."""

    def __init__(
        self,
        path: Path,
        make_chooser: MakeChooser,
        make_judge: MakeJudge | None = None,
        checked_by: str = "",
        *,
        redactor: Redactor | None = None,
        matching: Matching = EVERYTHING,
        make_strict: MakeStrict | None = None,
        tells: bool = False,
    ) -> None:
        """Open a cassette; a missing one is made.

        Args:
            path: the file.
            make_chooser: makes what chooses between it and the upstream.
            make_judge: makes the checks of what is recorded.
            checked_by: version and rule set of these checks.
            redactor: takes secrets out of what is recorded.
            matching: what does not count when a request is looked up.
            make_strict: makes what refuses a request that the API would refuse, before it is sent.
            tells: whether to keep a file beside it that tells what was asked (see `status_file`).

        Raises:
            CassetteError: it is no cassette, or a new one cannot be written.
        """
        self._make_chooser = make_chooser
        self._chooser: Chooser | None = None
        self._reading = False
        self._tells = tells
        self._broken: set[int] = set()
        self._own: dict[int, float] = {}
        """What this run recorded, by number, with when it was asked: while parked, others may write the cassette."""
        super().__init__(
            path,
            Existing.APPEND,
            make_judge,
            checked_by,
            redactor=redactor,
            matching=matching,
            make_strict=make_strict,
        )

    def choose(self, request: Request, session: str = "") -> Replay | None:
        """The recorded answer to a request; None where it is to go live.

        Raises:
            Unanswered: it may not go live, and nothing that was recorded answers it.
            CassetteError: the cassette cannot be read.
        """
        self._woken()
        try:
            return self._choosing.choose(request, session)
        finally:
            self._tell()

    def check_writable(self) -> None:
        """Make sure that the next exchange can be stored.

        Raises:
            CassetteError: it cannot, or another recorder is writing the cassette.
        """
        if self._reading:
            self.park()
            self._reading = False
            try:
                self._woken()
            except CassetteError:
                self._reading = True
                raise
        super().check_writable()

    def store(self, exchange: Exchange) -> tuple[Entry, list[Violation]]:
        """Judge and store an exchange, in one transaction.

        Raises:
            CassetteError: it could not be written; nothing of it was.
        """
        entry, violations = super().store(exchange)
        self._own[entry.number] = entry.started_at
        self._choosing.note(entry)
        self._tell()
        return entry, violations

    def clean(self, exchange: Exchange) -> Entry:
        """An exchange as it would be stored, for one that is left out."""
        entry = super().clean(exchange)
        self._choosing.note_left_out(entry)
        return entry

    def finish(self) -> Recorded:
        """Close; take out what broke off, and leave no empty file behind that was not there before."""
        chooser, problem = self._choosing, ""
        try:
            self._broken = self._own_broken()
        except (
            CassetteError
        ) as error:  # parked, it may be gone or another's by now; what else there is has its end
            problem = f"{self.path}: conversations that broke off could not be taken out: {error}"
        done = super().finish()
        return replace(
            done,
            note=done.note or problem,
            replayed=chooser.replayed,
            broken=len(self._broken),
            complaints=chooser.complaints,
        )

    def _own_broken(self) -> set[int]:
        """What broke off of that which this run recorded.

        Raises:
            CassetteError: the cassette cannot be read, or its exchanges are not those that were recorded.
        """
        if not (self._own and self._choosing.may_have_broken):
            return set()
        cassette = self._woken()
        broken = self._choosing.broken() & self._own.keys()
        if any(cassette.entry(number).started_at != self._own[number] for number in broken):
            raise CassetteError("another recorder has changed the cassette meanwhile")
        return broken

    def _settled(self) -> Recorded:
        if not self._broken:
            return super()._settled()
        try:
            remove(self.path, self._broken)
        except CassetteError as error:
            numbers = ", ".join(map(str, sorted(self._broken)))
            self._broken = set()
            note = f"{self.path}: exchange {numbers} of conversations that broke off could not be taken out: {error}"
            return replace(super()._settled(), note=note)
        self.recorded -= len(self._broken)
        return super()._settled()

    def _tell(self) -> None:
        if not self._tells:
            return
        target = status_file(self.path)
        fresh = target.with_name(f"{target.name}.new")
        try:
            fresh.write_bytes(orjson.dumps({**self._choosing.status(), "recorded": self.recorded}))
            fresh.replace(target)
        except OSError as error:
            raise CassetteError(f"cannot write {target}: {error.strerror}") from error

    @property
    def _choosing(self) -> Chooser:
        assert self._chooser is not None  # noqa: S101 - made with the first opening
        return self._chooser

    def _start(self, existing: Existing) -> None:
        if self.path.exists():
            self._reading = True
            self._woken()
        else:
            super()._start(existing)

    def _open(self, cassette: Cassette) -> None:
        if self._reading:
            self._cassette = cassette  # nothing is stored, so nothing has to be judged
        else:
            super()._open(cassette)
        if self._chooser is None:
            self._chooser = self._make_chooser(cassette)
        else:
            self._chooser.use(cassette)

    def _woken(self) -> Cassette:
        if self._cassette is None and self._reading:
            self._open(Cassette.read(self.path, self._redactor, self._matching))
        return super()._woken()
