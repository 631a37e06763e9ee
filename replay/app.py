"""The ASGI application: reads a request, asks the deck, writes the answer piece by piece."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import Any, Final, Protocol

from ..cassettes.answers import Answer, error_answer
from ..cassettes.decoding import CannotDecode, decode_pieces
from ..cassettes.hosts import host_allowed, host_refusal
from ..cassettes.leading import leading_back, names_uploads
from ..cassettes.models import Headers, Request
from ..cassettes.uploads import restored_path
from .answering import Reply, Verdict
from .deck import Asked

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Heard = Callable[[Asked, Reply], None]
"""Told of each request and its reply, on the server's thread; it must not wait."""

DROP: Final = "gemtape.drop"
"""The ASGI extension of our server: its ``drop`` closes the connection once what was written is sent."""
_BLANKS: Final = b" \t"
"""What may stand around a header's value; our server leaves what stands behind it."""
_HOSTS: Final = 64
"""Host headers that are remembered; clients send the same one with every request."""


class Answers(Protocol):
    """What an application answers from: a deck, or several of them."""

    lost: int
    """Requests that found no cassette."""

    def answer(self, asked: Asked, request: Callable[[], Request]) -> Reply:
        """The answer to a request; the path of `asked` is as the client sent it."""
        ...

    def close(self) -> None:
        """Close all cassettes."""
        ...


class App:
    """Serves a deck over HTTP."""

    def __init__(self, deck: Answers, heard: Heard | None = None, bound_host: str | None = None) -> None:
        """Serve a deck.

        Args:
            deck: what answers.
            heard: told of each request and its reply.
            bound_host: what the listener was told to listen on: requests whose Host header names something else are
                refused. None where there is no listener, or another server looks after that.
        """
        self._deck = deck
        self._heard = heard
        self._is_ours = lru_cache(_HOSTS)(
            lambda host: bound_host is None or host_allowed(host.decode("latin-1"), bound_host)
        )

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        message = await receive()
        body = await _rest(message, receive) if message.get("more_body") else message.get("body", b"")
        if body is None or message["type"] != "http.request":
            return
        answer = self.reply(scope, body).answer
        if answer.pace:
            await _paced(answer, send)
        else:
            for part in answer.messages:
                await send(part)
        if answer.cut:
            await _drop(scope, receive)

    def reply(self, scope: Message, body: bytes) -> Reply:
        """The reply to a request, of which whoever listens is told. Never raises for what a request can hold.

        Args:
            scope: method, raw_path, query_string and headers, as ASGI has them.
            body: the whole body as it came.
        """
        content_type, encoding, stranger = self._head(scope["headers"])
        decoded = _decoded(encoding, body) if encoding and body and not stranger else None
        query = scope["query_string"].decode("latin-1")
        asked = Asked(
            scope["method"],
            restored_path(scope["raw_path"].decode("latin-1"), query),
            query,
            content_type,
            body if decoded is None else decoded,
        )
        if stranger:
            reply = self._lose(403, host_refusal(stranger, "server"))
        else:
            reply = self._answer(asked, lambda: _request(asked, scope, decoded=decoded is not None))
        if names_uploads(reply.answer):
            back = leading_back(reply.answer, _origin(scope), asked.path, reply.number)
            reply = reply._replace(answer=back)
        if self._heard:
            self._heard(asked, reply)
        return reply

    def _head(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[str, str, str]:
        """What of the headers decides: content type, content-encoding, and a Host that is not ours."""
        content_type = encoding = stranger = ""
        for name, value in headers:
            if name == b"host":
                host = value.strip(_BLANKS)
                if host and not self._is_ours(host):
                    stranger = host.decode("latin-1")
            elif name == b"content-type":
                content_type = value.decode("latin-1")
            elif name == b"content-encoding":
                encoding = f"{encoding},{value.decode('latin-1')}" if encoding else value.decode("latin-1")
        return content_type, encoding, stranger

    def _answer(self, asked: Asked, request: Callable[[], Request]) -> Reply:
        try:
            return self._deck.answer(asked, request)
        except Exception as error:
            # A 500 would be sent again, for half a minute by some clients.
            logger.exception("gemtape could not answer a request")
            return self._lose(412, f"a fault of gemtape itself, please report it: {error!r}")

    def _lose(self, status: int, words: str) -> Reply:
        self._deck.lost += 1
        return Reply(error_answer(status, f"gemtape: {words}"), Verdict.MISS, 0, words)


def _origin(scope: Message) -> str:
    """Scheme, host and port by which the client came, as it wrote them; a client of HTTP/1.0 need not name a host."""
    written = (value.strip(_BLANKS).decode("latin-1") for name, value in scope["headers"] if name == b"host")
    host, port = scope.get("server") or ("localhost", None)
    address = f"[{host}]" if ":" in host else host
    return (
        f"{scope.get('scheme', 'http')}://{next(written, '') or (f'{address}:{port}' if port else address)}"
    )


async def _paced(answer: Answer, send: Send) -> None:
    """Send an answer at the times of its pieces."""
    for at, part in enumerate(answer.messages):
        if 0 < at <= len(answer.waits_s):
            await asyncio.sleep(answer.waits_s[at - 1])
        await send(part)


async def _rest(message: Message, receive: Receive) -> bytes | None:
    """A body that comes in pieces; None where the client left before its end."""
    pieces = [message.get("body", b"")]
    while message.get("more_body"):
        message = await receive()
        pieces.append(message.get("body", b""))
    return b"".join(pieces) if message["type"] == "http.request" else None


def _request(asked: Asked, scope: Message, *, decoded: bool) -> Request:
    headers: Headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in scope["headers"]
        if not (decoded and name == b"content-encoding")
    )
    return Request(asked.method, asked.path, asked.query, headers, asked.body)


def _decoded(encoding: str, body: bytes) -> bytes | None:
    """A request body without its encoding, as it was recorded; None for one that cannot be decoded, or swells too much."""
    try:
        return b"".join(decode_pieces([body], encoding))
    except CannotDecode:
        return None


async def _drop(scope: Message, receive: Receive) -> None:
    """End the connection without ending the answer, and wait until it is closed.

    A server that we did not set up cuts as well when its application returns too early, only it complains in its log.
    """
    extension = scope.get("extensions", {}).get(DROP)
    if extension is None:
        return
    extension["drop"]()
    while (await receive())["type"] != "http.disconnect":
        pass
