"""Stored match keys are a cache: tagged with what they were made with, worked out anew when that differs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from .connection import damage_told, transaction
from .entry import Entry
from .matchform import FORM_VERSION
from .matching import EVERYTHING, Matching
from .redaction import Redactor


def key_tag(redactor: Redactor, matching: Matching = EVERYTHING) -> str:
    """What match keys depend on besides the request: the form's version, the secret patterns, what is ignored."""
    tag = f"{FORM_VERSION}:{redactor.tag()}"
    return tag if matching.is_plain else f"{tag}:{matching.tag}"


def current_keys(
    connection: sqlite3.Connection,
    entries: Callable[[], Iterable[Entry]],
    rekey: Callable[[Entry], bytes],
    tag: str,
    *,
    writable: bool,
) -> str:
    """The table (``id``, ``match_key``) whose keys carry `tag`.

    A recorder brings the stored keys up to date; a reader of keys with another tag builds a table in memory.

    Args:
        connection: the cassette.
        entries: gives its exchanges.
        rekey: works out the key of a stored exchange.
        tag: what keys are made with now.
        writable: whether the stored keys may be changed.

    Raises:
        sqlite3.Error: the cassette is damaged or cannot be written.
        NotACassette: it is damaged.
    """
    row = connection.execute("SELECT value FROM meta WHERE name = 'key_tag'").fetchone()
    if row and row[0] == tag:
        return "exchanges"
    keys = [(rekey(entry), entry.number) for entry in entries()]
    if writable:
        with transaction(connection):
            connection.executemany("UPDATE exchanges SET match_key = ? WHERE id = ?", keys)
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('key_tag', ?)", (tag,))
        return "exchanges"
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("CREATE TEMP TABLE current_keys (match_key BLOB, id INTEGER)")
    connection.execute("CREATE INDEX temp.current_keys_by_key ON current_keys (match_key)")
    connection.executemany("INSERT INTO current_keys VALUES (?, ?)", keys)
    return "current_keys"


def numbers_for(connection: sqlite3.Connection, table: str, key: bytes) -> list[int]:
    """The exchanges with a match key in the table that `current_keys` named, in recorded order.

    Raises:
        NotACassette: it is damaged.
    """
    with damage_told():
        rows = connection.execute(
            f"SELECT id FROM {table} WHERE match_key = ? ORDER BY id",  # noqa: S608 - one of two names of ours
            (key,),
        )
        return [row[0] for row in rows]
