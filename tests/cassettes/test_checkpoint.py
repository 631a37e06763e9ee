"""The write-ahead log is folded into the file while recording goes on."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gemtape.cassettes.checkpoint import EVERY, EVERY_BYTES, Checkpointer


@pytest.fixture
def database(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A database with a log that holds everything, and the connection that keeps it so."""
    path = tmp_path / "run.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE t (data)")
    connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    yield path, connection
    connection.close()


def _is_folded(path: Path) -> bool:
    return path.stat().st_size > 100_000


def _folded_in_time(path: Path) -> bool:
    for _ in range(1000):
        if _is_folded(path):
            return True
        time.sleep(0.01)
    return False


def test_log_is_folded_after_so_many_exchanges(database: tuple[Path, sqlite3.Connection]):
    path, _ = database
    checkpointer = Checkpointer(path)
    for _ in range(EVERY - 1):
        checkpointer.wrote(1)
    assert checkpointer._thread is None
    assert not _is_folded(path)

    checkpointer.wrote(1)

    assert _folded_in_time(path)
    checkpointer.stop()


def test_log_is_folded_sooner_when_exchanges_are_large(database: tuple[Path, sqlite3.Connection]):
    path, _ = database
    checkpointer = Checkpointer(path)
    checkpointer.wrote(EVERY_BYTES)

    assert _folded_in_time(path)
    checkpointer.stop()


def test_each_checkpoint_is_made(database: tuple[Path, sqlite3.Connection]):
    path, connection = database
    checkpointer = Checkpointer(path)
    checkpointer.wrote(EVERY_BYTES)
    assert _folded_in_time(path)
    before = path.stat().st_size
    connection.execute("INSERT INTO t VALUES (zeroblob(100000))")

    checkpointer.wrote(EVERY_BYTES)

    assert any(path.stat().st_size > before or time.sleep(0.01) for _ in range(1000))
    checkpointer.stop()


def test_stopping_ends_the_thread(database: tuple[Path, sqlite3.Connection]):
    before = threading.active_count()
    checkpointer = Checkpointer(database[0])
    checkpointer.wrote(EVERY_BYTES)
    checkpointer.stop()

    assert threading.active_count() == before


def test_no_thread_before_the_first_checkpoint(tmp_path: Path):
    before = threading.active_count()
    checkpointer = Checkpointer(tmp_path / "run.db")
    checkpointer.wrote(1)

    assert threading.active_count() == before
    checkpointer.stop()


def test_file_that_is_gone_is_not_made_again(tmp_path: Path):
    """And the thread ends without a word: closing the cassette makes up for it."""
    checkpointer = Checkpointer(tmp_path / "run.db")
    checkpointer.wrote(EVERY_BYTES)
    checkpointer.stop()

    assert list(tmp_path.iterdir()) == []
