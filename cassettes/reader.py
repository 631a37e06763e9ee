"""Reading rows: exchanges as entries, their histories as shared chains of turns."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from typing import Any

import orjson

from .canonical import NOT_JSON, parse
from .connection import damage_told
from .entry import Entry
from .errors import CassetteError, NotACassette
from .fields import Message
from .layout import Layout, fits_together, lay_out
from .rows import check_types, failure_of, from_json_path, headers_of, response_of
from .schema import CONTENT, OPENAI_MESSAGE, TOOL
from .turns import Piece, Turn, TurnTree
from .uploads import carries_file


class Reader:
    """Reads entries and remembers the turns it met, so that each is read once."""

    def __init__(self, connection: sqlite3.Connection, tree: TurnTree) -> None:
        self._connection = connection
        self._tree = tree
        self._turns: dict[tuple[str, int], Turn] = {}

    def entry(self, number: int) -> Entry:
        """One exchange.

        Raises:
            CassetteError: there is none with this number.
            NotACassette: it is damaged.
        """
        for entry in self._select("WHERE id = ?", number):
            return entry
        raise CassetteError(f"there is no exchange {number} in this cassette")

    def entries(self) -> Iterator[Entry]:
        """All exchanges in recorded order."""
        return self._select("ORDER BY id")

    def _select(self, where: str, *parameters: Any) -> Iterator[Entry]:
        with damage_told():
            cursor = self._connection.execute(f"SELECT * FROM exchanges {where}", parameters)  # noqa: S608 - ours
            names = [column[0] for column in cursor.description]
            for values in cursor:
                yield self._entry(dict(zip(names, values, strict=True)))

    def _entry(self, row: dict[str, Any]) -> Entry:
        try:
            check_types(row)
            raw = None
            if row["envelope"] is None:
                raw = b"" if row["raw_body"] is None else self._value(row["raw_body"])
            headers = headers_of(row["request_headers"])
            file = raw is not None and carries_file(row["path"], row["query"], headers)
            spans = orjson.loads(row["redacted"]) if row["redacted"] else []
            return Entry(
                method=row["method"],
                path=row["path"],
                query=row["query"],
                headers=headers,
                upstream=row["upstream"],
                layout=self._layout(row)
                if raw is None
                else lay_out(NOT_JSON if file else parse(raw), self._tree),
                raw_body=raw,
                response=response_of(row, b"" if row["answer"] is None else self._value(row["answer"])),
                failure=failure_of(row["failure"]),
                started_at=row["started_at"],
                duration_ms=row["duration_ms"],
                redacted_spans=tuple((start, end) for start, end in spans),
                number=row["id"],
            )
        # Whatever a column that was tampered with makes go wrong; the JSON errors are among the values' errors.
        except (ValueError, TypeError, KeyError, zlib.error) as error:
            raise NotACassette(f"exchange {row['id']} is damaged: {error}") from error

    def _layout(self, row: dict[str, Any]) -> Layout:
        contents_at = from_json_path(row["contents_at"])
        message = OPENAI_MESSAGE if contents_at and contents_at[-1] == "messages" else CONTENT
        layout = Layout(
            envelope=self._piece(row["envelope"]),
            history=self.turn(row["history"], message),
            contents_at=contents_at,
            tools=self.turn(row["tools"], TOOL),
            tools_at=from_json_path(row["tools_at"]),
            instruction=None if row["instruction"] is None else self._piece(row["instruction"]),
            instruction_at=from_json_path(row["instruction_at"]),
        )
        if not fits_together(layout):
            raise ValueError("its parts do not fit together")
        return layout

    def turn(self, row_id: int | None, message: Message) -> Turn:
        """The history that ends with this row; the empty one for None.

        Raises:
            NotACassette: it is damaged.
        """
        turn = self._tree.root(message)
        missing: list[tuple[int, int]] = []
        while row_id is not None:
            known = self._turns.get((message.name, row_id))
            if known is not None:
                turn = known
                break
            found = self._connection.execute(
                "SELECT parent, piece FROM turns WHERE id = ?", (row_id,)
            ).fetchone()
            # A turn is written after the one before it; anything else may go round in circles.
            if found is None or not (found[0] is None or (isinstance(found[0], int) and found[0] < row_id)):
                raise NotACassette(f"the cassette is damaged: turn {row_id} is missing")
            missing.append((row_id, found[1]))
            row_id = found[0]
        for known_id, piece_id in reversed(missing):
            turn = self._turns[message.name, known_id] = turn.child(self._piece(piece_id))
        return turn

    def _piece(self, row_id: int) -> Piece:
        return stored_piece(self._value(row_id))

    def _value(self, row_id: int) -> bytes:
        row = self._connection.execute("SELECT value FROM pieces WHERE id = ?", (row_id,)).fetchone()
        if row is None:
            raise NotACassette(f"the cassette is damaged: value {row_id} is missing")
        return _bytes(row[0])


def stored_piece(value: Any) -> Piece:
    """The JSON value that the ``value`` column of a piece holds.

    Raises:
        NotACassette: it is none.
    """
    form = _bytes(value)
    parsed = parse(form)
    if parsed is NOT_JSON:
        raise NotACassette("the cassette is damaged: a value is no JSON")
    return Piece(parsed, form)


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise NotACassette(f"the cassette is damaged: a value is {type(value).__name__}")
    return value
