"""Stored match keys are a cache: tagged with what they were made with, worked out anew when that differs."""

from __future__ import annotations

import sqlite3

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
