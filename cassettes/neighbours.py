"""A few recorded exchanges that look like a request without a match, found at a cost independent of the cassette's size.

Histories are stored as a tree of turns, so the request's history is followed down that tree as far as it goes; what
hangs below that place shares the longest beginning with it.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from .connection import damage_told
from .entry import Entry
from .matchform import history_digest
from .matching import Matching
from .reader import Reader, stored_piece
from .turns import Turn

MOST: Final = 64
"""Exchanges that are given back for one reason: for their history, or for their route."""
_SIBLINGS: Final = 256
"""Turns that are compared below one turn; more of them only where a prompt opens thousands of conversations."""
_ALIKE: Final = 16
"""Stored histories that are followed side by side: they say the same in different spellings."""
_BELOW: Final = 1024
"""Turns that are looked through for exchanges below the place where the histories part."""
_RANGE: Final = 1000
"""Exchanges looked through for the route, from the first and from the last."""

# The plus keeps SQLite from giving `below.turn` a type that rules out the index on turns.
_EXCHANGES_BELOW: Final = """
    WITH RECURSIVE below(turn) AS (
        SELECT id FROM turns WHERE id IN ({heads})
        UNION ALL
        SELECT turns.id FROM below CROSS JOIN turns ON ifnull(turns.parent, 0) = +below.turn
        LIMIT ?
    )
    SELECT exchanges.id FROM below CROSS JOIN exchanges ON exchanges.history = below.turn LIMIT ?
"""
_CHILDREN: Final = """
    SELECT turns.id, pieces.value FROM turns JOIN pieces ON pieces.id = turns.piece
    WHERE ifnull(turns.parent, 0) = ? LIMIT ?
"""
_CHILD_STORED_AS: Final = """
    SELECT turns.id, pieces.value FROM turns JOIN pieces ON pieces.id = turns.piece
    WHERE ifnull(turns.parent, 0) = ? AND pieces.hash = ?
"""
_EXCHANGES_OF_ROUTE: Final = """
    SELECT id FROM exchanges WHERE id BETWEEN ? AND ? AND method = ? AND action = ?
    ORDER BY model = ? DESC, id {way} LIMIT ?
"""


def near(connection: sqlite3.Connection, reader: Reader, request: Entry, matching: Matching) -> list[int]:
    """The numbers of exchanges worth comparing with a request, in recorded order.

    At most `MOST` for the beginning of its history, and as many for its route.

    Raises:
        NotACassette: it is damaged.
    """
    with damage_told():
        found = set(_of_history(connection, reader, request.layout.history, matching))
        last = connection.execute("SELECT ifnull(max(id), 0) FROM exchanges").fetchone()[0]
        route = (request.method, request.route.action, request.model, MOST // 2)
        for way, reach in (("ASC", (1, _RANGE)), ("DESC", (last - _RANGE + 1, last))):
            rows = connection.execute(_EXCHANGES_OF_ROUTE.format(way=way), (*reach, *route))
            found.update(row[0] for row in rows)
        return sorted(found)


def _of_history(
    connection: sqlite3.Connection, reader: Reader, history: Turn, matching: Matching
) -> list[int]:
    """Exchanges below the deepest turns that say the same as the request does up to there."""
    heads: list[int] = []
    below: list[int | None] = [None]
    for turn in history.line():
        rows = [_equal_children(connection, reader, parent, turn, matching) for parent in below]
        found = [row for some in rows for row in some][:_ALIKE]
        if not found:
            break
        heads, below = found, [*found]
    if not heads:
        return []
    marks = ", ".join("?" * len(heads))
    rows = connection.execute(_EXCHANGES_BELOW.format(heads=marks), (*heads, _BELOW, MOST))
    return [row[0] for row in rows]


def _equal_children(
    connection: sqlite3.Connection, reader: Reader, parent_row: int | None, wanted: Turn, matching: Matching
) -> list[int]:
    """The turns below a turn that end a history equal to `wanted` in match form."""
    parent = reader.turn(parent_row, wanted.message)
    # The one that is stored exactly as it is wanted is looked at in any case, however many there are.
    exact = connection.execute(
        _CHILD_STORED_AS, (parent_row or 0, wanted.piece.digest if wanted.piece else b"")
    )
    some = connection.execute(_CHILDREN, (parent_row or 0, _SIBLINGS))
    # Below the root hang lists of tools as well, so a turn becomes one of the reader's only once it is known to be equal.
    digest = history_digest(wanted, matching)
    return [
        row
        for row, value in dict([*exact, *some]).items()
        if history_digest(Turn(parent, stored_piece(value), wanted.message), matching) == digest
    ]
