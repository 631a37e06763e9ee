"""Pieces reach the client and the cassette; held ones only after the commit."""

from __future__ import annotations

import itertools

import pytest
from mitmproxy import http

from gemtape.cassettes.routes import parse_route
from gemtape.proxy.tee import HELD, Tee, has_body, hold_limit, reframe

UNARY = parse_route("/v1beta/models/m:generateContent")
STREAM = parse_route("/v1beta/models/m:streamGenerateContent")


class Commits:
    def __init__(self, result: bool = True) -> None:
        self.count = 0
        self.result = result

    def __call__(self) -> bool:
        self.count += 1
        return self.result


def tee(hold: int, commits: Commits) -> Tee:
    return Tee(itertools.count(10, 5).__next__, hold, commits)


def test_stream_passes_as_it_comes_and_is_kept():
    commits = Commits()
    stream = tee(0, commits)

    assert [stream(b"a"), stream(b"b"), stream(b"")] == [[b"a"], [b"b"], []]
    assert stream.pieces == [(10, b"a"), (15, b"b")]
    assert commits.count == 0


def test_held_answer_is_released_whole_by_its_commit():
    commits = Commits()
    held = tee(100, commits)

    assert [held(b"a"), held(b"b")] == [[], []]
    assert commits.count == 0
    assert held(b"") == [b"a", b"b"]
    assert commits.count == 1


def test_held_answer_that_cannot_be_committed_is_not_released():
    held = tee(100, Commits(result=False))
    held(b"a")

    assert held(b"") == []


def test_held_answer_grown_long_goes_on_as_a_stream():
    commits = Commits()
    held = tee(3, commits)

    assert [held(b"ab"), held(b"cd"), held(b"ef"), held(b"")] == [[], [b"ab", b"cd"], [b"ef"], []]
    assert [piece for _, piece in held.pieces] == [b"ab", b"cd", b"ef"]
    assert commits.count == 0, "the response hook commits it"


def test_second_end_is_nothing():
    """Mitmproxy 11 signals the end of an HTTP/2 body twice."""
    commits = Commits()
    held = tee(100, commits)
    held(b"a")
    held(b"")

    assert held(b"") == []
    assert commits.count == 1


def test_no_piece_is_ever_empty():
    """An empty piece would be a false end marker."""
    held = tee(100, Commits())

    assert held(b"") == []


def answer(status: int = 200, version: str = "HTTP/1.1", **headers: str) -> http.Response:
    made = http.Response.make(status, b"")
    made.http_version = version
    made.headers = http.Headers(**headers)
    return made


def request(method: str = "POST", version: str = "HTTP/1.1") -> http.Request:
    made = http.Request.make(method, "http://x/")
    made.http_version = version
    return made


@pytest.mark.parametrize(
    ("route", "headers", "limit"),
    [
        (UNARY, {}, HELD),
        (UNARY, {"content_length": "10"}, HELD),
        (UNARY, {"content_length": str(HELD + 1)}, 0),
        (UNARY, {"content_type": "text/event-stream; charset=utf-8"}, 0),
        (STREAM, {"content_type": "application/json"}, 0),
        (STREAM, {"content_length": "10"}, 0),
    ],
)
def test_what_is_held(route, headers: dict[str, str], limit: int):
    assert hold_limit(route, answer(**headers)) == limit


@pytest.mark.parametrize(
    ("asked", "given", "has"),
    [
        (request(), answer(), True),
        (request("HEAD"), answer(content_length="10"), False),
        (request(), answer(204), False),
        (request(), answer(304), False),
        (request(), answer(content_length="0"), False),
        (request(), answer(500), True),
    ],
)
def test_what_has_a_body(asked: http.Request, given: http.Response, has: bool):
    assert has_body(asked, given) is has


@pytest.mark.parametrize(
    ("asked", "given", "held", "headers"),
    [
        (request(), answer(content_length="10"), True, {"content-length": "10"}),
        (request(), answer(content_length="10"), False, {"transfer-encoding": "chunked"}),
        (request(), answer(transfer_encoding="chunked"), False, {"transfer-encoding": "chunked"}),
        (request(), answer(transfer_encoding="chunked"), True, {"transfer-encoding": "chunked"}),
        (request(), answer(), True, {"transfer-encoding": "chunked", "connection": "close"}),
        (request(), answer(content_length="10", version="HTTP/1.0"), False, {"transfer-encoding": "chunked", "connection": "close"}),
        (request(version="HTTP/1.0"), answer(transfer_encoding="chunked"), False, {}),
        (request(version="HTTP/1.0"), answer(content_length="10"), False, {}),
        (request(version="HTTP/1.0"), answer(content_length="10"), True, {"content-length": "10"}),
        (request(version="HTTP/2.0"), answer(content_length="10"), False, {"content-length": "10"}),
    ],
)  # fmt: skip
def test_framing(asked: http.Request, given: http.Response, held: bool, headers: dict[str, str]):
    reframe(asked, given, held=held)

    assert dict(given.headers) == headers
    assert "chunked" not in given.headers.values() or given.http_version == "HTTP/1.1"
