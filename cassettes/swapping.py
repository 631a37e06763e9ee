"""A finished cassette takes the place of the one that it was recorded anew for."""

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
