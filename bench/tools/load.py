"""A load of equal requests over kept-alive connections, and an upstream that always answers the same."""

from __future__ import annotations

import asyncio
import time

import httptools


class Upstream(asyncio.Protocol):
    """Answers each request with the same bytes."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpRequestParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Answer."""
        if self._transport:
            self._transport.write(self._answer)


class _Client(asyncio.Protocol):
    """Sends one request after the other; answers are whole, chunked or not."""

    def __init__(self, request: bytes, until: float, done: asyncio.Future[None]) -> None:
        self.answers = 0
        self._request = request
        self._until = until
        self._done = done
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        if (status := self._parser.get_status_code()) != 200:
            self._done.set_exception(RuntimeError(f"answered with {status}"))
            return
        self.answers += 1
        assert self._transport
        if time.perf_counter() < self._until:
            # The parser of the next answer is a new one, since this one is still at work.
            self._parser = httptools.HttpResponseParser(self)
            self._transport.write(self._request)
        elif not self._done.done():
            self._transport.close()
            self._done.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(exc or RuntimeError("the connection was closed"))


async def load(port: int, request: bytes, connections: int, seconds: float) -> tuple[float, float]:
    """Requests per second that a server on this machine answers, and the seconds that it took."""
    loop = asyncio.get_running_loop()
    began = time.perf_counter()
    clients: list[_Client] = []
    ends: list[asyncio.Future[None]] = []
    for _ in range(connections):
        done: asyncio.Future[None] = loop.create_future()
        client = _Client(request, began + seconds, done)
        await loop.create_connection(lambda client=client: client, "127.0.0.1", port)
        clients.append(client)
        ends.append(done)
    await asyncio.gather(*ends)
    took = time.perf_counter() - began
    return sum(client.answers for client in clients) / took, took


def post(path: str, body: bytes) -> bytes:
    """A request with a JSON body."""
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def ok(body: bytes) -> bytes:
    """An answer with a JSON body."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )
