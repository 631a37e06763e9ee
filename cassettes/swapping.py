"""Files that take the place of others once they are whole."""

from __future__ import annotations

from pathlib import Path


def swap_in(new: Path, path: Path) -> str:
    """Put a finished replacement in the place of a cassette.

    Returns:
        Why it stayed where it is, or nothing.
    """
    if Path(f"{new}-wal").exists():
        return f"{new} is still being read, so it could not take the place of {path}"
    try:
        # The log of the cassette that goes would be played into the one that comes.
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        new.replace(path)
    except OSError as error:
        return f"{new} could not take the place of {path}: {error.strerror}"
    return ""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there as it was, or whole.

    Raises:
        OSError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
