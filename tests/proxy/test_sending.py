"""An answer of our own goes out with its headers and bytes as they are, and cut where it was cut."""

from __future__ import annotations

import pytest

from gemtape.cassettes.answers import Answer, recorded_answer, whole_answer
from gemtape.cassettes.models import Chunk, Response
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.proxy.sending import response_of
from tests.factories import SSE, exchange, sse, user

PIECES = (Chunk(1, b"one "), Chunk(2, b"two"))


def test_whole_answer_keeps_headers_body_and_length():
    response = response_of(whole_answer(429, (("content-type", "a/b"), ("x-own", "1")), b"busy"))

    assert (response.status_code, response.reason, response.raw_content) == (
        429,
        "Too Many Requests",
        b"busy",
    )
    assert list(response.headers.items()) == [
        ("content-type", "a/b"),
        ("x-own", "1"),
        ("content-length", "4"),
    ]


def test_pieces_of_a_stream_go_out_together():
    answer = recorded_answer(entry_of(exchange([user("a")], sse({"a": 1}, {"b": 2})), Redactor(), TurnTree()))

    response = response_of(answer)

    assert response.raw_content == b"".join(chunk.data for chunk in answer.chunks)
    assert response.headers["content-type"] == SSE[0][1]
    assert response.headers["content-length"] == str(len(response.raw_content))
    assert "connection" not in response.headers


def test_cut_answer_promises_more_than_it_has():
    response = response_of(Answer(200, ((b"content-type", b"text/event-stream"),), PIECES, cut=True))

    assert (response.raw_content, response.headers["content-length"]) == (b"one two", "8")
    assert response.headers["connection"] == "close"


def test_body_that_is_still_encoded_is_not_encoded_again():
    raw = Response(200, (("content-encoding", "gzip"),), (Chunk(1, b"\xff\xfe"),))
    answer = recorded_answer(entry_of(exchange([user("a")], raw), Redactor(), TurnTree()))

    response = response_of(answer)

    assert (response.raw_content, response.headers["content-encoding"]) == (b"\xff\xfe", "gzip")


@pytest.mark.parametrize("status", [204, 304])
def test_status_without_a_body_has_no_length(status: int):
    assert "content-length" not in response_of(Answer(status)).headers


@pytest.mark.parametrize(("status", "reason"), [(200, "OK"), (299, "")])
def test_reason_is_the_usual_one_where_there_is_one(status: int, reason: str):
    assert response_of(Answer(status)).reason == reason
