"""One cassette file being played: opened when it is needed, and anew when it changed on disk.

A cassette that was replaced while it was played answers from its new content, and its sessions start over.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from ..cassettes.errors import CassetteMissing
from ..cassettes.lookup import Lookup
from ..cassettes.models import Request
from ..cassettes.store import Cassette
from ..checks.serving import Known
from .answering import Answering, Options, Reply, Tally

_TRUSTED_S: Final = 0.05
"""How long a file is taken to be what it was: asking costs as much as a look-up."""

_Stamp = tuple[int, int, int, int]


class Player:
    """Plays one cassette. Not safe for use by several threads at once."""

    def __init__(self, path: Path, options: Options, again: str = "") -> None:
        """Open a cassette.

        Args:
            path: the file.
            options: how it is played.
            again: the command that records it again, for the advice of a miss.

        Raises:
            CassetteError: missing, no cassette, too new, or damaged.
        """
        self.path: Final = path
        self._options = options
        self._again = again
        self._open = True
        self._stamp = _stamp(path)
        self._looked = time.monotonic()
        self._answering = self._start()

    def read(self, request: Request) -> Known:
        """Take a request apart and judge it; its path is the API's.

        Raises:
            CassetteError: the file went, or is damaged.
        """
        return self._woken().read(request)

    def answer(self, known: Known, session: str = "") -> Reply:
        """The answer to a request that `read` read, here or for another cassette.

        Raises:
            CassetteError: the file went, or is damaged.
        """
        return self._woken().answer(known, session)

    def reset(self, session: str = "") -> None:
        """Rewind a session.

        Raises:
            CassetteError: the file went, or is damaged.
        """
        self._woken().reset(session)

    def tally(self, session: str | None = None) -> Tally:
        """What a session was served, or what all of them were."""
        return self._answering.tally(session)

    def park(self) -> None:
        """Close the file until it is needed again; sessions stay where they are."""
        if self._open:
            self._answering.lookup.cassette.close()
            self._open = False

    def _start(self) -> Answering:
        options = self._options
        lookup = Lookup(self._read(), options.repeat, collapse_retries=options.collapse_retries)
        return Answering(lookup, options, self._again)

    def _read(self) -> Cassette:
        return Cassette.read(self.path, self._options.redactor, self._options.matching)

    def _woken(self) -> Answering:
        now = time.monotonic()
        if self._open and now - self._looked < _TRUSTED_S:
            return self._answering
        stamp = _stamp(self.path)
        self._looked = now
        if stamp != self._stamp:
            self.park()
            self._answering = self._start()
            self._stamp, self._open = stamp, True
        elif not self._open:
            self._answering.lookup.cassette = self._read()
            self._open = True
        return self._answering


def _stamp(path: Path) -> _Stamp:
    """What changes when a file is written or replaced.

    Raises:
        CassetteMissing: there is no such file.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise CassetteMissing(f"there is no cassette {path}") from error
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
