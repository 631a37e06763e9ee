"""An answer of our own making as mitmproxy sends it: whole, with its length, and cut where it was cut."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Final

from mitmproxy import http

from ..cassettes.answers import Answer

_BODILESS: Final = frozenset({204, 304})


def response_of(answer: Answer) -> http.Response:
    """A response that goes out with exactly these headers and bytes.

    One that was cut promises a byte more than it has and closes the connection, so that no client takes it for whole.

    Args:
        answer: with a status; without one there is nothing to send.
    """
    body = b"".join(chunk.data for chunk in answer.chunks)
    headers = http.Headers([pair for pair in answer.headers if pair[0] != b"content-length"])
    if answer.cut:
        headers["connection"] = "close"
    if answer.status not in _BODILESS:
        headers["content-length"] = str(len(body) + answer.cut)
    now = time.time()
    # Not by `make`, which would encode the body again where a header says that it is encoded.
    return http.Response(b"HTTP/1.1", answer.status, _reason(answer.status), headers, body, None, now, now)


def _reason(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""
