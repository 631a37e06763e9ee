"""The stream callable of one answer: each piece to the client and into our hands, and the commit before the end of it.

mitmproxy calls it once per piece and once more with ``b""``; then it runs the `response` hook, then it writes the end
marker. So a stream's pieces pass as they come and its commit is made in that hook. A unary answer is held, and the
final call commits it before the client gets a byte of the body. A callable that raises hangs the client, and one that
returns ``b""`` writes a false end marker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mitmproxy import http

from ..cassettes.routes import Route

HELD: Final = 256 * 1024
"""Bytes up to which a unary answer is held; a longer one passes piece by piece like a stream."""
_BODILESS: Final = frozenset({204, 304})


class Tee:
    """Collects the pieces of one body, as they came, with milliseconds since the request began."""

    def __init__(self, clock: Callable[[], int], hold: int, commit: Callable[[], bool]) -> None:
        """Make the callable of one answer.

        Args:
            clock: milliseconds since the request began, from a clock that never jumps.
            hold: bytes to hold back at most; 0 passes every piece at once.
            commit: stores a held answer when it is complete; says whether the client may have it. Must not raise.
        """
        self.pieces: list[tuple[int, bytes]] = []
        self.ended = False
        self._clock = clock
        self._limit = hold
        self._held: list[bytes] | None = [] if hold else None
        self._size = 0
        self._commit = commit

    def __call__(self, data: bytes) -> list[bytes]:
        """Take a piece, or the end of the body (``b""``); gives what the client gets now."""
        if not data:
            return self._end()
        self.pieces.append((self._clock(), data))
        if self._held is None:
            return [data]
        self._held.append(data)
        self._size += len(data)
        if self._size <= self._limit:
            return []
        released, self._held = self._held, None
        return released

    def _end(self) -> list[bytes]:
        # mitmproxy 11 signals the end of an HTTP/2 body twice.
        if self.ended:
            return []
        self.ended = True
        held, self._held = self._held, None
        if held is None:
            return []
        return held if self._commit() else []


def has_body(request: http.Request, response: http.Response) -> bool:
    """Whether an answer can have a body at all; where it cannot, mitmproxy never calls a stream callable."""
    if request.method == "HEAD" or response.status_code in _BODILESS:
        return False
    return response.headers.get("content-length", "").strip() != "0"


def hold_limit(route: Route, response: http.Response) -> int:
    """How many bytes of an answer to hold: 0 for streams and for answers that are known to be long."""
    content_type = response.headers.get("content-type", "").lower()
    if route.streams or content_type.startswith("text/event-stream"):
        return 0
    length = response.headers.get("content-length", "")
    return 0 if length.isascii() and length.isdigit() and int(length) > HELD else HELD


def reframe(request: http.Request, response: http.Response, *, held: bool) -> None:
    """Give an answer a framing whose end waits for the commit, and whose cut shows.

    With a content-length the last byte is the end, and it would be on its way before anything could be stored; an
    answer that ends with the connection cannot show that it was cut. Both become chunked. A held answer with a
    content-length keeps it.
    """
    headers = response.headers
    if held and "content-length" in headers:
        return
    if not (request.is_http10 or request.is_http11):
        return  # HTTP/2 marks the end of every stream, after the commit
    chunked = "chunked" in headers.get("transfer-encoding", "").lower()
    if request.is_http10:
        # Chunks are unknown to it: the end of the connection has to do.
        headers.pop("content-length", None)
        headers.pop("transfer-encoding", None)
    elif not chunked:
        if "content-length" not in headers or response.is_http10:
            headers["connection"] = (
                "close"  # as the upstream's connection will; else ours to it would stay half open
            )
        headers.pop("content-length", None)
        headers["transfer-encoding"] = "chunked"
        if response.is_http10:
            response.http_version = "HTTP/1.1"
