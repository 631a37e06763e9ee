"""Opening SQLite files as cassettes: pragmas, recognition, versions."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from . import migrations
from .errors import CassetteError, CassetteMissing, CassetteTooNew, NotACassette
from .version import VERSION

DATABASE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What a database can raise; the second where the text of an error quotes a damaged schema."""
_IMPORTABLE: Final = frozenset({".jsonl", ".ndjson", ".json"})
_BUSY_TIMEOUT_S: Final = 5.0
_CLOSING_TIMEOUT_MS: Final = 200
"""How long closing waits for readers before it leaves the log beside the file."""


def connect_new(path: Path) -> sqlite3.Connection:
    """An empty database in a new file, with the schema in it.

    Raises:
        CassetteError: the file cannot be created; nothing of it is left.
    """
    try:
        path.touch(exist_ok=False)
        connection = connect(path, "rw")
        with _closed_on_error(connection):
            connection.execute(f"PRAGMA page_size = {migrations.PAGE_SIZE}")
            connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
            _prepare_for_writing(connection)
            migrate(connection)
    except (OSError, *DATABASE_ERRORS) as error:
        if not isinstance(error, FileExistsError):
            for suffix in ("", "-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        raise CassetteError(f"cannot create {path}: {_reason(error)}") from error
    return connection


def connect_in_memory() -> sqlite3.Connection:
    """An empty database in memory, with the schema in it."""
    connection = _memory()
    migrate(connection)
    return connection


def connect_to_write(path: Path) -> sqlite3.Connection:
    """An existing cassette, migrated, for writing.

    Raises:
        CassetteError: missing, no cassette, too new, or not writable.
    """
    recognise(path)
    try:
        connection = connect(path, "rw")
        with _closed_on_error(connection):
            _prepare_for_writing(connection)
            migrate(connection)
    except (OSError, *DATABASE_ERRORS) as error:
        raise CassetteError(f"cannot write to {path}: {_reason(error)}") from error
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """An existing cassette for reading, also one whose recorder was killed; an older one is migrated in memory.

    Raises:
        CassetteError: missing, no cassette, too new, or not readable.
    """
    connection, written_with = _open_recognised(path)
    if written_with == migrations.FORMAT:
        return connection
    try:
        with contextlib.closing(connection):
            copy = _in_memory(connection)
        with _closed_on_error(copy):
            migrate(copy)
    except DATABASE_ERRORS as error:
        raise NotACassette(f"cannot read {path}: {error}") from error
    return copy


def recognise(path: Path) -> int:
    """The format number of a cassette.

    Raises:
        CassetteMissing: there is no such file.
        NotACassette: it is something else, or damaged.
        CassetteTooNew: a newer gemtape wrote it.
    """
    connection, written_with = _open_recognised(path)
    connection.close()
    return written_with


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, and note which gemtape writes here; NotACassette where triggers would go off."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'trigger'").fetchone():
        raise NotACassette("a cassette with triggers, which gemtape never makes, can only be read")
    if _pragma(connection, "user_version") != migrations.FORMAT:
        migrations.apply(connection)
        connection.execute(f"PRAGMA user_version = {migrations.FORMAT}")
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('gemtape', ?)", (VERSION,))


def close_to_single_file(connection: sqlite3.Connection) -> None:
    """Fold the write-ahead log into the file and close; a reader that holds it up leaves the log beside the file."""
    with contextlib.suppress(sqlite3.Error):
        connection.execute(f"PRAGMA busy_timeout = {_CLOSING_TIMEOUT_MS}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of what is written inside, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # some errors have rolled back by themselves
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def damage_told() -> Iterator[None]:
    """What goes wrong with the file while it is read, as a `NotACassette`."""
    try:
        yield
    except DATABASE_ERRORS as error:
        raise NotACassette(f"the cassette is damaged: {error}") from error


def connect(path: Path, mode: str, *options: str) -> sqlite3.Connection:
    """A connection to an existing file that commits by itself, for any thread; `mode` is SQLite's ``ro`` or ``rw``."""
    uri = f"file:{quote(str(path.absolute()))}?{'&'.join((f'mode={mode}', *options))}"
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=_BUSY_TIMEOUT_S, check_same_thread=False
    )


def _prepare_for_writing(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")  # readers see a cassette while it is recorded
    connection.execute("PRAGMA synchronous = NORMAL")  # a process kill loses nothing; only power loss may
    connection.execute("PRAGMA wal_autocheckpoint = 0")  # 16 ms each: a thread of its own makes them
    connection.execute("PRAGMA foreign_keys = ON")


def _open_recognised(path: Path) -> tuple[sqlite3.Connection, int]:
    """A connection for reading, and the format that its cassette was written in; raises as `recognise` does."""
    if not path.exists():
        raise CassetteMissing(f"there is no cassette {path}")
    if path.is_dir():
        raise NotACassette(f"{path} is a folder, not a cassette")
    try:
        connection = _open_for_reading(path)
        with _closed_on_error(connection):
            return connection, _format(connection, path)
    except (OSError, *DATABASE_ERRORS) as error:
        hint = "; gemtape import makes one of it" if path.suffix.lower() in _IMPORTABLE else ""
        raise NotACassette(f"{path} is not a cassette: {_reason(error)}{hint}") from error


def _format(connection: sqlite3.Connection, path: Path) -> int:
    """The format that a cassette was written in; raises as `recognise` does."""
    if _pragma(connection, "application_id") != migrations.APPLICATION_ID:
        raise NotACassette(f"{path} is not a cassette that gemtape wrote")
    if row := connection.execute(migrations.NO_TABLES).fetchone():
        raise NotACassette(f"{path} was tampered with: {row[0]} is no table")
    written_with = _pragma(connection, "user_version")
    if written_with > migrations.FORMAT:
        row = connection.execute("SELECT value FROM meta WHERE name = 'gemtape'").fetchone()
        raise CassetteTooNew(
            f"{path} was written by gemtape {row[0] if row else '(unknown)'} (format {written_with}); "
            f"this is gemtape {VERSION}, which reads up to format {migrations.FORMAT}"
        )
    return written_with


def _open_for_reading(path: Path) -> sqlite3.Connection:
    try:
        return _connect_and_look(path)
    except sqlite3.OperationalError:
        return _open_where_nothing_can_be_written(path)


def _connect_and_look(path: Path, *options: str) -> sqlite3.Connection:
    """A connection for reading whose first look at the file went well."""
    connection = connect(path, "ro", *options)
    with _closed_on_error(connection):
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    return connection


def _open_where_nothing_can_be_written(path: Path) -> sqlite3.Connection:
    """A cassette whose journal is a log cannot be read in place where SQLite cannot put the log's index beside it."""
    log = Path(f"{path}-wal")
    if not log.exists() or not log.stat().st_size:
        return _connect_and_look(path, "immutable=1")
    folder = Path(tempfile.mkdtemp(prefix="gemtape-"))
    try:
        for file in (path, log):
            shutil.copyfile(file, folder / file.name)
        with contextlib.closing(sqlite3.connect(folder / path.name)) as copy:
            return _in_memory(copy)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _in_memory(source: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of a database in memory."""
    memory = _memory()
    with _closed_on_error(memory):
        source.backup(memory)
    return memory


def _memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


@contextlib.contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
