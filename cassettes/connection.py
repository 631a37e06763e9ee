"""Opening SQLite files as cassettes: pragmas, recognition, versions, locks."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlite_utils import Database

from .errors import CassetteBusy, CassetteError, CassetteMissing, CassetteTooNew, NotACassette
from .migrations import APPLICATION_ID, FORMAT, PAGE_SIZE, migrations
from .version import VERSION

_BUSY_TIMEOUT_S: Final = 5.0


def connect_new(path: Path) -> sqlite3.Connection:
    """An empty database in a new file, with the schema in it.

    Raises:
        CassetteError: the file cannot be created.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = _connect(path, "rwc")
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _prepare_for_writing(connection)
        migrate(connection)
    except (OSError, sqlite3.Error) as error:
        raise CassetteError(f"cannot create {path}: {_reason(error)}") from error
    return connection


def connect_to_write(path: Path) -> sqlite3.Connection:
    """An existing cassette, migrated, for writing.

    Raises:
        CassetteError: missing, no cassette, too new, or not writable.
    """
    recognise(path)
    try:
        connection = _connect(path, "rw")
        _prepare_for_writing(connection)
        migrate(connection)
    except (OSError, sqlite3.Error) as error:
        raise CassetteError(f"cannot write to {path}: {_reason(error)}") from error
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """An existing cassette for reading, also one whose recorder was killed; an older one is migrated in memory.

    Raises:
        CassetteError: missing, no cassette, too new, or not readable.
    """
    written_with = recognise(path)
    try:
        connection = _open_for_reading(path)
        if written_with < FORMAT:
            copy = sqlite3.connect(":memory:", isolation_level=None)
            connection.backup(copy)
            connection.close()
            migrate(copy)
            connection = copy
    except (OSError, sqlite3.Error) as error:
        raise NotACassette(f"cannot read {path}: {_reason(error)}") from error
    return connection


def recognise(path: Path) -> int:
    """The format number of a cassette.

    Raises:
        CassetteMissing: there is no such file.
        NotACassette: it is something else, or damaged.
        CassetteTooNew: a newer gemtape wrote it.
    """
    if not path.exists():
        raise CassetteMissing(f"there is no cassette {path}")
    if path.is_dir():
        raise NotACassette(f"{path} is a folder, not a cassette")
    try:
        with contextlib.closing(_open_for_reading(path)) as connection:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            if application != APPLICATION_ID:
                raise NotACassette(f"{path} is not a cassette that gemtape wrote")
            written_with = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if written_with > FORMAT:
                row = connection.execute("SELECT value FROM meta WHERE name = 'gemtape'").fetchone()
                raise CassetteTooNew(
                    f"{path} was written by gemtape {row[0] if row else '(unknown)'} (format {written_with}); "
                    f"this is gemtape {VERSION}, which reads up to format {FORMAT}"
                )
    except (OSError, sqlite3.Error) as error:
        raise NotACassette(f"{path} is not a cassette: {_reason(error)}") from error
    return written_with


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date; every migration is a transaction of its own."""
    migrations.apply(Database(connection))
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('gemtape', ?)", (VERSION,))


def lock(path: Path) -> int:
    """Take the recorder's lock on a cassette; the descriptor holds it until it is closed.

    An advisory lock on the file itself leaves nothing behind after a kill, and does not touch SQLite's own locks.

    Raises:
        CassetteBusy: another recorder holds it.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        import fcntl  # noqa: PLC0415 - not there on Windows

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError as error:
        os.close(descriptor)
        raise CassetteBusy(f"{path} is being written by another recorder") from error
    return descriptor


def close_to_single_file(connection: sqlite3.Connection) -> None:
    """Fold the write-ahead log into the file and close; a reader that holds it up leaves the log beside the file."""
    with contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=_BUSY_TIMEOUT_S, check_same_thread=False
    )


def _prepare_for_writing(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")  # readers see a cassette while it is recorded
    connection.execute("PRAGMA synchronous = NORMAL")  # a process kill loses nothing; only power loss may
    connection.execute("PRAGMA wal_autocheckpoint = 0")  # 16 ms each: a thread of its own makes them
    connection.execute("PRAGMA foreign_keys = ON")


def _open_for_reading(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "ro")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        if not Path(f"{path}-wal").exists():
            raise
        # A log left behind in a folder that cannot be written: SQLite needs to build its index beside a copy.
        folder = tempfile.mkdtemp(prefix="gemtape-")
        try:
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", folder)
            memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            with contextlib.closing(sqlite3.connect(Path(folder) / path.name)) as copy:
                copy.backup(memory)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return memory
    return connection


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
