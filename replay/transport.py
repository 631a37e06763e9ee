"""In-process replay for Python: a transport for clients of httpx and of httpx2, sync and async, without a socket.

One transport serves all of them: what it gives back is made of the library that the request came from. Neither library
is imported here, since whoever has such a request has imported it.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from ..cassettes.answers import Answer
from ..cassettes.errors import SetupError
from ..cassettes.lookup import Repeat
from ..checks.config import load_config
from .app import App, Heard
from .configured import configured
from .deck import Deck

if TYPE_CHECKING:
    # To a type checker it is any transport that a client may want: those of the two libraries have no common base.
    from typing import Any as _Transport
else:
    _Transport = object

_LIBRARIES: Final = ("httpx", "httpx2")
_CUT: Final = "peer closed connection without sending complete message body (incomplete chunked read)"
_DROPPED: Final = "Server disconnected without sending a response."


class ReplayTransport(_Transport):
    """Answers the requests of a client from a cassette, or from a folder of them, as `gemtape replay` would.

    For a client with ``transport=ReplayTransport("run.db")``; whatever its base URL is, nothing is sent anywhere. It may
    be shared by clients, threads and event loops; `deck` tells what was asked.
    """

    def __init__(
        self,
        cassette: str | Path | Deck,
        *,
        repeat: Repeat | str | None = None,
        lenient: bool | None = None,
        heard: Heard | None = None,
    ) -> None:
        """Open what is to be played.

        Args:
            cassette: a cassette; a folder of them, chosen by the path of the client's base URL; or a deck that is open
                already, which brings its own options.
            repeat: what equal requests get once all recorded answers were served: ``last``, ``cycle`` or ``once``. As
                configured by default, else ``last``.
            lenient: whether to serve what was recorded for a request that the API would refuse. As configured by default,
                else not.
            heard: told of each request and its reply, on the client's thread.

        Raises:
            CassetteError: it is missing or cannot be read.
            ConfigError: the configuration cannot be read.
            SetupError: there is no such way to repeat.
        """
        self.deck: Final = (
            cassette if isinstance(cassette, Deck) else _opened(cassette, repeat=repeat, lenient=lenient)
        )
        self._app = App(self.deck, heard)
        if self.deck is not cassette:
            # Clients close their transports when they are closed, which tests rarely do.
            weakref.finalize(self, self.deck.close)

    def handle_request(self, request: Any) -> Any:
        """Answer a request of a sync client.

        Raises:
            RemoteProtocolError: of the client's library, where no answer came when this was recorded.
        """
        return self._response(request, request.read())

    async def handle_async_request(self, request: Any) -> Any:
        """Answer a request of an async client.

        Raises:
            RemoteProtocolError: of the client's library, where no answer came when this was recorded.
        """
        return self._response(request, await request.aread())

    def close(self) -> None:
        """Close the cassettes; a further request opens them again, and sessions go on."""
        self.deck.close()

    async def aclose(self) -> None:
        """The same for async clients."""
        self.deck.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _response(self, request: Any, body: bytes) -> Any:
        path, _, query = request.url.raw_path.partition(b"?")
        scope = {
            "scheme": request.url.scheme,
            "server": (request.url.host, request.url.port),
            "method": request.method,
            "raw_path": path,
            "query_string": query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
        }
        answer = self._app.reply(scope, body).answer
        library = _library_of(type(request))
        if not answer.status:
            raise library.broken(_DROPPED, request=request)
        return library.response(answer.status, headers=list(answer.headers), stream=library.stream(answer))


class _Library(NamedTuple):
    """What is taken from the library of a client."""

    response: Any
    stream: Any
    broken: Any


@cache
def _library_of(kind: type) -> _Library:
    """The library that a class of requests, or one of its bases, comes from."""
    names = [base.__module__.partition(".")[0] for base in kind.__mro__]
    name = next((name for name in names if name in _LIBRARIES), None)
    if name is None:
        raise TypeError(f"{kind.__qualname__} is no request of {' or '.join(_LIBRARIES)}")
    library = sys.modules[name]
    return _Library(library.Response, _stream_class(library), library.RemoteProtocolError)


def _stream_class(library: Any) -> type:
    """The body of an answer, piece by piece; clients want it to be of their library's own classes."""

    class Pieces(library.SyncByteStream, library.AsyncByteStream):
        def __init__(self, answer: Answer) -> None:
            self._answer = answer

        def __iter__(self) -> Iterator[bytes]:
            for wait_s, chunk in zip(self._answer.waits_s, self._answer.chunks, strict=True):
                if wait_s:
                    time.sleep(wait_s)
                yield chunk.data
            self._end()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            import anyio  # noqa: PLC0415 - comes with either library

            for wait_s, chunk in zip(self._answer.waits_s, self._answer.chunks, strict=True):
                if wait_s:
                    await anyio.sleep(wait_s)
                yield chunk.data
            self._end()

        def _end(self) -> None:
            if self._answer.cut:
                raise library.RemoteProtocolError(_CUT)

    return Pieces


def _opened(cassette: str | Path, *, repeat: Repeat | str | None, lenient: bool | None) -> Deck:
    if repeat not in (None, *Repeat):
        raise SetupError(f"repeat is {', '.join(Repeat)}, not {repeat!r}")
    options = configured(load_config(), repeat=Repeat(repeat) if repeat else None, lenient=lenient)
    return Deck(cassette, options)
