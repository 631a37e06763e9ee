"""A streamed answer folds to the content that a client puts into its history."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.canonical import stored_form
from gemtape.cassettes.folding import Answer, fold_answer, fold_events
from gemtape.cassettes.models import Chunk, Response
from tests.factories import SIGNATURE, call, sse, unary
from tests.strategies import HOSTILE, KEYS, values

SIGNED = {"thoughtSignature": SIGNATURE}


def event(*parts: Any, finish: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **more}


FC = call("f", {"a": 1})
FC_SIGNED = call("f", {"a": 1}, signature=SIGNATURE)
TEXT = {"text": "a"}
THOUGHT = {"text": "hm", "thought": True}
EMPTY = {"text": ""}
NO_PARTS = {"candidates": [{"content": {}, "finishReason": "STOP"}]}


@pytest.mark.parametrize(
    ("events", "parts"),
    [
        pytest.param([event(FC_SIGNED), event(EMPTY, finish="STOP")], [FC_SIGNED, EMPTY], id="call, empty text"),
        pytest.param([event(FC_SIGNED, finish="STOP")], [FC_SIGNED], id="call alone"),
        pytest.param([event(THOUGHT), event(FC_SIGNED), NO_PARTS], [THOUGHT, FC_SIGNED], id="thought, call, no parts"),
        pytest.param(
            [event(TEXT), event(TEXT), event({**EMPTY, **SIGNED}, finish="STOP")],
            [{"text": "aa"}, {**EMPTY, **SIGNED}],
            id="texts, signed empty text",
        ),
        pytest.param(
            [event(THOUGHT), event(THOUGHT), event({**TEXT, **SIGNED}), event(TEXT), event(TEXT, finish="STOP")],
            [{"text": "hmhm", "thought": True}, {**TEXT, **SIGNED}, {"text": "aa"}],
            id="2.5: thought, signed text, text",
        ),
        pytest.param(
            [
                event({"toolCall": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB"}, **SIGNED}),
                event({"toolResponse": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB"}, **SIGNED}),
                event(TEXT),
                event({**EMPTY, **SIGNED}, finish="STOP"),
            ],
            [
                {"toolCall": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB"}, **SIGNED},
                {"toolResponse": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB"}, **SIGNED},
                TEXT,
                {**EMPTY, **SIGNED},
            ],
            id="server-side tools",
        ),
        pytest.param([event(FC_SIGNED, FC), event(FC, finish="STOP")], [FC_SIGNED, FC, FC], id="parallel calls"),
        pytest.param([event(TEXT), event(SIGNED, finish="STOP")], [TEXT, SIGNED], id="signature alone"),
        pytest.param([event({**TEXT, "thought": False}), event(TEXT)], [{"text": "aa", "thought": False}], id="thought: false"),
        pytest.param([event({**TEXT, "x": 1}), event(TEXT)], [{**TEXT, "x": 1}, TEXT], id="unknown key in a part"),
        pytest.param(
            [
                event({"functionCall": {"name": "book", "willContinue": True}, **SIGNED}),
                event({"functionCall": {"partialArgs": [{"jsonPath": "$.city", "stringValue": "New "}], "willContinue": True}}),
                event({"functionCall": {"partialArgs": [{"jsonPath": "$.city", "stringValue": "Delhi"}], "willContinue": True}}),
                event({"functionCall": {}}, finish="STOP"),
            ],
            [{**call("book", {"city": "New Delhi"}), **SIGNED}],
            id="streamed arguments",
        ),
    ],
)  # fmt: skip
def test_stream_folds(events: list[Any], parts: list[Any]):
    answer = fold_answer(sse(*events))

    assert answer.content == {"parts": parts, "role": "model"}
    assert len(answer.contents) == len(events)
    assert answer.finish_reason == (
        "STOP" if any("finishReason" in item["candidates"][0] for item in events) else ""
    )


def test_unary_content_stays_the_very_content():
    content = {"role": "model", "parts": [TEXT, TEXT], "more": 1}

    assert fold_answer(unary({"candidates": [{"content": content}]})).content == content


def test_partial_arguments_in_one_event_are_folded():
    parts = [
        {"functionCall": {"name": "f", "willContinue": True}},
        {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}},
    ]
    assert fold_events([event(*parts)]).content == {"parts": [call("f", {"a": 1})], "role": "model"}


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(
            'data: {"response": %s, "traceId": "t"}\r\n\r\n', "text/event-stream", id="Code Assist stream"
        ),
        pytest.param('{"response": %s, "traceId": "t"}', "application/json", id="Code Assist"),
        pytest.param("[%s\n]", "application/json", id="JSON array"),
        pytest.param("%s", "application/json", id="unary"),
    ],
)
def test_wrappings(body: str, content_type: str):
    text = body % json.dumps(event(FC_SIGNED, finish="STOP"))
    response = Response(200, (("content-type", content_type),), (Chunk(1, text.encode()),))

    assert fold_answer(response).calls == [{"name": "f", "args": {"a": 1}}]


def test_only_the_first_candidate_counts():
    other = {"content": {"parts": [{"text": "other"}]}, "index": 1, "finishReason": "OTHER"}
    events = [
        {"candidates": [other, *event(TEXT)["candidates"]]},
        {"candidates": [other]},
        event(TEXT, finish="STOP"),
    ]
    answer = fold_events(events)

    assert answer.parts == [{"text": "aa"}]
    assert answer.finish_reason == "STOP"


def test_further_candidates_fold_on_their_own():
    """By their index, or by their place where they have none."""

    def candidate(text: str, index: int | None) -> dict[str, Any]:
        content = {"content": {"parts": [{"text": text}], "role": "model"}}
        return content if index is None else {**content, "index": index}

    indexed = fold_events(
        [
            {"candidates": [candidate("c", 2), candidate("a", 0), candidate("b", 1)]},
            {"candidates": [candidate("B", 1)]},
        ]
    )
    placed = fold_events([{"candidates": [candidate("a", None), candidate("b", None)]}] * 2)

    assert [other["parts"] for other in indexed.others] == [[{"text": "bB"}], [{"text": "c"}]]
    assert [other["parts"] for other in placed.others] == [[{"text": "bb"}]]
    assert placed.parts == [{"text": "aa"}]


def test_what_else_an_answer_says():
    answer = fold_events(
        [
            event(TEXT, modelVersion="gemini-3", usageMetadata={"totalTokenCount": 1}),
            {
                "usageMetadata": {"totalTokenCount": 2},
                "candidates": [{"finishReason": "MAX_TOKENS", "finishMessage": "cut"}],
            },
            {"promptFeedback": {"blockReason": "SAFETY"}},
            {"error": {"code": 503}},
        ]
    )
    assert answer.model_version == "gemini-3"
    assert answer.usage == {"totalTokenCount": 2}
    assert (answer.finish_reason, answer.finish_message) == ("MAX_TOKENS", "cut")
    assert answer.block_reason == "SAFETY"
    assert answer.error == {"code": 503}


def test_error_in_a_list_of_one():
    assert fold_answer(unary([{"error": {"code": 400}}], 400)).error == {"code": 400}


@pytest.mark.parametrize(
    "response",
    [None, Response(200), Response(200, (), (Chunk(1, b"\xff{["),))],
    ids=["none", "empty", "bytes"],
)
def test_nothing_to_read_folds_to_an_empty_answer(response: Response | None):
    answer = fold_answer(response)

    assert answer == Answer()
    assert answer.normal is None
    assert answer.parts == answer.calls == []


@pytest.mark.parametrize("depth", [100, 150, 300, 5000])
def test_deep_answers_fold_or_are_skipped(depth: int):
    """Whatever folds can be stored."""
    args = '{"a":' * depth + "1" + "}" * depth
    deep = f'{{"candidates": [{{"content": {{"parts": [{{"functionCall": {{"args": {args}}}}}]}}}}]}}'
    answer = fold_answer(Response(200, (), (Chunk(1, deep.encode()),)))

    stored_form([answer.content, answer.normal])
    assert bool(answer.calls) is (depth == 100)


def test_cut_stream_folds_what_came():
    whole = sse(event(TEXT), event(TEXT, finish="STOP"))
    cut = Response(200, whole.headers, (Chunk(1, whole.body[:-40]),), cut=True)

    assert fold_answer(cut).parts == [TEXT]


@pytest.mark.parametrize(
    "content", [{"parts": {"text": "a"}}, {"parts": [None, 1, {"functionCall": 1}]}, {"parts": "x"}]
)
def test_odd_contents_have_parts_all_the_same(content: Any):
    answer = fold_events([{"candidates": [{"content": content}]}])

    assert isinstance(answer.parts, list)
    assert answer.calls == []


@given(st.lists(HOSTILE | st.builds(event, values(st.text(), KEYS), HOSTILE), max_size=4))
def test_hostile_events_never_raise(events: list[Any]):
    """What folds can be stored, and the events stay as they were."""
    before = stored_form(events)
    answer = fold_events(events)

    stored_form([answer.content, answer.parts, answer.calls, answer.normal])
    assert stored_form(events) == before


CHAT = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
}


def test_a_chat_completion_is_kept_as_its_message_and_read_as_a_content():
    choices = [
        {"index": 0, "message": CHAT, "finish_reason": "tool_calls"},
        {"index": 1, "message": {"content": "Hi"}},
    ]
    answer = fold_answer(
        unary({"choices": choices, "model": "google/gemini-3-pro", "usage": {"prompt_tokens": 7}})
    )

    assert (answer.content, answer.others) == (CHAT, ({"content": "Hi"},))
    assert answer.calls == [{"id": "c", "name": "f"}]
    assert answer.variants[1] == {"role": "model", "parts": [{"text": "Hi"}]}
    assert (answer.finish_reason, answer.model_version) == ("STOP", "gemini-3-pro")
    assert answer.usage == {"promptTokenCount": 7}


def test_a_streamed_chat_completion_is_folded_and_an_error_in_it_counts():
    call = {"index": 0, **CHAT["tool_calls"][0]}
    events = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"total_tokens": 9}},
        {"error": {"code": 503}},
    ]
    answer = fold_answer(sse(*events))

    assert [value["name"] for value in answer.calls] == ["f"]
    assert (answer.finish_reason, answer.usage) == ("STOP", {"totalTokenCount": 9})
    assert answer.error == {"code": 503}


@pytest.mark.parametrize(
    ("events", "pieces"),
    [
        ([event(THOUGHT), event(FC_SIGNED), NO_PARTS], 2),
        ([{"choices": [{"delta": {"content": text}}]} for text in ("a", "b", "")], 2),
        ([{"choices": [{"index": 1, "delta": {"content": "a"}}]}, {"choices": [{"delta": CHAT}]}], 1),
        ([{"choices": [{"message": CHAT}]}], 1),
        ([], 0),
    ],
)
def test_how_many_events_held_something_of_the_content(events: list[Any], pieces: int):
    assert fold_events(events).pieces == pieces


def test_a_chat_completion_may_hold_nothing():
    assert fold_answer(unary({"choices": []})).variants == [None]
