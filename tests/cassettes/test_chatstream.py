"""The answer to a chat completion, whole or streamed, as the messages of its choices."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.chatstream import finish_of, folded_message, is_chat, messages_of, usage_of
from tests.factories import SIGNATURE
from tests.strategies import HOSTILE

SIGNED = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}


def delta(**piece: Any) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [piece]}


def whole(at: str, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    return {"id": at, "type": "function", "function": {"name": f"f{at}", "arguments": arguments}, **more}


A, B = whole("a", '{"x": 1}', **SIGNED), whole("b")


@pytest.mark.parametrize(
    "deltas",
    [
        [delta(**A, index=0), delta(**B, index=1)],
        [delta(**A), delta(**B)],
        [delta(**A, index=0), delta(**B, index=0)],
        [{"tool_calls": [{**A, "index": 0}, {**B, "index": 1}]}],
        [
            delta(index=0, id="a", type="function", function={"name": "fa", "arguments": ""}),
            delta(index=0, function={"arguments": '{"x":'}),
            delta(index=0, function={"arguments": " 1}"}, **SIGNED),
            delta(index=1, id="b", type="function", function={"name": "fb", "arguments": "{}"}),
        ],
        [
            delta(id="a", type="function", function={"name": "fa", "arguments": '{"x":'}),
            delta(function={"arguments": " 1}"}),
            delta(**SIGNED),
            delta(**B),
        ],
        [
            delta(index=0, id="a", type="function", function={"name": "fa"}),
            delta(index=1, **B),
            delta(index=0, id="a", function={"name": "fa", "arguments": '{"x": 1}'}),
            delta(index=0, **SIGNED),
        ],
    ],
    ids=["indices", "none", "all 0", "one delta", "pieces", "pieces without an index", "pieces mixed"],
)
def test_calls_are_put_together_however_they_came(deltas: list[dict[str, Any]]):
    assert folded_message([{"role": "assistant", "content": None}, *deltas, {}]) == {
        "role": "assistant",
        "tool_calls": [A, B],
    }


def test_calls_without_ids_are_told_apart_by_their_names():
    named = [{"function": {"name": "f", "arguments": text}} for text in ("{}", '{"x": 1}')]

    assert folded_message([delta(**named[0], index=0), delta(**named[1], index=0)])["tool_calls"] == named


def test_texts_are_joined_and_the_signature_comes_last():
    deltas = [
        {"content": "He"},
        {"content": "llo", "extra_content": {"google": {"thought": True}}},
        {"content": "", **SIGNED},
    ]

    assert folded_message(deltas) == {"role": "assistant", "content": "Hello", **SIGNED}


def test_a_message_for_every_choice_by_its_index():
    events = [
        {"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]},
        {"choices": [{"index": 1, "delta": {"content": "B"}}, None]},
        {"choices": []},
        {"usage": {}},
    ]

    assert [message["content"] for message in messages_of(events)] == ["a", "bB"]


def test_a_message_that_came_whole_stays_as_it_is():
    message = {"role": "assistant", "content": "Hi", "annotations": []}

    assert messages_of([{"choices": [{"index": 0, "message": message}]}]) == [message]


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("stop", "STOP"),
        ("tool_calls", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("content_filter: RECITATION", "RECITATION"),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("malformed_function_call", "MALFORMED_FUNCTION_CALL"),
        (None, ""),
        (7, ""),
    ],
)
def test_finish_reasons_in_the_words_of_generate_content(reason: Any, told: str):
    assert finish_of({"finish_reason": reason}) == told


def test_tokens_by_their_names_in_generate_content():
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 9, "other": {}}

    assert usage_of({"usage": usage}) == {
        "promptTokenCount": 3,
        "candidatesTokenCount": 4,
        "totalTokenCount": 9,
    }
    assert usage_of({"usage": None}) == usage_of({}) == {}


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"choices": []}, True),
        ({"choices": [], "candidates": []}, False),
        ({"choices": 7}, False),
        ({"candidates": []}, False),
        ([{"choices": []}], False),
    ],
)
def test_what_a_chat_completion_looks_like(event: Any, told: bool):
    assert is_chat(event) is told


@given(
    st.lists(HOSTILE | st.dictionaries(st.sampled_from(["content", "tool_calls", "extra_content"]), HOSTILE))
)
def test_any_deltas_are_put_together(deltas: list[Any]):
    events = [{"choices": [{"delta": item}]} for item in deltas]

    assert all(message["role"] == "assistant" for message in messages_of(events))
