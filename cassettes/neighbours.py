"""A few recorded exchanges that look like a request without a match, found at a cost independent of the cassette's size.

Histories are stored as a tree of turns, so the request's history is followed down that tree as far as it goes; what
hangs below that place shares the longest beginning with it.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from .entry import Entry
from .errors import NotACassette
from .matchform import history_digest
from .reader import Reader
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
_EXCHANGES_OF_ROUTE: Final = """
    SELECT id FROM exchanges WHERE id BETWEEN ? AND ? AND method = ? AND action = ?
    ORDER BY model = ? DESC, id LIMIT ?
"""


def near(connection: sqlite3.Connection, reader: Reader, request: Entry) -> list[int]:
    """The numbers of exchanges worth comparing with a request, in recorded order.

    At most `MOST` for the beginning of its history, and as many for its route.

    Raises:
        NotACassette: it is damaged.
    """
    try:
        found = set(_of_history(connection, reader, request.layout.history))
        last = connection.execute("SELECT ifnull(max(id), 0) FROM exchanges").fetchone()[0]
        route = (request.method, request.route.action, request.model, MOST // 2)
        for reach in ((1, _RANGE), (last - _RANGE + 1, last)):
            found.update(row[0] for row in connection.execute(_EXCHANGES_OF_ROUTE, (*reach, *route)))
    except sqlite3.Error as error:
        raise NotACassette(f"the cassette is damaged: {error}") from error
    return sorted(found)


def _of_history(connection: sqlite3.Connection, reader: Reader, history: Turn) -> list[int]:
    """Exchanges below the deepest turns that say the same as the request does up to there."""
    heads: list[int] = []
    below: list[int] = [0]
    for turn in history.line():
        wanted = history_digest(turn)
        below = [
            row
            for parent in below
            for row in _children(connection, parent, turn)
            if history_digest(reader.turn(row, turn.message)) == wanted
        ]
        if not below:
            break
        heads = below = below[:_ALIKE]
    if not heads:
        return []
    marks = ", ".join("?" * len(heads))
    rows = connection.execute(_EXCHANGES_BELOW.format(heads=marks), (*heads, _BELOW, MOST))
    return [row[0] for row in rows]


def _children(connection: sqlite3.Connection, parent: int, like: Turn) -> list[int]:
    """The turns below a turn; the one that is stored exactly as `like` is among them, however many there are."""
    exact = connection.execute(
        "SELECT turns.id FROM turns JOIN pieces ON pieces.id = turns.piece "
        "WHERE ifnull(turns.parent, 0) = ? AND pieces.hash = ?",
        (parent, like.piece.digest if like.piece else b""),
    )
    some = connection.execute("SELECT id FROM turns WHERE ifnull(parent, 0) = ? LIMIT ?", (parent, _SIBLINGS))
    return list({row[0]: None for rows in (exact, some) for row in rows})
