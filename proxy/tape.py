"""One cassette while it is recorded: what happens to one that is there already, and how a replacement takes its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from ..cassettes.connection import recognise
from ..cassettes.entry import Entry
from ..cassettes.errors import CassetteExists
from ..cassettes.locks import lock, unlock
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.models import Exchange, Request, Violation
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette, Judge
from ..cassettes.swapping import swap_in
from ..checks.complaints import Complaints
from ..checks.strict import Rejection, Strict
from .choosing import Replay

MakeJudge = Callable[[Cassette], Judge]
"""Makes the checks of one cassette; they are told of its exchanges in recorded order."""
MakeStrict = Callable[[Path], Strict]
"""Makes what answers in the API's stead where the API would refuse."""

NEW: Final = ".new"
CHOICES: Final = "--replace records it anew, --append adds to it, --mode new answers from it"


class Existing(StrEnum):
    """What to do with a cassette that is there already."""

    REFUSE = "refuse"
    REPLACE = "replace"
    APPEND = "append"
    NEW = "new"
    """Answer from it, and record only what begins anew."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one cassette: its file, and how many exchanges were added to it.

    `note` is there when something has to be said, such as a file that could not be swapped in. `replayed` counts the
    requests that were answered from it; `complaints` are about these, and about those that got no answer. `broken` counts
    exchanges that were taken out again, since their conversation broke off.
    """

    path: Path
    exchanges: int
    note: str = ""
    replayed: int = 0
    broken: int = 0
    complaints: Complaints = field(default_factory=Complaints, compare=False)

    @property
    def taken_out(self) -> str:
        """What to say of exchanges that were taken out again; nothing where none were."""
        if not self.broken:
            return ""
        count = f"{self.broken} exchange{'' if self.broken == 1 else 's'}"
        return f"{self.path}: {count} taken out again, of a conversation that broke off when an answer failed"


class Tape:
    """One cassette while it is recorded."""

    def __init__(
        self,
        path: Path,
        existing: Existing,
        make_judge: MakeJudge | None = None,
        checked_by: str = "",
        *,
        redactor: Redactor | None = None,
        matching: Matching = EVERYTHING,
        make_strict: MakeStrict | None = None,
        choices: str = CHOICES,
    ) -> None:
        """Open a cassette for recording; `choices` tell a user how to go on where it exists already.

        Raises:
            CassetteError: it exists and may not be touched, or cannot be written.
        """
        self.path = path
        self.recorded = 0
        self.note = leftover(path)
        self._choices = choices
        self._make_judge = make_judge
        self._checked_by = checked_by
        self._redactor = redactor
        self._matching = matching
        self._strict = make_strict(path) if make_strict else None
        self._file = path
        self._created = False
        self._lock: int | None = None
        self._cassette: Cassette | None = None
        self._judge: Judge | None = None
        self._start(existing)

    def take_note(self) -> str:
        """What the user should know about this cassette, once."""
        note, self.note = self.note, ""
        return note

    def choose(self, request: Request, session: str) -> Replay | None:
        """The recorded answer to a request; None where it is to go live, as all do here."""
        del request, session

    def check_writable(self) -> None:
        """Make sure that the next exchange can be stored.

        Raises:
            CassetteError: it cannot.
        """
        self._woken().check_writable()

    def store(self, exchange: Exchange) -> tuple[Entry, list[Violation]]:
        """Judge and store an exchange, in one transaction.

        Raises:
            CassetteError: it could not be written; nothing of it was.
        """
        cassette = self._woken()
        stored = cassette.append(cassette.prepare(exchange), self._judge, self._checked_by)
        self.recorded += 1
        return stored

    def rejection(self, request: Request) -> Rejection | None:
        """How the API would refuse a request; None where it is not known to, or where nobody asked to enforce it."""
        return self._strict.rejection(self._woken().request_entry(request)) if self._strict else None

    def clean(self, exchange: Exchange) -> Entry:
        """An exchange as it would be stored, for one that is left out."""
        return self._woken().prepare(exchange)

    def park(self) -> None:
        """Close the file until it is needed again."""
        if self._cassette is not None:
            self._cassette.close()
        self._cassette = self._judge = None

    def finish(self) -> Recorded:
        """Close; swap a replacement in; leave no empty file behind that was not there before."""
        self.park()
        try:
            return self._settled()
        finally:
            self._unlock()

    def _settled(self) -> Recorded:
        if self._created and not self.recorded:
            self._file.unlink(missing_ok=True)
            note = f"nothing was recorded; {self.path} is as it was" if self._replacing else ""
            return Recorded(self.path, 0, note)
        if not self._replacing:
            return Recorded(self.path, self.recorded)
        problem = swap_in(self._file, self.path)
        return Recorded(self._file if problem else self.path, self.recorded, problem)

    def abandon(self) -> None:
        """Close, and take away the file that was made for this recording; one that was there before stays."""
        self.park()
        if self._created:
            self._file.unlink(missing_ok=True)
        self._unlock()

    @property
    def _replacing(self) -> bool:
        return self._file != self.path

    def _start(self, existing: Existing) -> None:
        if not self.path.exists():
            self._create(self.path)
        elif existing in (Existing.APPEND, Existing.NEW) or _is_empty(self.path):
            self._open(Cassette.append_to(self.path, self._redactor, self._matching))
        elif existing is Existing.REFUSE:
            raise CassetteExists(f"{self.path} exists already: {self._choices}. {self.note}".strip())
        else:
            recognise(self.path)
            new = self.path.with_name(self.path.name + NEW)
            if new.exists():
                raise CassetteExists(f"{self.note} Move or delete it first.")
            self._lock = lock(self.path)
            self._create(new)

    def _unlock(self) -> None:
        if self._lock is not None:
            unlock(self.path, self._lock)
            self._lock = None

    def _create(self, file: Path) -> None:
        self._file = file
        self._created = True
        self._open(Cassette.create(file, self._redactor, self._matching))

    def _open(self, cassette: Cassette) -> None:
        self._cassette = cassette
        self._judge = self._make_judge(cassette) if self._make_judge else None

    def _woken(self) -> Cassette:
        if self._cassette is None:
            self._open(Cassette.append_to(self._file, self._redactor, self._matching))
        assert self._cassette is not None  # noqa: S101 - opened above
        return self._cassette


def leftover(path: Path) -> str:
    """What to say about the replacement that a killed recorder left beside a cassette; empty where there is none."""
    new = path.with_name(path.name + NEW)
    if not new.exists():
        return ""
    return f"{new} is left from a recording with --replace that was killed; it opens like any cassette."


def _is_empty(path: Path) -> bool:
    with Cassette.read(path) as cassette:
        return len(cassette) == 0
