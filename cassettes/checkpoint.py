"""Keeping the write-ahead log short: passive checkpoints on a thread with a connection of its own.

A checkpoint takes some 16 ms, too long for the recorder's event loop; a passive one never blocks the writer.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path
from typing import Final

_EVERY: Final = 256
"""Exchanges between two checkpoints."""


class Checkpointer:
    """Makes a passive checkpoint after every `_EVERY` exchanges."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written = 0
        self._due = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def wrote(self) -> None:
        """Count an exchange; called by the writer after each commit."""
        self._written += 1
        if self._written % _EVERY == 0:
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
        with contextlib.closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            while True:
                self._due.wait()
                self._due.clear()
                if self._stopping:
                    return
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
