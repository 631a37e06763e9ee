"""The ASGI application: reads a request, asks the deck, writes the answer piece by piece."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, Protocol

from ..cassettes.answers import Answer, error_answer
from ..cassettes.models import Request
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
_FREE: Final = 16 * 1024 * 1024
"""Bytes that a compressed request may decode to, however small it was, as while it was recorded."""
_LARGEST_RATIO: Final = 100
"""Beyond `_FREE`, what it may decode to as a multiple of its size."""


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

    def __init__(self, deck: Answers, heard: Heard | None = None) -> None:
        self._deck = deck
        self._heard = heard

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
        asked = _asked(scope, body)
        reply = self._answer(asked, scope)
        if self._heard:
            self._heard(asked, reply)
        return reply

    def _answer(self, asked: Asked, scope: Message) -> Reply:
        try:
            return self._deck.answer(asked, lambda: _request(asked, scope))
        except Exception as error:
            # A 500 would be sent again, for half a minute by some clients.
            logger.exception("gemtape could not answer a request")
            self._deck.lost += 1
            words = f"gemtape: a fault of gemtape itself, please report it: {error!r}"
            return Reply(error_answer(412, words), Verdict.MISS, 0, words)


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


def _asked(scope: Message, body: bytes) -> Asked:
    content_type = ""
    for name, value in scope["headers"]:
        if name == b"content-type":
            content_type = value.decode("latin-1")
        elif name == b"content-encoding":
            body = _decoded(value, body)
    query = scope["query_string"]
    return Asked(
        scope["method"],
        scope["raw_path"].decode("latin-1"),
        query.decode("latin-1") if query else "",
        content_type,
        body,
    )


def _request(asked: Asked, scope: Message) -> Request:
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"])
    return Request(asked.method, asked.path, asked.query, headers, asked.body)


def _decoded(encoding: bytes, body: bytes) -> bytes:
    """A request body without its gzip encoding, as it was recorded; an unreadable or swollen one stays as it came."""
    if encoding.strip().lower() not in (b"gzip", b"x-gzip"):
        return body
    engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        decoded = engine.decompress(body, max(_FREE, len(body) * _LARGEST_RATIO))
    except zlib.error:
        return body
    return decoded if engine.eof else body


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
