"""One exchange as plain values: what was asked, what came back, and when.

Bodies are bytes as they passed (content-encoding removed). Values here are immutable; parsing is done once, on demand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from . import canonical

Headers = tuple[tuple[str, str], ...]
"""Header pairs in wire order; names keep their spelling."""


class Failure(StrEnum):
    """Why an answer is missing or incomplete."""

    REFUSED = "refused"
    """No connection to the upstream: refused, unresolvable, or TLS failed."""
    RESET = "reset"
    """The upstream closed before its answer was complete."""
    TIMEOUT = "timeout"
    """The upstream did not answer in time."""
    CLIENT_GONE = "client-gone"
    """The client left before the answer was complete."""


@dataclass(frozen=True)
class Request:
    """What the client sent.

    `path` is the API path without cassette prefix and without query; `query` is the raw query string without the
    question mark; `upstream` is the origin it was sent to (``https://host``), empty where unknown.
    """

    method: str
    path: str
    query: str = ""
    headers: Headers = ()
    body: bytes = b""
    upstream: str = ""

    @cached_property
    def json(self) -> Any:
        """The parsed body, or `canonical.NOT_JSON` where it does not parse or would not survive being stored."""
        return canonical.parse(self.body)

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return first_header(self.headers, name)


@dataclass(frozen=True)
class Chunk:
    """One piece of an answer's body as it arrived: milliseconds since the request began, and its bytes."""

    offset_ms: int
    data: bytes


@dataclass(frozen=True)
class Response:
    """What the client got: a head and the pieces of the body, in order.

    `cut` says that the body ended before the upstream meant it to.
    """

    status: int
    headers: Headers = ()
    chunks: tuple[Chunk, ...] = ()
    cut: bool = False

    @cached_property
    def body(self) -> bytes:
        """The pieces joined."""
        return b"".join(chunk.data for chunk in self.chunks)

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return first_header(self.headers, name)


@dataclass(frozen=True)
class Exchange:
    """One request and its answer: unary, streamed, or an error.

    `started_at` is unix time in seconds, `duration_ms` runs until the last byte. `number` counts from 1 within a
    cassette; 0 means that it was not stored yet. At least one of `response` and `failure` is there.
    """

    request: Request
    response: Response | None = None
    failure: Failure | None = None
    started_at: float = 0.0
    duration_ms: int = 0
    number: int = field(default=0, compare=False)

    @property
    def ended_at(self) -> float:
        """Unix time in seconds at which the last byte passed."""
        return self.started_at + self.duration_ms / 1000

    @property
    def status(self) -> int:
        """The answer's HTTP status, 0 where no answer came."""
        return self.response.status if self.response else 0


def first_header(headers: Headers, name: str) -> str | None:
    """The first value of the header called `name`, whatever its case."""
    lowered = name.lower()
    return next((value for key, value in headers if key.lower() == lowered), None)


@dataclass(frozen=True)
class Violation:
    """One finding of one rule at one place.

    `exchange` counts from 1. `at` is ``request`` or ``response``; `pointer` is a JSON Pointer into that body as sent,
    with keys in camelCase. `model` is the model the request named, `status` the HTTP status of the answer (0: none).
    """

    rule: str
    severity: str
    exchange: int
    at: str
    pointer: str
    message: str
    model: str = ""
    status: int = 0
