"""From a live exchange to an entry: secrets out, the body taken apart, text made storable."""

from __future__ import annotations

from dataclasses import replace

from .canonical import NOT_JSON, stored_form
from .entry import Entry
from .layout import Layout, is_exact, lay_out, with_value
from .models import Exchange, Request
from .redaction import Redactor
from .sent import SentHistory
from .texts import storable_headers, storable_url
from .turns import TurnTree
from .uploads import carries_file


def entry_of(exchange: Exchange, redactor: Redactor, tree: TurnTree) -> Entry:
    """An exchange without its secrets, its history among the turns of `tree`."""
    layout, raw_body = _taken_apart(exchange.request, redactor, tree)
    cleaned = redactor.exchange(replace(exchange, request=replace(exchange.request, body=b"")))
    request, response = cleaned.exchange.request, cleaned.exchange.response
    return Entry(
        method=storable_url(request.method),
        path=storable_url(request.path),
        query=storable_url(request.query),
        headers=storable_headers(request.headers),
        upstream=storable_url(request.upstream),
        layout=layout,
        raw_body=raw_body,
        response=response and replace(response, headers=storable_headers(response.headers)),
        failure=cleaned.exchange.failure,
        started_at=cleaned.exchange.started_at,
        duration_ms=cleaned.exchange.duration_ms,
        redacted_spans=cleaned.response_spans,
    )


def _taken_apart(request: Request, redactor: Redactor, tree: TurnTree) -> tuple[Layout, bytes | None]:
    """The body of a request without its secrets, and its bytes where the layout does not stand for them."""
    file = carries_file(request.path, request.query, request.headers)
    layout = None if file else _known_and_new(request, redactor, tree)
    if layout is not None and is_exact(layout, request.body):
        return layout, None
    clean = redactor.request(request)
    layout = lay_out(NOT_JSON if file else clean.json, tree)
    return layout, None if is_exact(layout, clean.body) else clean.body


def _known_and_new(request: Request, redactor: Redactor, tree: TurnTree) -> Layout | None:
    """The layout of a body with a history, of which only what is new is searched for secrets."""
    sent = SentHistory.of(request.json, redactor.tag())
    if sent is None:
        return None
    after = sent.known(tree)
    if after.depth:
        new = with_value(request.json, sent.place, sent.contents[after.depth :])
        searched = Request(request.method, request.path, body=stored_form(new))
        vars(searched)["json"] = new  # parsed already
    else:
        searched = request
    clean = redactor.json(searched)
    if clean is NOT_JSON:
        return None
    layout = lay_out(clean, tree, after)
    sent.remember(layout.history, tree)
    return layout
