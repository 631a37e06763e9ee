"""Answers with other events, in the form that they came in."""

from __future__ import annotations

import json

import pytest

from gemtape.cassettes.answers import Answer, whole_answer
from gemtape.cassettes.models import Chunk
from gemtape.replay.reshaping import (
    body_of,
    candidate_of,
    events_of,
    in_form_of,
    inner_of,
    merged,
    parts_of,
    with_candidate,
)

EVENT = {"candidates": [{"content": {"parts": [{"text": "a"}]}}]}
OTHER = {"candidates": [{"content": {"parts": [{"text": "b"}]}}]}
JSON = (("content-type", "application/json"),)
SSE = ((b"content-type", b"text/event-stream"),)


def _stream(*pieces: bytes) -> Answer:
    return Answer(200, SSE, tuple(Chunk(10 * at, piece) for at, piece in enumerate(pieces)), cut=True)


def test_one_json_value():
    made = in_form_of(whole_answer(200, JSON, json.dumps(EVENT).encode(), 7), [OTHER])

    assert events_of(made) == [OTHER]
    assert made.header("content-length") == str(len(body_of(made)))
    assert made.chunks[0].offset_ms == 7


def test_a_stream_of_events_keeps_its_times_and_is_whole():
    made = in_form_of(_stream(b'data: {"a": 1}\n\n', b'data: {"a": 2}\n\n'), [EVENT, OTHER, OTHER])

    assert events_of(made) == [EVENT, OTHER, OTHER]
    assert [chunk.offset_ms for chunk in made.chunks] == [0, 10, 10]
    assert not made.cut


def test_the_end_of_a_chat_stream_stays():
    made = in_form_of(_stream(b'data: {"a": 1}\n\n', b"data: [DONE]\n\n"), [OTHER])

    assert body_of(made).endswith(b"data: [DONE]\r\n\r\n")
    assert events_of(made) == [OTHER]


def test_an_array():
    array = Answer(200, ((b"content-type", b"application/json"),), (Chunk(0, b"[{}"), Chunk(1, b",{}]")))

    made = in_form_of(array, [EVENT, OTHER])
    assert json.loads(body_of(made)) == [EVENT, OTHER]


def test_what_is_in_an_event():
    wrapped = {"response": EVENT, "traceId": "x"}

    assert candidate_of(wrapped) == candidate_of(EVENT) == EVENT["candidates"][0]
    assert parts_of(candidate_of(EVENT)) == [{"text": "a"}]
    assert inner_of(wrapped) == EVENT
    assert with_candidate(wrapped, {"index": 0}) == {
        "response": {"candidates": [{"index": 0}]},
        "traceId": "x",
    }
    assert merged(EVENT, {"usageMetadata": {}}) == {**EVENT, "usageMetadata": {}}


@pytest.mark.parametrize("odd", [None, [], "x", {}, {"candidates": {}}, {"candidates": [1]}, {"response": 3}])
def test_whatever_stands_for_an_event_is_read(odd: object):
    assert candidate_of(odd) == {}
    assert parts_of(candidate_of(odd)) == []
