"""Taking exchanges out of a cassette again, with all that was only stored for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from .connection import DATABASE_ERRORS, close_to_single_file, connect_to_write, transaction
from .errors import CassetteError
from .locks import lock, unlock

_UNUSED_TURNS: Final = """
    DELETE FROM turns WHERE id NOT IN (
        WITH RECURSIVE used(id) AS (
            SELECT history FROM exchanges WHERE history IS NOT NULL
            UNION SELECT tools FROM exchanges WHERE tools IS NOT NULL
            UNION SELECT turns.parent FROM used JOIN turns ON turns.id = used.id WHERE turns.parent IS NOT NULL
        )
        SELECT id FROM used
    )
"""
_UNUSED_PIECES: Final = """
    DELETE FROM pieces WHERE id NOT IN (
        SELECT piece FROM turns
        UNION SELECT envelope FROM exchanges WHERE envelope IS NOT NULL
        UNION SELECT instruction FROM exchanges WHERE instruction IS NOT NULL
        UNION SELECT raw_body FROM exchanges WHERE raw_body IS NOT NULL
        UNION SELECT answer FROM exchanges WHERE answer IS NOT NULL
    )
"""


def remove(path: Path, numbers: Collection[int]) -> None:
    """Take exchanges out of a cassette that nobody records; those behind them move up.

    Args:
        path: the cassette.
        numbers: the exchanges.

    Raises:
        CassetteError: it is missing, busy, or cannot be written; it is as it was then.
    """
    with _locked(path):
        connection = connect_to_write(path)
        try:
            with transaction(connection):
                connection.execute("PRAGMA defer_foreign_keys = ON")  # numbers change in two tables
                _remove(connection, numbers)
            with suppress(sqlite3.Error):  # somebody may be reading it
                connection.execute("VACUUM")  # freed pages would hold what was taken out
        except DATABASE_ERRORS as error:
            raise CassetteError(f"cannot write to {path}: {error}") from error
        finally:
            close_to_single_file(connection)


def _remove(connection: sqlite3.Connection, numbers: Collection[int]) -> None:
    gone = [(number,) for number in numbers]
    connection.executemany("DELETE FROM violations WHERE exchange = ?", gone)
    connection.executemany("DELETE FROM exchanges WHERE id = ?", gone)
    with closing(connection.execute("SELECT id FROM exchanges ORDER BY id")) as rows:
        left = [row[0] for row in rows]
    moved = [(new, old) for new, old in enumerate(left, 1) if new != old]
    connection.executemany("UPDATE exchanges SET id = ? WHERE id = ?", moved)
    connection.executemany("UPDATE violations SET exchange = ? WHERE exchange = ?", moved)
    connection.execute(_UNUSED_TURNS)
    connection.execute(_UNUSED_PIECES)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = lock(path)
    try:
        yield
    finally:
        unlock(path, descriptor)
