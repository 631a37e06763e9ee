"""A server on loopback that answers from scripts: any framing, any pause, any way of breaking off.

An answer is a function from the request to the pieces of the raw answer, written as they come out; it may wait between
them. `HANG_UP` and `RESET` among the pieces end the connection there.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Self

HANG_UP = object()
"""Close the connection now."""
RESET = object()
"""Close it with a reset."""

JSON = "application/json; charset=UTF-8"
SSE = "text/event-stream"


@dataclass
class Received:
    """A request as it arrived."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


Answer = Callable[[Received], Iterable[object]]


@dataclass
class Gate:
    """Lets a script go on one step for each time it is opened."""

    semaphore: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def open(self) -> None:
        self.semaphore.release()

    def wait(self) -> None:
        assert self.semaphore.acquire(timeout=20), "nobody opened the gate"


def head(
    status: int = 200, *headers: tuple[str, str], content_type: str = JSON, version: str = "1.1"
) -> bytes:
    lines = [f"HTTP/{version} {status} X", f"Content-Type: {content_type}"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join([*lines, "", ""]).encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


END = chunk(b"")


def unary(
    body: bytes,
    status: int = 200,
    *headers: tuple[str, str],
    framing: str = "length",
    content_type: str = JSON,
) -> Answer:
    """A whole answer in one write; `framing` is length, chunked or close."""

    def answer(_: Received) -> Iterator[object]:
        if framing == "length":
            yield head(status, *headers, ("Content-Length", str(len(body))), content_type=content_type) + body
        elif framing == "chunked":
            yield (
                head(status, *headers, ("Transfer-Encoding", "chunked"), content_type=content_type)
                + chunk(body)
                + END
            )
        else:
            yield head(status, *headers, content_type=content_type) + body
            yield HANG_UP

    return answer


def stream(
    *pieces: bytes,
    headers: tuple[tuple[str, str], ...] = (),
    framing: str = "chunked",
    content_type: str = SSE,
    gate: Gate | None = None,
    end: object = b"",
) -> Answer:
    """A streamed answer, a write a piece; with a gate, each piece but the first waits for it, and so does the end.

    `end` takes the place of the regular end where it is HANG_UP or RESET.
    """

    def answer(_: Received) -> Iterator[object]:
        framed = {
            "chunked": ("Transfer-Encoding", "chunked"),
            "length": ("Content-Length", str(sum(map(len, pieces)))),
        }
        yield head(
            200, *headers, *([framed[framing]] if framing in framed else []), content_type=content_type
        )
        for index, piece in enumerate(pieces):
            if gate and index:
                gate.wait()
            yield chunk(piece) if framing == "chunked" else piece
        if gate:
            gate.wait()
        if end:
            yield end
        elif framing == "chunked":
            yield END
        elif framing == "close":
            yield HANG_UP

    return answer


def script(*pieces: object) -> Answer:
    """Raw bytes and endings, the same for every request."""
    return lambda _: pieces


class Upstream:
    """The server. Answers come from `answers` in order, then from `default`."""

    def __init__(self, default: Answer | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.default = default or unary(b"{}")
        self.answers: deque[Answer] = deque()
        self.requests: list[Received] = []
        self.connections = 0
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self.url = f"https://localhost:{self.port}" if tls else f"http://127.0.0.1:{self.port}"
        self._open: set[socket.socket] = set()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and cut what is open."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(timeout=20)
        assert not any(thread.is_alive() for thread in self._threads)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.add(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            self._talk(self._tls.wrap_socket(connection, server_side=True) if self._tls else connection)
        self._open.discard(connection)

    def _talk(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            while request := _read_request(reader):
                self.requests.append(request)
                answer = self.answers.popleft() if self.answers else self.default
                if not _write(connection, answer(request)):
                    break


def _write(connection: socket.socket, pieces: Iterable[object]) -> bool:
    for piece in pieces:
        if isinstance(piece, bytes):
            connection.sendall(piece)
            continue
        if piece is RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            connection.shutdown(socket.SHUT_RDWR)
        return False
    return True


def _read_request(reader) -> Received | None:
    line = reader.readline().decode("latin-1").strip()
    if not line:
        return None
    method, target, _ = line.split(" ", 2)
    headers = []
    while field_line := reader.readline().decode("latin-1").strip():
        name, _, value = field_line.partition(":")
        headers.append((name, value.strip()))
    received = Received(method, target, headers, b"")
    if "chunked" in (received.header("transfer-encoding") or ""):
        while size := int(reader.readline().split(b";")[0], 16):
            received.body += reader.read(size)
            reader.readline()
        reader.readline()
    else:
        received.body = reader.read(int(received.header("content-length") or 0))
    return received
