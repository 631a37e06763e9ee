"""What was seen of an exchange becomes the value that is stored."""

from __future__ import annotations

import gzip

import pytest
from mitmproxy import http
from mitmproxy.connection import Client, Server
from mitmproxy.proxy.mode_specs import ProxyMode

from gemtape.cassettes.models import Failure
from gemtape.cassettes.routes import parse_route
from gemtape.proxy.recording import Recording, Stage, header_pairs
from gemtape.proxy.tee import Tee

DONE = b'data: {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]}\r\n\r\n'


@pytest.fixture
def recording():
    client = Client(
        peername=("127.0.0.1", 1), sockname=("127.0.0.1", 2), timestamp_start=0,
        proxy_mode=ProxyMode.parse("reverse:http://unrouted.invalid:80"),
    )  # fmt: skip
    flow = http.HTTPFlow(client, Server(address=None))
    flow.request = http.Request.make("POST", "http://x/", b"{}")
    headers = header_pairs(http.Headers(content_type="application/json"))
    path = "/v1beta/models/m:streamGenerateContent"
    return Recording(flow, "", path, "alt=sse", headers, "https://x", parse_route(path))


def answered(recording: Recording, *pieces: bytes, **headers: str) -> Recording:
    recording.take_request(recording.flow.request)
    response = http.Response.make(200, b"")
    response.headers = http.Headers(content_length="1", content_type="text/event-stream", **headers)
    recording.take_head(response)
    response.headers["content-type"] = "changed/later"
    recording.tee = Tee(recording.clock, 0, lambda: True)
    for piece in pieces:
        recording.tee(piece)
    return recording


def test_exchange_has_the_answer_as_the_upstream_gave_it(recording):
    exchange = answered(recording, b"data: 1\n\n", DONE).exchange(None)

    assert exchange.request.body == b"{}"
    assert exchange.response.headers == (("content-type", "text/event-stream"),)
    assert [chunk.data for chunk in exchange.response.chunks] == [b"data: 1\n\n", DONE]
    assert not exchange.response.cut
    assert exchange.started_at == recording.started_at


def test_exchange_without_answer(recording):
    exchange = recording.exchange(Failure.REFUSED)

    assert (exchange.response, exchange.failure) == (None, Failure.REFUSED)


def test_cut_gzip_keeps_what_can_be_decoded(recording):
    exchange = answered(recording, gzip.compress(DONE * 50)[:-20], content_encoding="gzip").exchange(
        Failure.RESET
    )

    assert (DONE * 50).startswith(exchange.response.body)
    assert exchange.response.header("content-encoding") is None
    assert exchange.response.cut


def test_body_that_cannot_be_decoded_keeps_its_encoding(recording):
    exchange = answered(recording, b"not gzip", content_encoding="gzip").exchange(None)

    assert exchange.response.body == b"not gzip"
    assert exchange.response.header("content-encoding") == "gzip"


@pytest.mark.parametrize(
    ("pieces", "complete"),
    [
        ((DONE,), True),
        ((b"data: {}\r\n\r\n", DONE.rstrip()), True),
        ((b"data: {}\r\n\r\ndata: [DONE]\r\n",), True),
        ((b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\r\n\r\n',), True),
        ((DONE[:-10],), False),
        ((b"data: {}\r\n\r\n",), False),
        ((), False),
    ],
)
def test_client_that_left_when_all_was_said_cut_nothing(recording, pieces, complete):
    exchange = answered(recording, *pieces).exchange(Failure.CLIENT_GONE)

    assert exchange.response.cut is not complete
    assert exchange.failure is (None if complete else Failure.CLIENT_GONE)


def test_upstream_that_broke_off_after_the_last_event_still_broke_off(recording):
    assert answered(recording, DONE).exchange(Failure.RESET).failure is Failure.RESET


@pytest.mark.parametrize(
    ("stage", "timed_out", "message", "failure"),
    [
        (Stage.CONNECTING, False, "[Errno 111] Connect call failed ('127.0.0.1', 1)", Failure.REFUSED),
        (Stage.CONNECTING, False, "Certificate verify failed: self-signed certificate", Failure.REFUSED),
        (Stage.CONNECTING, False, "client disconnected", Failure.CLIENT_GONE),
        (Stage.CONNECTING, True, "connection cancelled", Failure.TIMEOUT),
        (Stage.WAITING, False, "server closed connection", Failure.RESET),
        (Stage.WAITING, True, "server closed connection", Failure.TIMEOUT),
        (Stage.WAITING, False, "Client disconnected.", Failure.CLIENT_GONE),
        (Stage.RECEIVING, False, "HTTP/1 protocol error: peer closed connection", Failure.RESET),
        (Stage.RECEIVING, False, "Client disconnected.", Failure.CLIENT_GONE),
    ],
)
def test_failure_is_told_by_stage_and_message(recording, stage, timed_out, message, failure):
    recording.enter(stage)
    recording.timed_out = timed_out

    assert recording.failure(message) is failure


def test_headers_of_any_bytes_are_text():
    pairs = header_pairs(http.Headers([(b"X-A", b"\xff\xc3\xa4")]))

    assert pairs == (("X-A", "\xff\xc3\xa4"),)


def test_released_recording_holds_no_body(recording):
    answered(recording, DONE)
    recording.release()

    assert (recording.body, recording.tee.pieces) == (b"", [])
