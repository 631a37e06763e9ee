"""An exchange as a cassette sees it: its route, its body taken apart, its answer.

Live and stored exchanges become the same thing here, so that checks, matching and reports read one form. An entry has
passed redaction: it is what may be stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from . import canonical
from .folding import Answer, fold_answer
from .layout import Layout, assemble
from .models import Exchange, Failure, Headers, Request, Response
from .routes import Route, parse_route


@dataclass(frozen=True)
class Entry:
    """One exchange, taken apart.

    `raw_body` holds a request body that its stored form could not stand for, else None. `redacted_spans` are the byte
    ranges of the answer's body where a secret was replaced. `number` counts from 1; 0 means not stored yet.
    """

    method: str
    path: str
    query: str
    headers: Headers
    upstream: str
    layout: Layout
    raw_body: bytes | None
    response: Response | None
    failure: Failure | None
    started_at: float
    duration_ms: int
    redacted_spans: tuple[tuple[int, int], ...] = ()
    number: int = field(default=0, compare=False)

    @cached_property
    def route(self) -> Route:
        """Where the request goes."""
        return parse_route(self.path)

    @cached_property
    def answer(self) -> Answer:
        """What the answer says, streamed pieces folded."""
        return fold_answer(self.response)

    @property
    def model(self) -> str:
        """The model asked for: from the path, else from the body; empty where neither names one."""
        if self.route.model:
            return self.route.model
        envelope = self.layout.envelope.value if self.layout.envelope else None
        model = envelope.get("model") if isinstance(envelope, dict) else None
        return model.rpartition("/")[2] if isinstance(model, str) else ""

    @property
    def status(self) -> int:
        """The answer's HTTP status, 0 where none came."""
        return self.response.status if self.response else 0

    @property
    def size(self) -> int:
        """The bytes of both bodies."""
        return len(self.body()) + (len(self.response.body) if self.response else 0)

    @property
    def ended_at(self) -> float:
        """Unix time in seconds at which the last byte passed."""
        return self.started_at + self.duration_ms / 1000

    def numbered(self, number: int) -> Entry:
        """The same entry as it is stored, with what is known of it already."""
        twin = replace(self, number=number)
        vars(twin).update({name: vars(self)[name] for name in ("route", "answer") if name in vars(self)})
        return twin

    def body(self) -> bytes:
        """The request body: its stored form, or its bytes where it has none."""
        return canonical.stored_form(assemble(self.layout)) if self.raw_body is None else self.raw_body

    def exchange(self) -> Exchange:
        """The whole exchange as plain values."""
        request = Request(self.method, self.path, self.query, self.headers, self.body(), self.upstream)
        return Exchange(
            request, self.response, self.failure, self.started_at, self.duration_ms, number=self.number
        )
