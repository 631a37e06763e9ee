"""The proxy in a thread of the test process: quick to start, real sockets and a real cassette all the same."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.proxy.forward import Forward
from gemtape.proxy.routing import Router, parse_upstream
from gemtape.proxy.run import Listener, Running, serve
from gemtape.proxy.tape import Existing, Recorded
from gemtape.proxy.tapes import Tapes
from gemtape.proxy.timeouts import Timeouts


class Proxy:
    """A proxy that is up; `lines` is what it said, `recorded` what it gave when it had ended."""

    def __init__(self, listener: Listener, tapes: Tapes, **options: object) -> None:
        self.url = ""
        self.tapes = tapes
        self.lines: list[str] = []
        self.recorded: list[Recorded] = []
        self._problem: BaseException | None = None
        self._running: Running | None = None
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listener, options), daemon=True)
        self._thread.start()
        assert self._up.wait(20)
        if self._problem:
            raise self._problem

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host.strip("[]"), int(port)

    def stop(self) -> list[Recorded]:
        """End the run as SIGTERM does."""
        if self._running:
            self._running.stop()
        self._thread.join(20)
        assert not self._thread.is_alive(), "the proxy did not stop"
        if self._problem:
            raise self._problem
        return self.recorded

    def client(self, prefix: str = "", **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.url + prefix, trust_env=False, timeout=20, **options)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=20)

    def _run(self, listener: Listener, options: dict[str, object]) -> None:
        try:
            options = {"environ": {}, "ready": self._ready, **options}
            self.recorded = serve(listener, self.tapes, self.lines.append, **options)
        except BaseException as problem:  # noqa: BLE001 - handed to the test
            self._problem = problem
        finally:
            self._up.set()

    def _ready(self, running: Running) -> None:
        self._running, self.url = running, running.url
        self._up.set()


@contextmanager
def proxied(
    target: Path,
    upstream: str | None = None,
    *,
    folder: bool = False,
    existing: Existing = Existing.REFUSE,
    timeouts: Timeouts | None = None,
    forward: Forward | None = None,
    **options: object,
) -> Iterator[Proxy]:
    """Run a proxy that records into `target`."""
    router = Router(parse_upstream(upstream) if upstream else None)
    listener = Listener("127.0.0.1", 0, router, timeouts or Timeouts(), forward)
    proxy = Proxy(listener, Tapes(target, folder=folder, existing=existing), **options)
    try:
        yield proxy
    finally:
        proxy.stop()


def stored(path: Path) -> list[Exchange]:
    """The exchanges of a cassette."""
    with Cassette.read(path) as cassette:
        return list(cassette.exchanges())


def receive_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes, or resets."""
    received = b""
    try:
        while data := connection.recv(65_536):
            received += data
    except ConnectionResetError:
        pass
    return received
