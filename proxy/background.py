"""The proxy in a thread of its own, beside whatever the main thread does meanwhile."""

from __future__ import annotations

import threading
from typing import Protocol, Self

from ..cassettes.errors import GemtapeError
from .recorder import Say
from .run import Ready, Running
from .tape import Recorded


class Serving(Protocol):
    """`run.serve` with everything but `ready`."""

    def __call__(self, *, ready: Ready) -> list[Recorded]:
        """Record until the end of the run."""
        ...


class Background:
    """Runs a proxy from the beginning of a `with` block to its end; its cassettes are closed then."""

    def __init__(self, serving: Serving, say: Say) -> None:
        """Prepare a run.

        Args:
            serving: runs the proxy.
            say: shows a line, on the proxy's thread, when the proxy ends before the block does or cannot end well.
        """
        self.url = ""
        """The base URL that clients use."""
        self.failed = False
        """Whether the proxy ended before the block did, or could not end well."""
        self._serving = serving
        self._say = say
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

    def __exit__(self, *_: object) -> None:
        """Stop, and wait until everything is on disk; `failed` tells whether that went well."""
        self._end()

    def _end(self) -> None:
        self._stopping = True
        if self._running:
            self._running.stop()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._serving(ready=self._ready)
        except BaseException as problem:  # noqa: BLE001 - raised where the block begins, said where it ends
            self._problem = problem
        self.failed = bool(self._problem) or not self._stopping
        if self._running and self.failed:
            self._say(self._last_words())
        self._settled.set()

    def _last_words(self) -> str:
        """What went wrong, where requests could come already."""
        event = (
            "the proxy could not end well" if self._stopping else "the proxy has ended: no more is recorded"
        )
        reason = str(self._problem) if isinstance(self._problem, GemtapeError) else repr(self._problem)
        return f"gemtape: {event}{f' ({reason})' if self._problem else ''}"

    def _ready(self, running: Running) -> None:
        self._running, self.url = running, running.url
        if self._stopping:  # whoever waited for this has given up
            running.stop()
        self._settled.set()
