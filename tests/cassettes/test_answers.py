"""What is sent for a recorded exchange, and what gemtape answers by itself."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from gemtape.cassettes.answers import DROPPED, Answer, error_answer, json_answer, recorded_answer
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Chunk, Exchange, Failure, Response
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from tests.factories import JSON, SSE, exchange, sse, unary, user

STREAM = "/v1beta/models/m:streamGenerateContent"


def recorded(
    response: Response | None, failure: Failure | None = None, *, path: str = "", method: str = ""
) -> Entry:
    item = exchange([user("a")], path=path)
    request = replace(item.request, method=method or item.request.method)
    entry = entry_of(Exchange(request, response, failure), Redactor(), TurnTree())
    return replace(entry, number=3)


def test_unary_answer_goes_out_whole_with_its_length():
    """However many reads it took to come in."""
    response = Response(200, JSON, (Chunk(1, b'{"a":'), Chunk(2, b" 1}")))

    answer = recorded_answer(recorded(response))

    assert answer.headers == (
        (b"content-type", b"application/json; charset=UTF-8"),
        (b"content-length", b"8"),
    )
    assert [chunk.data for chunk in answer.chunks] == [b'{"a": 1}']
    assert not answer.cut


@pytest.mark.parametrize("path", [STREAM, "/v1beta/openai/chat/completions"])
def test_stream_keeps_its_pieces_and_has_no_length(path: str):
    response = sse({"a": 1}, {"b": 2})

    answer = recorded_answer(recorded(response, path=path))

    assert answer.chunks == response.chunks
    assert answer.headers == ((b"content-type", b"text/event-stream"),)


def test_array_stream_is_known_by_its_action():
    response = Response(200, JSON, (Chunk(1, b"[{}"), Chunk(2, b",\r\n{}]")))

    assert recorded_answer(recorded(response, path=STREAM)).chunks == response.chunks


@pytest.mark.parametrize("response", [sse({"a": 1}, cut=True), replace(unary({"a": 1}), cut=True)])
def test_cut_answer_promises_no_length_and_ends_in_a_cut(response: Response):
    answer = recorded_answer(recorded(response, Failure.RESET, path=STREAM))

    assert answer.cut
    assert answer.chunks == response.chunks
    assert b"content-length" not in dict(answer.headers)


def test_complete_answer_is_served_whole_although_the_client_left():
    assert not recorded_answer(recorded(sse({"a": 1}), Failure.CLIENT_GONE, path=STREAM)).cut


@pytest.mark.parametrize(
    ("failure", "status", "name"),
    [
        (Failure.REFUSED, 502, "UNAVAILABLE"),
        (Failure.RESET, 502, "UNAVAILABLE"),
        (Failure.TIMEOUT, 504, "DEADLINE_EXCEEDED"),
    ],
)
def test_upstream_that_did_not_answer_is_an_error_in_googles_shape(failure: Failure, status: int, name: str):
    answer = recorded_answer(recorded(None, failure))

    error = orjson.loads(answer.chunks[0].data)["error"]
    assert (answer.status, error["code"], error["status"]) == (status, status, name)
    assert error["message"].startswith("gemtape: the upstream ")
    assert b"x-should-retry" not in dict(answer.headers), "clients may retry it, as they would have"


def test_client_that_left_before_the_answer_gets_a_dropped_connection():
    assert recorded_answer(recorded(None, Failure.CLIENT_GONE)) is DROPPED


@pytest.mark.parametrize("status", [0, 101, 600, 999])
def test_status_that_cannot_be_sent_is_explained(status: int):
    answer = recorded_answer(recorded(Response(status)))

    assert answer.status == 412
    assert f"exchange 3 was recorded with status {status}".encode() in answer.chunks[0].data


@pytest.mark.parametrize(("status", "method"), [(200, "HEAD"), (204, "DELETE"), (304, "GET")])
def test_answer_that_has_no_body_has_no_length(status: int, method: str):
    answer = recorded_answer(recorded(Response(status, JSON), method=method))

    assert answer == Answer(status, ((b"content-type", b"application/json; charset=UTF-8"),))


def test_headers_that_would_break_http_are_left_out():
    """A transcript may hold anything; these names and values cannot be sent, or belong to another connection."""
    headers = (
        ("Content-Type", "text/plain"),
        ("content-length", "99"),
        ("Transfer-Encoding", "chunked"),
        ("content-encoding", "gzip"),
        ("bad name", "x"),
        ("x-line", "a\r\nset-cookie: b"),
        ("", "x"),
        ("Retry-After", " 5 "),
        ("x-latin", "é"),
        ("x-wide", "€"),
    )
    entry = replace(recorded(unary({})), response=Response(200, headers, (Chunk(0, b"ok"),)))

    assert recorded_answer(entry).headers == (
        (b"content-type", b"text/plain"),
        (b"retry-after", b"5"),
        (b"x-latin", b"\xe9"),
        (b"x-wide", "€".encode()),
        (b"content-length", b"2"),
    )


@pytest.mark.parametrize("path", [STREAM, "/v1beta/models/m:generateContent"])
def test_body_that_could_not_be_decoded_is_sent_with_its_encoding(path: str):
    response = Response(200, (("content-encoding", "zstd"),), (Chunk(0, b"\x28\xb5\x2f\xfd?"),))

    answer = recorded_answer(recorded(response, path=path))

    assert dict(answer.headers)[b"content-encoding"] == b"zstd"


def test_empty_pieces_are_left_out():
    """An empty HTTP chunk is the end of a body."""
    response = Response(200, SSE, (Chunk(1, b""), Chunk(2, b"data: 1\n\n"), Chunk(3, b"")))

    assert [c.data for c in recorded_answer(recorded(response, path=STREAM)).chunks] == [b"data: 1\n\n"]


def test_error_of_ours_is_not_worth_a_retry():
    answer = error_answer(412, "why", [{"@type": "x"}])

    assert dict(answer.headers)[b"x-should-retry"] == b"false"
    assert orjson.loads(answer.chunks[0].data) == {
        "error": {"code": 412, "message": "why", "status": "FAILED_PRECONDITION", "details": [{"@type": "x"}]}
    }


def test_error_goes_into_a_list_where_the_api_does_so():
    answer = error_answer(412, "why", in_list=True)

    assert [item["error"]["message"] for item in orjson.loads(answer.chunks[0].data)] == ["why"]
    assert dict(answer.headers)[b"content-length"] == str(len(answer.chunks[0].data)).encode()


def test_json_value():
    answer = json_answer({"a": 1})

    assert (answer.status, orjson.loads(answer.chunks[0].data)) == (200, {"a": 1})


def test_messages_send_each_piece_by_itself_and_end_the_answer():
    answer = Answer(200, (), (Chunk(0, b"a"), Chunk(1, b"b")))

    assert answer.messages == (
        {"type": "http.response.start", "status": 200, "headers": ()},
        {"type": "http.response.body", "body": b"a", "more_body": True},
        {"type": "http.response.body", "body": b"b", "more_body": False},
    )


def test_messages_of_an_answer_without_pieces_end_it():
    assert Answer(204).messages[1:] == ({"type": "http.response.body", "body": b"", "more_body": False},)


def test_messages_of_a_cut_answer_leave_its_end_open():
    answer = Answer(200, (), (Chunk(0, b"a"),), cut=True)

    assert [message.get("more_body") for message in answer.messages] == [None, True]
    assert DROPPED.messages == ()
