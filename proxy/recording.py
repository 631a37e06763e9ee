"""One exchange while it passes: what was seen of it so far, and the stored value it becomes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from ..cassettes.decoding import CannotDecode, decode_pieces
from ..cassettes.events import parse_events
from ..cassettes.folding import fold_events
from ..cassettes.models import Chunk, Exchange, Failure, Headers, Request, Response
from ..cassettes.routes import Route

if TYPE_CHECKING:
    from mitmproxy import connection, http

    from .tape import Tape
    from .tee import Tee

_FRAMING: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_CLIENT_LEFT: Final = "client disconnected"


class Stage(Enum):
    """What an exchange is waiting for."""

    WAITING = auto()
    """The first byte of the answer."""
    CONNECTING = auto()
    """A connection to the upstream, TLS included."""
    RECEIVING = auto()
    """The rest of the answer."""


@dataclass(eq=False, slots=True)
class Recording:
    """One request on its way to the upstream, and its answer as far as it came."""

    flow: http.HTTPFlow
    name: str
    api_path: str
    query: str
    headers: Headers
    upstream: str
    route: Route
    session: str = ""
    origin: str = ""
    """Scheme, host and port by which the client came; empty where it knows of no door."""
    prefix: str = ""
    """What stood in front of the API's path, as the client sent it."""
    started_at: float = field(default_factory=time.time)
    began: float = field(default_factory=time.monotonic)
    tape: Tape | None = None
    body: bytes = b""
    stage: Stage = Stage.WAITING
    active: float = 0.0
    """When something last happened, on the monotonic clock."""
    server: connection.Server | None = None
    """The connection being opened for this request; None where an open one serves it."""
    timed_out: bool = False
    status: int = 0
    answer_headers: Headers = ()
    head_ms: int = 0
    tee: Tee | None = None
    settled: bool = False
    """Whether it was stored, left out on purpose, or given up."""
    rejected: bool = False
    """Whether it could not be stored, so that the client must not take the answer for whole."""

    def __post_init__(self) -> None:
        self.active = self.began

    def clock(self) -> int:
        """Milliseconds since the request began; counts as a sign of life."""
        self.active = time.monotonic()
        return int((self.active - self.began) * 1000)

    def enter(self, stage: Stage) -> None:
        """Go on to another stage."""
        self.stage = stage
        self.active = time.monotonic()

    def take_request(self, request: http.Request) -> None:
        """Keep the request's body, content-encoding removed."""
        self.enter(Stage.WAITING)
        body = request.raw_content or b""
        encoding = request.headers.get("content-encoding", "")
        if body and encoding:
            try:
                body = b"".join(decode_pieces([body], encoding))
                self.headers = _without(self.headers, _FRAMING)
            except CannotDecode:
                pass  # kept as it came; the header beside it says how
        self.body = body

    def take_head(self, response: http.Response) -> None:
        """Keep the answer's status and headers, before anything is changed in them."""
        self.head_ms = self.clock()
        self.stage = Stage.RECEIVING
        self.status = response.status_code
        self.answer_headers = header_pairs(response.headers)

    def failure(self, message: str) -> Failure:
        """Why the exchange ended early, from the message of mitmproxy's error."""
        if self.timed_out:
            return Failure.TIMEOUT
        if message.lower().startswith(_CLIENT_LEFT):
            return Failure.CLIENT_GONE
        return Failure.REFUSED if self.stage is Stage.CONNECTING else Failure.RESET

    def exchange(self, failure: Failure | None) -> Exchange:
        """The exchange as it is stored.

        A client that left once the answer had said everything (its finish reason, ``[DONE]``) cut nothing that matters:
        SDKs do so as a habit.
        """
        duration = self.clock()
        response = self._response(cut=failure is not None)
        if failure is Failure.CLIENT_GONE and response is not None and _says_it_is_done(response):
            failure = None
            response = Response(response.status, response.headers, response.chunks)
        return Exchange(self.request(), response, failure, self.started_at, duration)

    def request(self) -> Request:
        """What the client sent."""
        return Request(
            self.flow.request.method, self.api_path, self.query, self.headers, self.body, self.upstream
        )

    def release(self) -> None:
        """Let go of the bodies; flow, tee and recording refer to each other, and a cycle lives until it is collected."""
        self.body = b""
        if self.tee:
            self.tee.pieces = []

    def _response(self, *, cut: bool) -> Response | None:
        if not self.status:
            return None
        offsets = [offset for offset, _ in self.tee.pieces] if self.tee else []
        pieces = [piece for _, piece in self.tee.pieces] if self.tee else []
        headers = self.answer_headers
        encoding = ",".join(value for name, value in headers if name.lower() == "content-encoding")
        try:
            pieces = decode_pieces(pieces, encoding)
            headers = _without(headers, _FRAMING)
        except CannotDecode:
            headers = _without(headers, _FRAMING - {"content-encoding"})
        chunks = tuple(Chunk(offset, data) for offset, data in zip(offsets, pieces, strict=True) if data)
        return Response(self.status, headers, chunks, cut=cut)


def header_pairs(headers: http.Headers) -> Headers:
    """Headers as text; every byte has a character in Latin-1, so nothing is lost and nothing fails."""
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.fields)


def _without(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple(pair for pair in headers if pair[0].lower() not in names)


def _says_it_is_done(response: Response) -> bool:
    body = response.body
    if body.rstrip().endswith(b"data: [DONE]"):
        return True
    answer = fold_events(parse_events(body, response.header("content-type")))
    return bool(answer.finish_reason or answer.block_reason)
