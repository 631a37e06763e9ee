"""A raw HTTP client: shows what is on the wire, chunk by chunk, and how a connection ends."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from gemtape.cassettes.models import Exchange, Request


@dataclass
class Seen:
    """An answer as it came: the pieces are HTTP chunks, or the one body of a content-length."""

    status: int
    headers: dict[str, str]
    pieces: list[bytes] = field(default_factory=list)
    complete: bool = False
    """Whether its end was said: a last chunk, or as many bytes as were promised."""

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


class Wire:
    """One connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._prefix = parts.path
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=30)
        self._file = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def ask(self, item: Exchange | Request, *headers: str) -> Seen:
        """Send a request and read its answer."""
        request = item.request if isinstance(item, Exchange) else item
        query = f"?{request.query}" if request.query else ""
        head = [
            f"{request.method} {self._prefix}{request.path}{query} HTTP/1.1",
            "host: localhost",
            *(
                f"{name}: {value}"
                for name, value in request.headers
                if name.lower() not in ("host", "content-length")
            ),
            f"content-length: {len(request.body)}",
            *headers,
        ]
        self.send("\r\n".join([*head, "", ""]).encode() + request.body)
        return self.read(request.method)

    def read(self, method: str = "POST") -> Seen:
        """Read one answer, as far as it comes; ConnectionError where nothing comes."""
        first = self._file.readline()
        if not first:
            raise ConnectionError("closed without an answer")
        seen = Seen(int(first.split()[1]), {})
        while (line := self._file.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            seen.headers[name.lower()] = value.strip()
        if method == "HEAD" or seen.status in (204, 304):
            seen.complete = True
        elif "content-length" in seen.headers:
            seen.pieces.append(self._file.read(int(seen.headers["content-length"])))
            seen.complete = len(seen.body) == int(seen.headers["content-length"])
        else:
            seen.complete = self._read_chunks(seen)
        return seen

    def ended(self) -> bool:
        """Whether the server closed the connection; waits until it says something."""
        return self._file.read(1) == b""

    def _read_chunks(self, seen: Seen) -> bool:
        while size := self._file.readline():
            length = int(size, 16)
            data = self._file.read(length + 2)
            if length == 0:
                return data == b"\r\n"
            seen.pieces.append(data[:-2])
        return False
