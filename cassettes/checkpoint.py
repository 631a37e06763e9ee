"""Keeping the write-ahead log short: passive checkpoints on a thread with a connection of its own.

A checkpoint takes some 16 ms, too long for the recorder's event loop; a passive one never blocks the writer.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path
from typing import Final

from .connection import connect

EVERY: Final = 256
"""Exchanges between two checkpoints, at most."""
EVERY_BYTES: Final = 16 * 1024 * 1024
"""What may be written between two checkpoints, roughly."""


class Checkpointer:
    """Makes a passive checkpoint after every `EVERY` exchanges, or sooner when they are large."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._exchanges = 0
        self._bytes = 0
        self._due = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def wrote(self, size: int) -> None:
        """Count an exchange of so many bytes; called by the writer after each commit."""
        self._exchanges += 1
        self._bytes += size
        if self._exchanges >= EVERY or self._bytes >= EVERY_BYTES:
            self._exchanges = self._bytes = 0
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gemtape-checkpoint", daemon=True)
                self._thread.start()
            self._due.set()

    def stop(self) -> None:
        """End the thread, after the checkpoint that it may be making."""
        self._stopping = True
        self._due.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        # A checkpoint that fails is made up for by the next, or when the cassette is closed.
        with contextlib.suppress(sqlite3.Error), contextlib.closing(connect(self._path, "rw")) as connection:
            while True:
                self._due.wait()
                self._due.clear()
                if self._stopping:
                    return
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
