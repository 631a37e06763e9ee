"""The cassette: one SQLite file of exchanges. No other module writes SQL to it.

Writing: `prepare` takes an exchange apart and removes its secrets, `append` stores it in one transaction. Reading:
`entry` and `entries` give exchanges back with their histories as shared chains of turns, so that reading a whole
conversation costs what is new at each step.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Self

from .checkpoint import Checkpointer
from .connection import (
    DATABASE_ERRORS,
    close_to_single_file,
    connect_in_memory,
    connect_new,
    connect_to_read,
    connect_to_write,
    damage_told,
    recognise,
    transaction,
)
from .entry import Entry
from .errors import CassetteError, CassetteExists, NotACassette
from .keys import current_keys, key_tag, numbers_for
from .locks import is_file, kept_locked, unlock
from .matchform import match_key
from .matching import EVERYTHING, Matching
from .models import Exchange, Request, Violation
from .neighbours import near
from .preparing import entry_of
from .reader import Reader
from .redaction import Redactor
from .turns import TurnTree
from .writer import Writer

Judge = Callable[[Entry], Iterable[Violation]]

_MOST_ROOM: Final = 4 * 1024 * 1024
"""Bytes: a cassette that could not be written is writable again when as much fits as failed to, up to this."""


class Cassette:
    """One cassette, open for reading or for recording.

    Create one with `create`, `append_to` or `read`. Not safe for use by several threads at once.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        redactor: Redactor | None,
        matching: Matching = EVERYTHING,
        *,
        writable: bool,
        held: int | None = None,
    ) -> None:
        self.path = path
        self.redactor = redactor or Redactor()
        self.matching = matching
        self.turns = TurnTree()
        self._connection = connection
        self._writable = writable
        self._held = held
        self._file = None if held is None else path.stat()
        self._checkpointer = None if held is None else Checkpointer(path)
        self._writer = Writer(connection, matching)
        self._reader = Reader(connection, self.turns)
        self._room_wanted = 0
        tag = key_tag(self.redactor, matching)
        try:
            self._keys = current_keys(connection, self.entries, self._rekeyed, tag, writable=writable)
        except (*DATABASE_ERRORS, CassetteError) as error:
            connection.close()
            if isinstance(error, CassetteError):
                raise
            raise NotACassette(f"cannot use {path}: {error}") from error

    @classmethod
    def create(cls, path: Path, redactor: Redactor | None = None, matching: Matching = EVERYTHING) -> Self:
        """A new cassette for recording.

        Raises:
            CassetteExists: there is a file already.
            CassetteBusy: another recorder is making it.
            CassetteError: it cannot be created.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CassetteError(f"cannot create {path}: {error.strerror}") from error
        with kept_locked(path) as held:
            if path.exists():
                raise CassetteExists(f"{path} exists already")
            return cls(path, connect_new(path), redactor, matching, writable=True, held=held)

    @classmethod
    def append_to(cls, path: Path, redactor: Redactor | None = None, matching: Matching = EVERYTHING) -> Self:
        """An existing cassette for recording more.

        Raises:
            CassetteError: missing, no cassette, too new, busy, or not writable.
        """
        recognise(path)
        with kept_locked(path) as held:
            return cls(path, connect_to_write(path), redactor, matching, writable=True, held=held)

    @classmethod
    def read(cls, path: Path, redactor: Redactor | None = None, matching: Matching = EVERYTHING) -> Self:
        """An existing cassette for reading; the file is never changed.

        Raises:
            CassetteError: missing, no cassette, too new, or damaged.
        """
        return cls(path, connect_to_read(path), redactor, matching, writable=False)

    @classmethod
    def temporary(cls, redactor: Redactor | None = None, matching: Matching = EVERYTHING) -> Self:
        """An empty cassette in memory, gone when it is closed."""
        return cls(Path(":memory:"), connect_in_memory(), redactor, matching, writable=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        with damage_told():
            return int(self._connection.execute("SELECT count(*) FROM exchanges").fetchone()[0])

    def prepare(self, exchange: Exchange) -> Entry:
        """The exchange without its secrets, taken apart; what `append` stores."""
        return entry_of(exchange, self.redactor, self.turns)

    def append(
        self, entry: Entry, judge: Judge | None = None, checked_by: str = ""
    ) -> tuple[Entry, list[Violation]]:
        """Store a prepared exchange and what `judge` finds in it, in one transaction.

        Returns:
            The entry with its number, and its violations.

        Raises:
            CassetteError: it could not be written; nothing of it was.
        """
        self._check_open_for_writing()
        try:
            with transaction(self._connection):
                numbered = entry.numbered(self._writer.insert(entry))
                violations = list(judge(numbered)) if judge else []
                self._writer.note(numbered.number, violations, checked_by)
        except BaseException as error:
            self._writer.forget()
            if not isinstance(error, DATABASE_ERRORS):
                raise
            self._room_wanted = min(entry.size, _MOST_ROOM)
            raise CassetteError(f"cannot write to {self.path}: {error}") from error
        if self._checkpointer:
            self._checkpointer.wrote(self._writer.take_count())
        return numbered, violations

    def add(self, exchange: Exchange) -> Entry:
        """Prepare and append an exchange that nobody judges."""
        return self.append(self.prepare(exchange))[0]

    def check_writable(self) -> None:
        """Make sure that the next exchange could be written, without writing one.

        Raises:
            CassetteError: it could not: closed, read-only, disk full, or the file is gone.
        """
        self._check_open_for_writing()
        try:
            if self._room_wanted:
                self._writer.try_room(self._room_wanted)
                self._room_wanted = 0
            with transaction(self._connection):
                self._connection.execute("UPDATE meta SET value = value WHERE name = 'gemtape'")
        except DATABASE_ERRORS as error:
            raise CassetteError(f"cannot write to {self.path}: {error}") from error

    def entry(self, number: int) -> Entry:
        """The exchange with this number (from 1).

        Raises:
            CassetteError: there is none, or it is damaged.
        """
        return self._reader.entry(number)

    def entries(self) -> Iterator[Entry]:
        """All exchanges in recorded order."""
        return self._reader.entries()

    def exchanges(self) -> Iterator[Exchange]:
        """All exchanges in recorded order as plain values, bodies put together."""
        return (entry.exchange() for entry in self.entries())

    def stored_violations(self) -> list[tuple[int, str, str]]:
        """What was found while recording: exchange number, rule, severity."""
        with damage_told():
            rows = self._connection.execute("SELECT exchange, rule, severity FROM violations ORDER BY rowid")
            return [tuple(row) for row in rows]

    def request_entry(self, request: Request) -> Entry:
        """An incoming request as an entry without an answer, redacted as a recorded one would be."""
        return self.prepare(Exchange(request))

    def key(self, request: Entry) -> bytes:
        """The match key of a request, as this cassette's are made."""
        return match_key(request, self.matching)

    def numbers_for(self, key: bytes) -> list[int]:
        """The exchanges with this match key, in recorded order."""
        return numbers_for(self._connection, self._keys, key)

    def near(self, request: Entry) -> list[int]:
        """A few exchanges worth comparing with a request that has no match, in recorded order.

        Raises:
            NotACassette: it is damaged.
        """
        return near(self._connection, self._reader, request, self.matching)

    def close(self) -> None:
        """Close; a recorded cassette becomes a single file again. Closing twice is harmless."""
        self._writable = False
        if self._held is None or self._checkpointer is None:
            self._connection.close()
            return
        self._checkpointer.stop()
        close_to_single_file(self._connection)
        unlock(self.path, self._held)
        self._held = None

    def _rekeyed(self, entry: Entry) -> bytes:
        """The match key of a stored exchange, as a request with its content would get it now."""
        return self.key(self.request_entry(entry.exchange().request))

    def _check_open_for_writing(self) -> None:
        if not self._writable:
            raise CassetteError(f"cannot write to {self.path}: it is not open for recording")
        if self._file is not None and not is_file(self.path, self._file):
            raise CassetteError(f"cannot write to {self.path}: the file is gone")
