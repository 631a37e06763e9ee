"""Stored match keys are a cache: tagged with what they were made with, worked out anew when that differs."""

from __future__ import annotations

import sqlite3

from .errors import NotACassette
from .matchform import FORM_VERSION, match_key
from .reader import Reader
from .redaction import Redactor


def key_tag(redactor: Redactor) -> str:
    """What match keys depend on besides the request: the form's version and the secret patterns."""
    return f"{FORM_VERSION}:{redactor.tag()}"


def current_keys(connection: sqlite3.Connection, reader: Reader, tag: str, *, writable: bool) -> str:
    """The table (``id``, ``match_key``) whose keys carry `tag`.

    A recorder brings the stored keys up to date; a reader of keys with another tag builds a table in memory.
    """
    row = connection.execute("SELECT value FROM meta WHERE name = 'key_tag'").fetchone()
    if row and row[0] == tag:
        return "exchanges"
    keys = [(match_key(entry), entry.number) for entry in reader.entries()] if row else []
    if writable:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("UPDATE exchanges SET match_key = ? WHERE id = ?", keys)
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('key_tag', ?)", (tag,))
        connection.execute("COMMIT")
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
    try:
        return [
            row[0]
            for row in connection.execute(
                f"SELECT id FROM {table} WHERE match_key = ? ORDER BY id",  # noqa: S608 - one of two names of ours
                (key,),
            )
        ]
    except sqlite3.Error as error:
        raise NotACassette(f"the cassette is damaged: {error}") from error
