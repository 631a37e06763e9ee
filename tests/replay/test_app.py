"""The ASGI application by itself: what it reads, what it sends, and what it does when the other side is odd."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import brotli
import pytest

from gemtape.cassettes.models import Exchange, Request, Response
from gemtape.replay.app import DROP, App
from gemtape.replay.deck import Deck
from tests.encodings import zstd
from tests.factories import cassette_of, exchange, model_text, sse, user

STREAM = "/v1beta/models/m:streamGenerateContent"
HELLO = exchange([user("hello")], model_text("hi"))
CUT = exchange([user("cut")], sse({"a": 1}, cut=True), path=STREAM)


@pytest.fixture
def deck(tmp_path: Path):
    opened = Deck(cassette_of(tmp_path / "run.db", [HELLO, CUT]))
    yield opened
    opened.close()


def scope_of(item=HELLO, *headers: tuple[bytes, bytes], **more: Any) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "POST",
        "raw_path": item.request.path.encode(),
        "query_string": item.request.query.encode(),
        "headers": [(b"content-type", b"application/json"), *headers],
        **more,
    }


def run(
    deck: Deck, scope: dict[str, Any], messages: Iterable[dict[str, Any]], bound: str | None = None
) -> list[dict[str, Any]]:
    """Run the application over some incoming messages; what it sent."""
    incoming = iter([*messages, {"type": "http.disconnect"}])
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return next(incoming)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(App(deck, bound_host=bound)(scope, receive, send))
    return sent


def pieces(body: bytes, *cuts: int) -> list[dict[str, Any]]:
    edges = [0, *cuts, len(body)]
    parts = [body[start:end] for start, end in pairwise(edges)]
    return [
        {"type": "http.request", "body": part, "more_body": at < len(parts)}
        for at, part in enumerate(parts, 1)
    ]


@pytest.mark.parametrize("cuts", [(), (5,), (1, 2, 30)])
def test_request_body_may_come_in_pieces(deck: Deck, cuts: tuple[int, ...]):
    sent = run(deck, scope_of(), pieces(HELLO.request.body, *cuts))

    assert HELLO.response
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[1] == {"type": "http.response.body", "body": HELLO.response.body, "more_body": False}


def test_message_without_a_body_is_an_empty_one(deck: Deck):
    (start, _) = run(deck, scope_of(raw_path=b"/v1beta/files"), [{"type": "http.request"}])

    assert start["status"] == 412


@pytest.mark.parametrize("came", [0, 1], ids=["at once", "in the middle"])
def test_client_that_leaves_before_its_request_ends_is_not_answered(deck: Deck, came: int):
    assert run(deck, scope_of(), pieces(HELLO.request.body, 5)[:came]) == []
    assert deck.verdicts().total() == 0


def test_cut_answer_is_left_open_and_the_connection_dropped(deck: Deck):
    dropped = []
    scope = scope_of(CUT, extensions={DROP: {"drop": lambda: dropped.append(1)}})

    sent = run(deck, scope, pieces(CUT.request.body))

    assert [message.get("more_body") for message in sent] == [None, True]
    assert dropped == [1]


def test_other_servers_get_a_cut_as_an_answer_without_an_end(deck: Deck):
    """They complain of it in their logs, and cut the connection."""
    sent = run(deck, scope_of(CUT), pieces(CUT.request.body))

    assert [message.get("more_body") for message in sent] == [None, True]


def status(deck: Deck, body: bytes, encoding: bytes) -> int:
    return run(deck, scope_of(HELLO, (b"content-encoding", encoding)), pieces(body))[0]["status"]


@pytest.mark.parametrize(
    ("encoding", "encode"),
    [
        (b"gzip", gzip.compress),
        (b"x-gzip", gzip.compress),
        (b" GZIP ", gzip.compress),
        (b"deflate", zlib.compress),
        (b"br", brotli.compress),
        (b"zstd", zstd),
        (b"br, gzip", lambda body: gzip.compress(brotli.compress(body))),
    ],
)
def test_encoding_is_taken_off_a_request(deck: Deck, encoding: bytes, encode: Callable[[bytes], bytes]):
    assert status(deck, encode(HELLO.request.body), encoding) == 200


def test_several_headers_say_several_encodings(deck: Deck):
    body = gzip.compress(zlib.compress(HELLO.request.body))
    scope = scope_of(HELLO, (b"content-encoding", b"deflate"), (b"content-encoding", b"gzip"))

    assert run(deck, scope, pieces(body))[0]["status"] == 200


def test_a_small_request_may_decode_to_much(deck: Deck):
    """What repeats itself is packed a thousand times smaller, and the recorder took it."""
    assert status(deck, gzip.compress(HELLO.request.body + b" " * 1_000_000), b"gzip") == 200


def test_request_that_was_cut_decodes_to_what_came(deck: Deck):
    """As it was recorded."""
    assert status(deck, gzip.compress(HELLO.request.body)[:-8], b"gzip") == 200


@pytest.mark.parametrize(
    "body",
    [HELLO.request.body, gzip.compress(bytes(20_000_000)), zlib.compress(HELLO.request.body)],
    ids=["plain", "bomb", "other"],
)
def test_request_that_is_not_gzip_as_it_says_is_taken_as_it_came(deck: Deck, body: bytes):
    assert status(deck, body, b"gzip") == (200 if body == HELLO.request.body else 412)


def test_unknown_encoding_is_left_alone(deck: Deck):
    assert status(deck, b"\x00\x01", b"dcb") == 412
    assert status(deck, HELLO.request.body, b"dcb") == 200


@pytest.mark.parametrize(
    ("bound", "host", "wanted"),
    [
        ("127.0.0.1", b"127.0.0.1:8090", 200),
        ("127.0.0.1", b"localhost:8090", 200),
        ("127.0.0.1", b"localhost:8090 \t", 200),
        ("127.0.0.1", b"rebound.example ", 403),
        ("127.0.0.1", b"", 200),
        ("127.0.0.1", b"rebound.example:8090", 403),
        ("127.0.0.1", b"\xff", 403),
        ("0.0.0.0", b"gemini:8090", 200),
        ("0.0.0.0", b"rebound.example", 403),
        (None, b"generativelanguage.googleapis.com", 200),
    ],
)
def test_only_names_of_the_listener_are_answered(deck: Deck, bound: str | None, host: bytes, wanted: int):
    """A web page may bind a name of its own to our address. In-process there is no listener to guard."""
    for _ in range(2):  # the second time it is remembered
        sent = run(deck, scope_of(HELLO, (b"host", host)), pieces(HELLO.request.body), bound)

        assert sent[0]["status"] == wanted


def test_a_second_host_header_does_not_hide_the_first(deck: Deck):
    scope = scope_of(HELLO, (b"host", b"rebound.example"), (b"host", b"localhost"))

    start, message = run(deck, scope, pieces(HELLO.request.body), "127.0.0.1")

    assert start["status"] == 403
    assert b"rebound.example" in message["body"]
    assert deck.lost == 1


KEPT = "https://generativelanguage.googleapis.com/upload/v1beta/files?upload_id=secret"
START = Exchange(
    Request("POST", "/upload/v1beta/files", body=b"{}"), Response(200, (("X-Goog-Upload-URL", KEPT),))
)


@pytest.mark.parametrize(
    ("more", "origin"),
    [
        ({"headers": [(b"host", b"localhost:1")]}, "http://localhost:1"),
        ({"headers": [(b"host", b"localhost:1 \t")]}, "http://localhost:1"),
        ({"headers": [(b"host", b"[::1]:2")], "scheme": "https"}, "https://[::1]:2"),
        ({"headers": [], "server": ("127.0.0.1", 3)}, "http://127.0.0.1:3"),
        ({"headers": [], "server": ("::1", 4)}, "http://[::1]:4"),
        ({"headers": [], "server": None}, "http://localhost"),
    ],
)
def test_an_upload_leads_back_to_where_its_client_came_in(tmp_path: Path, more: dict[str, Any], origin: str):
    deck = Deck(cassette_of(tmp_path / "run.db", [START]))
    start, _ = run(deck, scope_of(START, **more), pieces(b"{}"))
    deck.close()

    url = dict(start["headers"])[b"x-goog-upload-url"].decode()
    assert url.startswith(f"{origin}/upload/v1beta/files?upload_id=gemtape-")
