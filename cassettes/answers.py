"""What is sent to a client, as plain values: an answer as it was recorded, or one of ours.

An exchange that ended before any answer came is replayed as the client met it while it was recorded: 502 where the
upstream refused or reset the connection, 504 where it took too long, both in Google's error shape; where it was the
client that left, nobody knows what it would have got, and the connection is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import orjson

from .advice import NO_RETRY, error_body
from .entry import Entry
from .models import Chunk, Failure, Headers, Response
from .uploads import URL_HEADERS

ByteHeaders = tuple[tuple[bytes, bytes], ...]

_JSON: Final = ("content-type", "application/json; charset=UTF-8")
# Framing is made anew for what is sent; the rest belongs to one connection, and the recorded one is long gone.
_DROPPED: Final = frozenset(
    {
        "connection",
        "content-length",
        "keep-alive",
        "proxy-authenticate",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_UPLOAD_HEADERS: Final = frozenset(name.encode() for name in URL_HEADERS)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_NOT_IN_A_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_BODYLESS: Final = frozenset({204, 304})
_BODY: Final = "http.response.body"
_FAILURES: Final = {
    Failure.REFUSED: (502, "the upstream could not be reached when this was recorded"),
    Failure.RESET: (502, "the upstream closed the connection without an answer when this was recorded"),
    Failure.TIMEOUT: (504, "the upstream did not answer in time when this was recorded"),
}


@dataclass(frozen=True)
class Answer:
    """What to send: a head, the pieces of the body in order, and whether to cut the connection after them.

    `status` 0 stands for no answer at all: the connection is dropped. Headers include a content-length where the body
    goes out whole, as one piece; without one it goes out chunked, one HTTP chunk for each piece. `pace` is a factor on
    the times of the pieces; 0 sends them at once.
    """

    status: int
    headers: ByteHeaders = ()
    chunks: tuple[Chunk, ...] = ()
    cut: bool = False
    pace: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Whether the body goes out in one piece, with its length in front."""
        return any(name == b"content-length" for name, _ in self.headers)

    def header(self, name: str) -> str | None:
        """The value of a header, by its name in lower case."""
        wanted = name.encode()
        return next((value.decode("latin-1") for key, value in self.headers if key == wanted), None)

    @cached_property
    def may_name_upload(self) -> bool:
        """Whether there is a header that names the URL of an upload, or could."""
        return any(name in _UPLOAD_HEADERS for name, _ in self.headers)

    @cached_property
    def waits_s(self) -> tuple[float, ...]:
        """How long to wait before each piece, in seconds."""
        times = [0, *(chunk.offset_ms for chunk in self.chunks)]
        return tuple(max(0, now - before) / 1000 * self.pace for before, now in pairwise(times))

    @cached_property
    def messages(self) -> tuple[dict[str, Any], ...]:
        """The ASGI messages that send it, made once and sent often; those of a cut answer lack the end."""
        if not self.status:
            return ()
        start = {"type": "http.response.start", "status": self.status, "headers": self.headers}
        pieces = [{"type": _BODY, "body": chunk.data, "more_body": True} for chunk in self.chunks]
        if not self.cut:
            last = pieces.pop() if pieces else {"type": _BODY, "body": b""}
            pieces.append({**last, "more_body": False})
        return start, *pieces


DROPPED: Final = Answer(0, cut=True)
"""The connection ends without a word."""


def recorded_answer(entry: Entry) -> Answer:
    """The answer of a recorded exchange: the same status, headers, bytes and pieces, cut where it was cut."""
    response = entry.response
    if response is None:
        failure = _FAILURES.get(entry.failure) if entry.failure else None
        return error_answer(failure[0], f"gemtape: {failure[1]}") if failure else DROPPED
    if not 200 <= response.status <= 599:
        words = f"exchange {entry.number} was recorded with status {response.status}, which cannot be sent"
        return error_answer(412, f"gemtape: {words}")
    pairs = response.headers if _is_encoded(response) else _without_encoding(response.headers)
    headers = _sendable(pairs)
    chunks = tuple(chunk for chunk in response.chunks if chunk.data)
    if response.cut or _streams(entry):
        return Answer(response.status, headers, chunks, response.cut)
    if entry.method == "HEAD" or response.status in _BODYLESS:
        return Answer(response.status, headers)
    ended_ms = chunks[-1].offset_ms if chunks else 0
    return whole_answer(response.status, pairs, response.body, ended_ms)


def error_answer(
    status: int, message: str, details: list[dict[str, Any]] | None = None, *, in_list: bool = False
) -> Answer:
    """An error of ours in Google's shape, marked as not worth a retry unless it stands for the upstream's failing.

    Args:
        status: the HTTP status.
        message: all that a person needs; many clients show nothing else.
        details: the same for programs.
        in_list: whether to wrap it into a list, as the API does for array streams.
    """
    body = error_body(status, message, details)
    pairs = (_JSON, NO_RETRY) if status < 500 else (_JSON,)
    return whole_answer(status, pairs, b"[" + body + b"]" if in_list else body)


def json_answer(value: Any) -> Answer:
    """A JSON value with status 200."""
    return whole_answer(200, (_JSON,), orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n")


def whole_answer(status: int, headers: Headers, body: bytes, offset_ms: int = 0) -> Answer:
    """An answer whose body goes out in one piece; `offset_ms` is when it came."""
    length = (b"content-length", str(len(body)).encode())
    return Answer(status, (*_sendable(headers), length), (Chunk(offset_ms, body),))


def _is_encoded(response: Response) -> bool:
    """Whether the body is still encoded, because it could not be decoded; a transcript may only say so."""
    if response.header("content-encoding") is None:
        return False
    try:
        response.body.decode()
    except UnicodeDecodeError:
        return True
    return False


def _without_encoding(headers: Headers) -> Headers:
    return tuple(pair for pair in headers if pair[0].lower() != "content-encoding")


def _streams(entry: Entry) -> bool:
    """Whether the pieces of the answer are events that a client waits for, rather than accidents of the network."""
    if entry.route.streams:
        return True
    kind = (entry.response.header("content-type") or "") if entry.response else ""
    return kind.partition(";")[0].strip().lower() == "text/event-stream"


def _sendable(headers: Headers) -> ByteHeaders:
    """Headers as bytes, lower case as every HTTP version takes them; without those that HTTP does not allow."""
    return tuple(
        (name.lower().encode(), value.strip().encode("latin-1" if _is_latin(value) else "utf-8"))
        for name, value in headers
        if name.lower() not in _DROPPED and _NAME.match(name) and not _NOT_IN_A_VALUE.search(value)
    )


def _is_latin(value: str) -> bool:
    return not value or max(value) <= "\xff"
