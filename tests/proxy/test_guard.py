"""Requests that get no further than the door."""

from __future__ import annotations

import pytest
from mitmproxy import http

from gemtape.proxy.errors import Refused
from gemtape.proxy.guard import check_head, drop_hop_headers


def request(
    path: str = "/v1/models", method: str = "POST", headers: dict[str, str] | None = None, **changes: object
) -> http.Request:
    made = http.Request.make(method, "http://127.0.0.1:8090" + path, headers=headers or {})
    made.headers["host"] = (headers or {}).get("host", "127.0.0.1:8090")
    made.authority = ""
    for name, value in changes.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
def test_ordinary_request_passes(method: str):
    check_head(request("/some/prefix/v1beta/models/m:generateContent?key=%41&alt=sse", method), "127.0.0.1")


@pytest.mark.parametrize(
    ("made", "status", "words"),
    [
        (request(authority="generativelanguage.googleapis.com"), 400, "no forward proxy"),
        (request(headers={"host": "evil.example"}), 403, "evil.example"),
        (request(method="BREW"), 405, "BREW"),
        (request("/v1/" + "a" * 40_000), 414, "longer"),
        (request(headers={f"x-{n}": "1" for n in range(300)}), 431, "headers"),
        (request(headers={"x-large": "a" * 300_000}), 431, "headers"),
        (request(headers={"upgrade": "WebSocket"}), 501, "WebSocket"),
        (request("/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"), 501, "Live API"),
        (request("/v1beta/models/m:bidiGenerateContent?key=x"), 501, "Live API"),
    ],
)  # fmt: skip
def test_refused(made: http.Request, status: int, words: str):
    with pytest.raises(Refused, match=words) as raised:
        check_head(made, "127.0.0.1")

    assert raised.value.status == status


@pytest.mark.parametrize("character", [b"\x00", b"\x01", b"\t", b"\x7f", b"#", b"\xc3\xa4"])
def test_path_with_raw_characters_is_refused(character: bytes):
    made = request()
    made.data.path = b"/v1/models" + character

    with pytest.raises(Refused, match="percent-encoded"):
        check_head(made, "127.0.0.1")


def test_http2_names_its_host_in_the_authority():
    check_head(request(http_version="HTTP/2.0", authority="localhost:8090"), "127.0.0.1")
    with pytest.raises(Refused, match="evil"):
        check_head(request(http_version="HTTP/2.0", authority="evil.example"), "127.0.0.1")


def test_what_belongs_to_one_hop_stays_here():
    headers = http.Headers(
        [
            (b"Connection", b"Upgrade, HTTP2-Settings, Content-Length"),
            (b"Upgrade", b"h2c"),
            (b"HTTP2-Settings", b"AAMAAABk"),
            (b"TE", b"trailers"),
            (b"Proxy-Authorization", b"Basic x"),
            (b"Content-Length", b"2"),
            (b"x-goog-api-key", b"k"),
        ]
    )

    drop_hop_headers(headers)

    assert list(headers.keys()) == ["Content-Length", "x-goog-api-key"]


def test_wish_to_close_stays():
    headers = http.Headers(connection="TE, Close")

    drop_hop_headers(headers)

    assert dict(headers) == {"connection": "close"}


@pytest.mark.parametrize(
    "host",
    [
        "generativelanguage.googleapis.com",
        "GenerativeLanguage.googleapis.com:443",
        "generativelanguage.googleapis.com.",
        "Generativelanguage.googleapis.com.:443",
    ],
)
def test_request_in_a_tunnel_names_the_host_at_its_end(host: str):
    check_head(request(headers={"host": host}), "127.0.0.1", "generativelanguage.googleapis.com")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8090", "storage.googleapis.com", "generativelanguage.googleapis.com:80"]
)
def test_request_in_a_tunnel_that_names_another_host_is_refused(host: str):
    with pytest.raises(Refused, match="the connection was made to generativelanguage") as raised:
        check_head(request(headers={"host": host}), "127.0.0.1", "generativelanguage.googleapis.com")

    assert raised.value.status == 421
