"""One recorder a cassette: an advisory lock on a file beside it.

Not on the cassette itself: closing any descriptor of a file drops the locks that SQLite holds on it in this process,
and on BSD and macOS these two sorts of lock exclude each other. A kill frees the lock; the empty file that it leaves
stands in nobody's way.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .errors import CassetteBusy, CassetteError

SUFFIX: Final = "-lock"


def lock(path: Path) -> int:
    """Take the recorder's lock on a cassette, there or about to be made.

    Returns:
        What `unlock` gives it back with.

    Raises:
        CassetteBusy: another recorder holds it.
        CassetteError: the folder cannot be written.
    """
    beside = _beside(path)
    while True:
        try:
            descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise CassetteError(f"cannot write to {path}: {error.strerror}") from error
        try:
            _hold(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise CassetteBusy(f"{path} is being written by another recorder") from error
        if is_file(beside, os.fstat(descriptor)):
            return descriptor
        os.close(descriptor)  # its last holder has just removed it


def unlock(path: Path, descriptor: int) -> None:
    """Give a lock back and remove its file."""
    with contextlib.suppress(OSError):
        _beside(path).unlink()
    os.close(descriptor)


def _beside(path: Path) -> Path:
    """The lock file, one for all names of a cassette."""
    return Path(f"{os.path.realpath(path)}{SUFFIX}")


def _hold(descriptor: int) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not there on Windows, where nothing is locked
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def kept_locked(path: Path) -> Iterator[int]:
    """A lock for something that may fail; when it does not, the lock stays held."""
    held = lock(path)
    try:
        yield held
    except BaseException:
        unlock(path, held)
        raise


def is_file(path: Path, file: os.stat_result) -> bool:
    """Whether a path leads to this very file."""
    try:
        return os.path.samestat(path.stat(), file)
    except OSError:
        return False
