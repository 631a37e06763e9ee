"""Our standard input for a command that runs more than once: each run gets all of it, from the beginning."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final

_PIECE: Final = 65_536


class Input:
    """What comes from a file descriptor, kept; a terminal counts as empty, since nobody sees what it is asked for.

    Nothing is read before a first command runs, and nothing waits for an end that may never come.
    """

    def __init__(self, source: int = 0) -> None:
        self._source = source
        self._kept = bytearray()
        self._ended = False
        self._reads = False
        self._changed = threading.Condition()

    @contextmanager
    def into(self, command: IO[bytes]) -> Iterator[None]:
        """Write everything to the standard input of a command, while it runs."""
        if not self._reads:
            self._reads = True
            threading.Thread(target=self._read, name="gemtape-input", daemon=True).start()
        over = threading.Event()
        feeding = threading.Thread(target=self._feed, args=(command, over), name="gemtape-feed", daemon=True)
        feeding.start()
        try:
            yield
        finally:
            over.set()
            with self._changed:
                self._changed.notify_all()

    def _read(self) -> None:
        try:
            while not os.isatty(self._source) and (piece := os.read(self._source, _PIECE)):
                with self._changed:
                    self._kept += piece
                    self._changed.notify_all()
        except OSError:  # closed, or none at all
            pass
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _feed(self, command: IO[bytes], over: threading.Event) -> None:
        given = 0
        # The command may end, or close its input, at any time.
        with suppress(OSError, ValueError), command:
            while not over.is_set() and (piece := self._piece(given, over)):
                command.write(piece)
                command.flush()
                given += len(piece)

    def _piece(self, given: int, over: threading.Event) -> bytes:
        """What comes next, once it is there; nothing at the end, or when the command has ended."""
        with self._changed:
            self._changed.wait_for(lambda: over.is_set() or self._ended or len(self._kept) > given)
            return bytes(self._kept[given : given + _PIECE])
