"""From a live exchange to an entry: secrets out, the body taken apart, text made storable."""

from __future__ import annotations

from dataclasses import replace

from .canonical import NOT_JSON
from .entry import Entry
from .layout import is_exact, lay_out
from .models import Exchange
from .redaction import Redactor
from .texts import storable_headers, storable_url
from .turns import TurnTree
from .uploads import carries_file


def entry_of(exchange: Exchange, redactor: Redactor, tree: TurnTree) -> Entry:
    """An exchange without its secrets, its history among the turns of `tree`."""
    cleaned = redactor.exchange(exchange)
    request, response = cleaned.exchange.request, cleaned.exchange.response
    file = carries_file(request.path, request.query, request.headers)
    layout = lay_out(NOT_JSON if file else request.json, tree)
    return Entry(
        method=storable_url(request.method),
        path=storable_url(request.path),
        query=storable_url(request.query),
        headers=storable_headers(request.headers),
        upstream=storable_url(request.upstream),
        layout=layout,
        raw_body=None if is_exact(layout, request.body) else request.body,
        response=response and replace(response, headers=storable_headers(response.headers)),
        failure=cleaned.exchange.failure,
        started_at=cleaned.exchange.started_at,
        duration_ms=cleaned.exchange.duration_ms,
        redacted_spans=cleaned.response_spans,
    )
