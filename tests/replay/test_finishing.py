"""An answer that ended for another reason is still one that the API could have sent."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from gemtape.cassettes.answers import Answer, recorded_answer
from gemtape.cassettes.events import parse_events
from gemtape.cassettes.folding import fold_events
from gemtape.cassettes.models import Chunk, Exchange, Response
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.replay.finishing import finished
from tests.factories import JSON, answer_body, call, calls, exchange, model_text, sse, unary, user

USAGE = {"promptTokenCount": 3}
STREAM = "/v1beta/models/m:streamGenerateContent"
ASSIST = "/v1internal:generateContent"
LOOK = calls(call("look", {"id": "A"}))


def ended(item: Exchange, reason: str) -> Answer:
    entry = entry_of(item, Redactor(), TurnTree())
    answer = finished(entry, recorded_answer(entry), reason)
    assert answer is not None
    return answer


def events(answer: Answer) -> list[Any]:
    return parse_events(b"".join(chunk.data for chunk in answer.chunks), answer.header("content-type"))


def test_half_of_a_text_comes_when_tokens_run_out():
    answer = ended(
        exchange([user("a")], unary(answer_body(model_text("0123456789"), usageMetadata=USAGE))), "MAX_TOKENS"
    )

    (event,) = events(answer)
    assert event["candidates"] == [{"content": model_text("01234"), "index": 0, "finishReason": "MAX_TOKENS"}]
    assert (event["usageMetadata"], event["responseId"]) == (USAGE, "r1")
    assert dict(answer.headers)[b"content-length"] == str(len(answer.chunks[0].data)).encode()


def test_call_is_lost_when_tokens_run_out():
    (event,) = events(ended(exchange([user("a")], LOOK), "MAX_TOKENS"))

    assert event["candidates"] == [{"content": {"role": "model"}, "index": 0, "finishReason": "MAX_TOKENS"}]


def test_malformed_call_leaves_no_content_and_names_the_call():
    (event,) = events(ended(exchange([user("a")], LOOK), "MALFORMED_FUNCTION_CALL"))

    assert event["candidates"] == [
        {
            "content": {},
            "index": 0,
            "finishReason": "MALFORMED_FUNCTION_CALL",
            "finishMessage": "Malformed function call: print(default_api.look(",
        }
    ]


@pytest.mark.parametrize("array", [False, True], ids=["sse", "array"])
def test_streams_stay_streams_of_their_form(array: bool):
    said = [answer_body(model_text(text)) for text in ("a", "b", "c")] + [
        answer_body(LOOK, usageMetadata=USAGE)
    ]
    data = b"[" + b",\r\n".join(map(orjson.dumps, said)) + b"]"
    response = Response(200, JSON, (Chunk(1, data[:9]), Chunk(2, data[9:]))) if array else sse(*said)
    item = exchange([user("a")], response, path=STREAM, query="" if array else "alt=sse")

    half, malformed = ended(item, "MAX_TOKENS"), ended(item, "MALFORMED_FUNCTION_CALL")

    folded = fold_events(events(half))
    assert (folded.content, folded.finish_reason, folded.usage) == (model_text("ab"), "MAX_TOKENS", USAGE)
    assert len(half.chunks) == 2
    assert len(events(malformed)) == 1
    for answer in (half, malformed):
        start = answer.chunks[0].data
        assert start.startswith(b"[{" if array else b"data: {")
        assert not answer.is_whole
        if array:
            orjson.loads(b"".join(chunk.data for chunk in answer.chunks))


def test_code_assist_answers_stay_wrapped():
    body = {"response": answer_body(LOOK), "traceId": "t"}
    item = exchange([], unary(body), path=ASSIST)

    (event,) = events(ended(item, "MALFORMED_FUNCTION_CALL"))

    assert event["traceId"] == "t"
    assert event["response"]["candidates"][0]["finishReason"] == "MALFORMED_FUNCTION_CALL"


@pytest.mark.parametrize(
    "value", [None, 1, [], [1], {}, {"candidates": []}, {"candidates": [1]}, {"response": 1}]
)
def test_answer_without_a_candidate_cannot_end_in_another_way(value: Any):
    entry = entry_of(exchange([user("a")], unary(value)), Redactor(), TurnTree())

    assert finished(entry, recorded_answer(entry), "MAX_TOKENS") is None
