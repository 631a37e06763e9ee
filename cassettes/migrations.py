"""The schema of a cassette, by append-only migrations: a released one is never edited, the next one is added below.

``PRAGMA user_version`` counts them, so that a reader of an older gemtape can tell that it does not know this file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlite_utils import Database

APPLICATION_ID: Final = 0x474D5450  # "GMTP": tells a cassette from any other SQLite file

PAGE_SIZE: Final = 1024
"""Bytes. Small pages keep a cassette of one exchange small; every table and index takes at least one."""


NO_TABLES: Final = """
    SELECT name FROM sqlite_schema
    WHERE type <> 'table' AND name IN ('pieces', 'turns', 'exchanges', 'violations', 'meta')
"""
"""Finds what stands in for a table in a file that was tampered with: reading a view can run for ever."""


def m001_cassette(db: Database) -> None:
    """Exchanges, histories as chains of turns, and every JSON value once."""
    for statement in _M001:
        db.execute(statement)


MIGRATIONS: Final[tuple[Callable[[Database], None], ...]] = (m001_cassette,)
"""In order; a new one goes to the end."""

FORMAT: Final = len(MIGRATIONS)
"""What ``user_version`` holds in a cassette that this gemtape wrote."""


def apply(connection: sqlite3.Connection) -> None:
    """Apply the migrations that a database has not seen; each is a transaction of its own.

    Raises:
        sqlite3.Error: one failed; it left nothing behind.
    """
    # Importing it takes 0.2 s, which those that only read or replay need not wait for.
    from sqlite_utils import Database  # noqa: PLC0415
    from sqlite_utils.migrations import Migrations  # noqa: PLC0415

    known = Migrations("gemtape")
    for migration in MIGRATIONS:
        known()(migration)
    known.apply(Database(connection))


_HISTORY = """
    WITH RECURSIVE chain(turn, parent, piece, back) AS (
        SELECT id, parent, piece, 0 FROM turns WHERE id = {head}
        UNION ALL
        SELECT turns.id, turns.parent, turns.piece, chain.back + 1
        FROM chain JOIN turns ON turns.id = chain.parent
    )
    SELECT json_group_array(json(value))
    FROM (SELECT pieces.value FROM chain JOIN pieces ON pieces.id = chain.piece ORDER BY chain.back DESC)
"""

_M001: Final = (
    # Every distinct JSON value (content, tool, instruction, envelope, folded answer) as JSON text, once; a request body
    # that is no JSON as a BLOB. `hash` is canonical.json_digest or raw_digest.
    "CREATE TABLE pieces (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, value NOT NULL)",
    # A history is a chain of turns; `parent` NULL starts one. Lists of tools are chains too.
    """CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES turns(id),
        piece INTEGER NOT NULL REFERENCES pieces(id)
    )""",
    "CREATE UNIQUE INDEX turns_by_parent ON turns (ifnull(parent, 0), piece)",
    # `*_at` are JSON paths into the envelope from which a value was taken; NULL where it stayed there.
    # `raw_body` is set instead of `envelope` for a body that is no JSON. `body` is the answer's, zlib-compressed with
    # the value of `answer` (the folded content, where there is one) as preset dictionary; `chunks` lists
    # [offset_ms, bytes] per piece; `redacted` lists [start, end] of replaced secrets in it. `failure` is NULL for a
    # complete answer.
    """CREATE TABLE exchanges (
        id INTEGER PRIMARY KEY,
        started_at REAL NOT NULL,
        duration_ms INTEGER NOT NULL,
        method TEXT NOT NULL,
        upstream TEXT NOT NULL,
        path TEXT NOT NULL,
        query TEXT NOT NULL,
        action TEXT NOT NULL,
        model TEXT NOT NULL,
        request_headers TEXT NOT NULL,
        envelope INTEGER REFERENCES pieces(id),
        history INTEGER REFERENCES turns(id),
        contents_at TEXT,
        tools INTEGER REFERENCES turns(id),
        tools_at TEXT,
        instruction INTEGER REFERENCES pieces(id),
        instruction_at TEXT,
        raw_body INTEGER REFERENCES pieces(id),
        match_key BLOB NOT NULL,
        status INTEGER,
        response_headers TEXT,
        body BLOB,
        chunks TEXT,
        cut INTEGER NOT NULL DEFAULT 0,
        redacted TEXT,
        failure TEXT,
        answer INTEGER REFERENCES pieces(id),
        finish_reason TEXT
    )""",
    "CREATE INDEX exchanges_by_key ON exchanges (match_key)",
    # What a miss is explained with: the exchanges of a history.
    "CREATE INDEX exchanges_by_history ON exchanges (history)",
    # Found while recording; `checked_by` is the gemtape version and the hash of its rules. Reports judge anew.
    """CREATE TABLE violations (
        exchange INTEGER NOT NULL REFERENCES exchanges(id),
        rule TEXT NOT NULL,
        severity TEXT NOT NULL,
        at TEXT NOT NULL,
        pointer TEXT NOT NULL,
        message TEXT NOT NULL,
        checked_by TEXT NOT NULL
    )""",
    # `gemtape`: the version that last wrote here; `key_tag`: what the match keys were made with.
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    f"""CREATE VIEW requests AS
        SELECT e.id AS exchange, e.method, e.path, e.model, e.status,
            CASE WHEN e.instruction_at IS NULL THEN b.body
                ELSE json_set(b.body, e.instruction_at, json(i.value)) END AS body
        FROM exchanges e
        JOIN (
            SELECT e.id,
                CASE WHEN e.tools_at IS NULL THEN c.body
                    ELSE json_set(c.body, e.tools_at, json(({_HISTORY.format(head="e.tools")}))) END AS body
            FROM exchanges e
            JOIN (
                SELECT e.id,
                    CASE WHEN e.contents_at IS NULL THEN p.value
                        ELSE json_set(p.value, e.contents_at, json(({_HISTORY.format(head="e.history")}))) END AS body
                FROM exchanges e LEFT JOIN pieces p ON p.id = ifnull(e.envelope, e.raw_body)
            ) c ON c.id = e.id
        ) b ON b.id = e.id
        LEFT JOIN pieces i ON i.id = e.instruction""",  # noqa: S608 - put together from constants
    """CREATE VIEW answers AS
        SELECT e.id AS exchange, e.model, e.status, e.finish_reason, e.failure, p.value AS content
        FROM exchanges e LEFT JOIN pieces p ON p.id = e.answer""",
)
