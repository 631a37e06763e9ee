"""The cassette: one SQLite file of exchanges. No other module writes SQL to it.

Writing: `prepare` takes an exchange apart and removes its secrets, `append` stores it in one transaction. Reading:
`entry` and `entries` give exchanges back with their histories as shared chains of turns, so that reading a whole
conversation costs what is new at each step.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Self

from .checkpoint import Checkpointer
from .connection import close_to_single_file, connect_new, connect_to_read, connect_to_write, lock
from .entry import Entry
from .errors import CassetteError, CassetteExists
from .keys import current_keys, key_tag
from .layout import is_exact, lay_out
from .models import Exchange, Request, Violation
from .reader import Reader
from .redaction import Redactor
from .turns import TurnTree
from .writer import Writer

Judge = Callable[[Entry], Iterable[Violation]]


class Cassette:
    """One cassette, open for reading or for recording.

    Create one with `create`, `append_to` or `read`. Not safe for use by several threads at once.
    """

    def __init__(
        self, path: Path, connection: sqlite3.Connection, redactor: Redactor, lock_fd: int | None
    ) -> None:
        self.path = path
        self.redactor = redactor
        self.turns = TurnTree()
        self._connection = connection
        self._lock_fd = lock_fd
        self._checkpointer = Checkpointer(path) if lock_fd is not None else None
        self._writer = Writer(connection)
        self._reader = Reader(connection, self.turns)
        self._keys = current_keys(
            connection, self._reader, key_tag(self.redactor), writable=lock_fd is not None
        )

    @classmethod
    def create(cls, path: Path, redactor: Redactor | None = None) -> Self:
        """A new cassette for recording.

        Raises:
            CassetteExists: there is a file already.
            CassetteError: it cannot be created.
        """
        if path.exists():
            raise CassetteExists(f"{path} exists already")
        connection = connect_new(path)
        return cls(path, connection, redactor or Redactor(), lock(path))

    @classmethod
    def append_to(cls, path: Path, redactor: Redactor | None = None) -> Self:
        """An existing cassette for recording more.

        Raises:
            CassetteError: missing, no cassette, too new, busy, or not writable.
        """
        held = lock(path) if path.is_file() else None
        try:
            connection = connect_to_write(path)
        except CassetteError:
            if held is not None:
                os.close(held)
            raise
        return cls(path, connection, redactor or Redactor(), held)

    @classmethod
    def read(cls, path: Path, redactor: Redactor | None = None) -> Self:
        """An existing cassette for reading; the file is never changed.

        Raises:
            CassetteError: missing, no cassette, too new, or damaged.
        """
        return cls(path, connect_to_read(path), redactor or Redactor(), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM exchanges").fetchone()[0])

    def prepare(self, exchange: Exchange) -> Entry:
        """The exchange without its secrets, taken apart; what `append` stores."""
        cleaned = self.redactor.exchange(exchange)
        plain = cleaned.exchange
        layout = lay_out(plain.request.json, self.turns)
        return Entry(
            method=plain.request.method,
            path=plain.request.path,
            query=plain.request.query,
            headers=plain.request.headers,
            upstream=plain.request.upstream,
            layout=layout,
            raw_body=None if is_exact(layout, plain.request.body) else plain.request.body,
            response=plain.response,
            failure=plain.failure,
            started_at=plain.started_at,
            duration_ms=plain.duration_ms,
            redacted_spans=cleaned.response_spans,
        )

    def append(
        self, entry: Entry, judge: Judge | None = None, checked_by: str = ""
    ) -> tuple[Entry, list[Violation]]:
        """Store a prepared exchange and what `judge` finds in it, in one transaction.

        Returns:
            The entry with its number, and its violations.

        Raises:
            CassetteError: it could not be written; nothing of it was.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            numbered = replace(entry, number=self._writer.insert(entry))
            violations = list(judge(numbered)) if judge else []
            self._connection.executemany(
                "INSERT INTO violations VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        numbered.number,
                        item.rule,
                        item.severity,
                        item.at,
                        item.pointer,
                        item.message,
                        checked_by,
                    )
                    for item in violations
                ],
            )
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise CassetteError(f"cannot write to {self.path}: {error}") from error
        except BaseException:
            self._roll_back()
            raise
        if self._checkpointer:
            self._checkpointer.wrote()
        return numbered, violations

    def add(self, exchange: Exchange) -> Entry:
        """Prepare and append an exchange that nobody judges."""
        return self.append(self.prepare(exchange))[0]

    def check_writable(self) -> None:
        """Make sure that the next exchange could be written, without writing one.

        Raises:
            CassetteError: it could not: closed, read-only, disk full, or the file is gone.
        """
        try:
            if not self.path.exists():
                raise CassetteError(f"cannot write to {self.path}: the file is gone")
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("UPDATE meta SET value = value WHERE name = 'gemtape'")
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
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
        rows = self._connection.execute("SELECT exchange, rule, severity FROM violations ORDER BY rowid")
        return [tuple(row) for row in rows]

    def request_entry(self, request: Request) -> Entry:
        """An incoming request as an entry without an answer, redacted as a recorded one would be."""
        return self.prepare(Exchange(request))

    def numbers_for(self, key: bytes) -> list[int]:
        """The exchanges with this match key, in recorded order."""
        rows = self._connection.execute(
            f"SELECT id FROM {self._keys} WHERE match_key = ? ORDER BY id",  # noqa: S608 - one of two names of ours
            (key,),
        )
        return [row[0] for row in rows]

    def close(self) -> None:
        """Close; a recorded cassette becomes a single file again. Closing twice is harmless."""
        if self._checkpointer:
            self._checkpointer.stop()
            close_to_single_file(self._connection)
        else:
            self._connection.close()
        if self._lock_fd is not None:
            os.close(self._lock_fd)
            self._lock_fd = None
            self._checkpointer = None

    def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("ROLLBACK")
        self._writer.forget()
