"""Writing rows: pieces and turns that are new, and the exchange that points at them.

Runs inside the transaction that `store.Cassette.append` opens; plain SQL, since this is the recorder's hot path.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

import orjson

from . import canonical
from .entry import Entry
from .matchform import match_key
from .matching import EVERYTHING, Matching
from .models import Violation
from .rows import INSERT_EXCHANGE, response_columns, to_json_path
from .turns import Piece, Turn


class Writer:
    """Writes entries and remembers the rows of pieces and turns."""

    def __init__(self, connection: sqlite3.Connection, matching: Matching = EVERYTHING) -> None:
        self._connection = connection
        self._matching = matching
        self._written = 0
        self._pieces: dict[bytes, int] = {}
        self._turns: dict[Turn, int] = {}

    def insert(self, entry: Entry) -> int:
        """Write an entry.

        Returns:
            Its number.

        Raises:
            sqlite3.Error: the database did not take it.
        """
        content = b"" if entry.answer.content is None else canonical.stored_form(entry.answer.content)
        row: dict[str, Any] = {
            "started_at": entry.started_at,
            "duration_ms": entry.duration_ms,
            "method": entry.method,
            "upstream": entry.upstream,
            "path": entry.path,
            "query": entry.query,
            "action": entry.route.action,
            "model": entry.model,
            "request_headers": orjson.dumps(entry.headers).decode(),
            "match_key": match_key(entry, self._matching),
            "failure": entry.failure,
            "answer": self._piece_id(canonical.json_digest(content), content.decode()) if content else None,
            "finish_reason": entry.answer.finish_reason or None,
            **self._request_columns(entry),
            **response_columns(entry.response, entry.redacted_spans, content),
        }
        self._written += len(row["body"] or b"")
        return int(self._connection.execute(INSERT_EXCHANGE, row).lastrowid or 0)

    def note(self, number: int, violations: Iterable[Violation], checked_by: str) -> None:
        """Write what was found in an exchange."""
        self._connection.executemany(
            "INSERT INTO violations VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    number,
                    found.rule,
                    found.severity,
                    found.at,
                    found.pointer,
                    found.message,
                    checked_by,
                )
                for found in violations
            ],
        )

    def take_count(self) -> int:
        """How many bytes went into new rows since this was asked last, roughly."""
        count, self._written = self._written, 0
        return count

    def try_room(self, size: int) -> None:
        """Write so many bytes and take them away again.

        Raises:
            sqlite3.Error: they do not fit.
        """
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('room', zeroblob(?))", (size,))
        self._connection.execute("DELETE FROM meta WHERE name = 'room'")

    def forget(self) -> None:
        """Drop what is remembered, after a roll-back: those rows may not exist."""
        self._pieces.clear()
        self._turns.clear()

    def _request_columns(self, entry: Entry) -> dict[str, Any]:
        layout = entry.layout
        names = (
            "envelope",
            "history",
            "contents_at",
            "tools",
            "tools_at",
            "instruction",
            "instruction_at",
            "raw_body",
        )
        row: dict[str, Any] = dict.fromkeys(names)
        if entry.raw_body is not None:
            if entry.raw_body:
                row["raw_body"] = self._piece_id(canonical.raw_digest(entry.raw_body), entry.raw_body)
            return row
        row["envelope"] = self._value_id(layout.envelope)
        row["history"] = self._turn_id(layout.history)
        row["contents_at"] = to_json_path(layout.contents_at)
        row["tools"] = self._turn_id(layout.tools)
        row["tools_at"] = to_json_path(layout.tools_at)
        row["instruction"] = self._value_id(layout.instruction)
        row["instruction_at"] = to_json_path(layout.instruction_at)
        return row

    def _value_id(self, piece: Piece | None) -> int | None:
        if piece is None:
            return None
        known = self._pieces.get(piece.digest)
        return self._piece_id(piece.digest, piece.form.decode()) if known is None else known

    def _piece_id(self, digest: bytes, value: str | bytes) -> int:
        known = self._pieces.get(digest)
        if known is None:
            row = self._connection.execute("SELECT id FROM pieces WHERE hash = ?", (digest,)).fetchone()
            known = row[0] if row else self._new_row("pieces (hash, value)", digest, value)
            self._pieces[digest] = known
            self._written += 0 if row else len(value)
        return known

    def _turn_id(self, head: Turn) -> int | None:
        """The row of a history; only the turns that no row exists for are written."""
        row: int | None = None
        missing: list[Turn] = []
        for turn in head.back():
            row = self._turns.get(turn)
            if row is not None:
                break
            missing.append(turn)
        for turn in reversed(missing):
            piece = self._value_id(turn.piece)
            known = self._connection.execute(
                "SELECT id FROM turns WHERE ifnull(parent, 0) = ? AND piece = ?", (row or 0, piece)
            ).fetchone()
            here = known[0] if known else self._new_row("turns (parent, piece)", row, piece)
            row = self._turns[turn] = here
        return row

    def _new_row(self, target: str, first: Any, second: Any) -> int:
        statement = f"INSERT INTO {target} VALUES (?, ?)"  # noqa: S608 - our own table names
        return int(self._connection.execute(statement, (first, second)).lastrowid or 0)
