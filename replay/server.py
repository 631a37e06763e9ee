"""The replay server: uvicorn on a socket of ours, in a thread of its own, so that tests can embed it and stop it at once.

Nothing here, or in anything that it calls, opens a connection to anywhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Generic, Self, TypeVar

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..cassettes.errors import SetupError
from .answering import Options
from .app import DROP, Answers, App, Heard
from .deck import Deck

logger = logging.getLogger(__name__)

_KEEP_ALIVE_S: Final = 3600
"""How long an idle connection stays open: a client's pool must never meet a connection that is just being closed."""
_CLOSING_S: Final = 0.25
"""How long a client may take to read the rest of an answer, or send the rest of a request, when the server stops."""


_SOON_S: Final = 0.005


class _Protocol(HttpToolsProtocol):
    """uvicorn's, with a way for the application to cut the connection, and quiet."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.logger = logger
        self.access_log = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin a connection."""
        super().connection_made(transport)
        self._extensions: dict[str, dict[object, object]] = {DROP: {"drop": transport.close}}

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self.scope["extensions"] = self._extensions

    def _unsupported_upgrade_warning(self) -> None:
        """The client is told by our answer."""


Played = TypeVar("Played", bound=Answers)


class Server(Generic[Played]):
    """Serves a deck from a thread until it is stopped. Use it as a context manager, or call `start` and `stop`."""

    def __init__(
        self, deck: Played, host: str = "127.0.0.1", port: int = 0, heard: Heard | None = None
    ) -> None:
        """Take the address; clients may connect from now on, and are answered after `start`.

        Args:
            deck: what to play; it is closed when the server stops.
            host: the address to listen on.
            port: the port; 0 takes a free one.
            heard: told of each request and its reply, on the server's thread.

        Raises:
            SetupError: the address cannot be listened on.
        """
        self.deck: Final = deck
        self._socket = _listener(host, port)
        self.url: Final = _base_url(host, self._socket.getsockname()[1])
        """The base URL for clients; with a folder, the cassette's name comes behind it."""
        self._app = App(deck, heard, host)
        self._thread = threading.Thread(target=self._run, name="gemtape-replay", daemon=True)
        self._ready = threading.Event()
        self._problem: BaseException | None = None
        self._stop: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def running(self) -> bool:
        """Whether requests are answered."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Answer requests from now on."""
        self._thread.start()
        self._ready.wait()
        if self._problem:
            raise self._problem

    def stop(self) -> None:
        """Close every connection and the cassettes. Stopping twice is harmless.

        Raises:
            Exception: what ended the server before, if that was not this.
        """
        self._stop()
        if self._thread.ident is not None:
            self._thread.join()
        self._socket.close()
        self.deck.close()
        if self._problem:
            raise self._problem

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - handed over to whoever started or stops us
            self._problem = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        config = uvicorn.Config(
            self._app,
            http=_Protocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
        )
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        await server.startup(sockets=[self._socket])

        def stop() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(stopping.set)

        self._stop = stop
        self._ready.set()
        await stopping.wait()
        await _close(server)


async def _close(server: uvicorn.Server) -> None:
    """What uvicorn's own `shutdown` does, without its pauses of 100 ms."""
    for listener in server.servers:
        listener.close()
    state = server.server_state
    for connection in list(state.connections):
        connection.shutdown()
    clock = asyncio.get_running_loop().time
    closing = clock()
    while state.connections or state.tasks:
        if clock() - closing > _CLOSING_S:
            for connection in list(state.connections):
                connection.transport.abort()
            for task in list(state.tasks):
                task.cancel()
            return
        # An idle connection is gone after a turn or two of the loop.
        await asyncio.sleep(0 if clock() - closing < _SOON_S else _SOON_S)


def serve(
    target: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    options: Options | None = None,
    heard: Heard | None = None,
) -> Server[Deck]:
    """A server for a cassette or a folder of them, to be used in a `with` statement.

    Args:
        target: a cassette, or a folder of them.
        host: the address to listen on.
        port: the port; 0 takes a free one.
        options: how cassettes are played.
        heard: told of each request and its reply, on the server's thread.

    Raises:
        CassetteError: the target is missing or cannot be read.
        SetupError: the address cannot be listened on.
    """
    deck = Deck(target, options)
    try:
        return Server(deck, host, port, heard)
    except SetupError:
        deck.close()
        raise


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise SetupError(
                f"port {port} on {host} is in use: choose another with --port, or 0 for a free one"
            ) from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SetupError(f"cannot listen on {host} port {port}: {reason}") from error


def _base_url(host: str, port: int) -> str:
    """The address that clients use; a listener on all interfaces is reached by loopback."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognised, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop  # noqa: PLC0415 - not there on every platform
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
