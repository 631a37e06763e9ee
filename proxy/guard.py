"""Requests that are refused before anything else looks at them.

mitmproxy passes nearly everything on; what must not reach an upstream, a file name or a cassette is stopped here.
"""

from __future__ import annotations

import re
from typing import Final

from mitmproxy import http

from ..cassettes.advice import WEBSOCKET
from ..cassettes.astray import wants_websocket
from ..cassettes.hosts import host_allowed, host_refusal
from .errors import Refused

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
LONGEST_PATH: Final = 32_768
"""Bytes of path and query."""
MOST_FIELDS: Final = 256
LARGEST_HEAD: Final = 262_144
"""Bytes of header names and values."""

NO_FORWARD_PROXY: Final = (
    "this is no forward proxy: give the client the base URL of gemtape instead of setting HTTP_PROXY or HTTPS_PROXY, "
    "or record with --forward"
)

_NOT_IN_A_PATH = re.compile(r"[\x00-\x20\x7f#]|[^\x00-\x7f]")

# What belongs to one hop, and what mitmproxy cannot pass on: with `TE` a server may send trailers, which hang it, and
# Java's client offers h2c on every request, which would turn the connection into a raw tunnel.
_DROPPED: Final = (
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "te",
    "trailer",
    "upgrade",
    "http2-settings",
)


def check_head(request: http.Request, bound_host: str, tunnel: str = "") -> None:
    """Make sure that a request's head is one to work with.

    Args:
        request: the request as it came in, before it is routed.
        bound_host: the address or name that the listener was told to use; empty for all interfaces.
        tunnel: the host that the client believes to be connected to; empty where it is this listener.

    Raises:
        Refused: it is not.
    """
    if request.is_http10 or request.is_http11:
        if request.authority:
            raise Refused(400, NO_FORWARD_PROXY)
        host = request.headers.get("host", "")
    else:
        host = request.authority or request.headers.get("host", "")
    if tunnel and host and host.lower().removesuffix(":443").removesuffix(".") != tunnel:
        raise Refused(421, f"the Host header names {host[:60]!a}, and the connection was made to {tunnel}")
    if not tunnel and host and not host_allowed(host, bound_host):
        raise Refused(403, host_refusal(host, "proxy"))
    if request.method not in METHODS:
        raise Refused(405, f"method {request.method[:20]!a} is not part of the API")
    if len(request.path) > LONGEST_PATH:
        raise Refused(414, f"path and query are longer than {LONGEST_PATH} bytes")
    if len(request.headers.fields) > MOST_FIELDS or _size(request.headers) > LARGEST_HEAD:
        raise Refused(431, f"more than {MOST_FIELDS} headers, or more than {LARGEST_HEAD} bytes of them")
    if _NOT_IN_A_PATH.search(request.path):
        raise Refused(400, "the path holds characters that have to be percent-encoded")
    if wants_websocket(request.path.partition("?")[0], request.headers.get("upgrade")):
        raise Refused(501, WEBSOCKET)


def drop_hop_headers(headers: http.Headers) -> None:
    """Take out of a request what is not meant for the upstream; a wish to close stays, mitmproxy heeds it on both sides."""
    closes = "close" in [word.strip() for word in headers.get("connection", "").lower().split(",")]
    for name in _DROPPED:
        headers.pop(name, None)
    if closes:
        headers["connection"] = "close"


def _size(headers: http.Headers) -> int:
    return sum(len(name) + len(value) for name, value in headers.fields)
