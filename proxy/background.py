"""The proxy in a thread of its own, beside whatever the main thread does meanwhile."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Protocol, Self

from .run import Ready, Running
from .tape import Recorded


class Serving(Protocol):
    """`run.serve` with everything but `ready`."""

    def __call__(self, *, ready: Ready) -> list[Recorded]:
        """Record until the end of the run."""
        ...


class Background:
    """Runs a proxy from the beginning of a `with` block to its end; its cassettes are closed then."""

    def __init__(self, serving: Serving, lost: Callable[[BaseException | None], None]) -> None:
        """Prepare a run.

        Args:
            serving: runs the proxy.
            lost: told when the proxy ends before the block does, and why where that is known; on the proxy's thread.
        """
        self.url = ""
        """The base URL that clients use."""
        self.died = False
        """Whether the proxy ended before the block did."""
        self._serving = serving
        self._lost = lost
        self._running: Running | None = None
        self._stopping = False
        self._problem: BaseException | None = None
        self._settled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gemtape-proxy", daemon=True)

    def __enter__(self) -> Self:
        """Start, and wait until requests can come.

        Raises:
            GemtapeError: the proxy cannot run.
        """
        self._thread.start()
        try:
            self._settled.wait()
        except BaseException:
            self._end()
            raise
        if self._running is None:
            self._thread.join()
            raise self._problem or RuntimeError("the proxy ended before it began")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop, and wait until everything is on disk.

        Raises:
            GemtapeError: a cassette could not be closed; not where the block failed already.
        """
        self._end()
        if self._problem and not self.died and kind is None:
            raise self._problem

    def _end(self) -> None:
        self._stopping = True
        if self._running:
            self._running.stop()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._serving(ready=self._ready)
        except BaseException as problem:  # noqa: BLE001 - raised where the block begins or ends
            self._problem = problem
        finally:
            self.died = self._running is not None and not self._stopping
            if self.died:
                with contextlib.suppress(Exception):
                    self._lost(self._problem)
            self._settled.set()

    def _ready(self, running: Running) -> None:
        self._running, self.url = running, running.url
        if self._stopping:  # whoever waited for this has given up
            running.stop()
        self._settled.set()
