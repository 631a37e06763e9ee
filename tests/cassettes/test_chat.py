"""What a chat message stands for in generateContent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from gemtape.cassettes.canonical import stored_form
from gemtape.cassettes.chat import content_of, parts_of, role_of, signature_in, text_of
from tests.factories import SIGNATURE, call, result
from tests.strategies import HOSTILE

SIGNED = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def tool_call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def parts(message: Any, called: str | None = None) -> list[Any]:
    return [part for part, _ in parts_of(message, called)]


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("user", "user"),
        ("assistant", "model"),
        ("Assistant", "model"),
        ("model", "model"),
        ("tool", "user"),
        ("function", "user"),
        ("critic", "user"),
        (None, "user"),
    ],
)
def test_the_model_speaks_under_two_roles_and_everybody_else_is_the_user(role: str | None, told: str):
    assert content_of({"role": role, "content": "Hi"})["role"] == told


def test_an_answer_without_a_role_is_the_models():
    assert content_of({"content": "Hi"}, "model") == {"role": "model", "parts": [{"text": "Hi"}]}


def test_a_call_keeps_its_id_and_its_signature_and_its_arguments_are_read():
    message = {"role": "assistant", "content": None, "tool_calls": [tool_call("f", '{"a": 1}', **SIGNED)]}

    assert parts_of(message) == [(call("f", {"a": 1}, signature=SIGNATURE, id="c1"), ("tool_calls", 0))]


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ('{"a": [1, "x"]}', {"a": [1, "x"]}),
        ("", {}),
        (" \n", {}),
        (None, {}),
        ("null", {}),
        ("{}", {}),
        ('"{}"', "{}"),
        ("[1]", [1]),
        ('{"a": ', '{"a": '),
        ("\ud800", "\ud800"),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_arguments_are_json_written_as_text(arguments: Any, args: Any):
    [part] = parts({"role": "assistant", "tool_calls": [tool_call("f", arguments)]})

    assert part["functionCall"]["args"] == args


def test_the_signature_of_a_message_belongs_to_its_text():
    message = {"role": "assistant", "content": "Hi", "tool_calls": [tool_call("f", "{}")], **SIGNED}

    assert parts(message) == [{"text": "Hi", "thoughtSignature": SIGNATURE}, call("f", id="c1")]


def test_a_signature_without_a_text_stands_alone():
    message = {"role": "assistant", "content": None, "tool_calls": [tool_call("f", "{}")], **SIGNED}

    assert parts(message)[0] == {"text": "", "thoughtSignature": SIGNATURE}


@pytest.mark.parametrize(
    "value",
    [SIGNED, {"extra_content": {"vertex": {"thought_signature": SIGNATURE}}}],
    ids=["google", "vertex"],
)
def test_either_vendor_may_hold_the_signature(value: dict[str, Any]):
    assert signature_in(value) == SIGNATURE


@pytest.mark.parametrize(
    "value",
    [
        {},
        None,
        {"extra_content": None},
        {"extra_content": {"google": {"thought": True}}},
        {"extra_content": {"thought_signature": SIGNATURE}},
        {"thought_signature": SIGNATURE},
    ],
)
def test_a_signature_elsewhere_is_none(value: Any):
    assert signature_in(value) is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Hi", [{"text": "Hi"}]),
        ("", [{"text": ""}]),
        (None, [{"text": ""}]),
        ([], [{"text": ""}]),
        (7, [{"text": ""}]),
        (["Hi", {"type": "text", "text": "you"}], [{"text": "Hi"}, {"text": "you"}]),
        ([{"type": "text", "text": "Hi", **SIGNED}], [{"text": "Hi", "thoughtSignature": SIGNATURE}]),
        ([IMAGE, 7], [{"inlineData": IMAGE}]),
        ([{"type": "refusal", "refusal": "No."}], [{"text": "No."}]),
    ],
)
def test_contents_are_texts_or_lists_of_parts(content: Any, told: list[Any]):
    assert parts({"role": "user", "content": content}) == told


def test_a_refusal_is_what_a_message_says_that_says_nothing_else():
    assert parts({"role": "assistant", "content": None, "refusal": "No."}) == [{"text": "No."}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<thought>Hm.</thought>Yes.", [{"text": "Hm.", "thought": True}, {"text": "Yes."}]),
        (
            "<thought>a</thought><thought>b</thought>",
            [{"text": "a", "thought": True}, {"text": "b", "thought": True}],
        ),
        ("<thought>Hm.", [{"text": "<thought>Hm."}]),
        ("Yes. <thought>Hm.</thought>", [{"text": "Yes. <thought>Hm.</thought>"}]),
    ],
)
def test_thoughts_stand_between_tags_in_front_of_the_text(text: str, told: list[Any]):
    assert parts({"role": "assistant", "content": text}) == told
    assert parts({"role": "user", "content": text}) == [{"text": text}]


@pytest.mark.parametrize(
    ("content", "response"),
    [
        ('{"celsius": 21}', {"celsius": 21}),
        ("21", {"result": "21"}),
        ("[1, 2]", {"result": [1, 2]}),
        ('{"celsius": ', {"result": '{"celsius": '}),
        ([{"type": "text", "text": '{"celsius":'}, {"type": "text", "text": "21}"}], {"celsius": 21}),
        ({"celsius": 21}, {"celsius": 21}),
        (None, {"result": ""}),
    ],
)
def test_a_tools_message_is_a_response_by_the_name_of_its_call(content: Any, response: dict[str, Any]):
    message = {"role": "tool", "tool_call_id": "c1", "content": content}

    assert parts_of(message, "f") == [(result("f", response, id="c1"), ())]


def test_a_tools_message_may_lack_everything():
    assert parts({"role": "tool"}) == [{"functionResponse": {"response": {"result": ""}}}]
    assert parts({"role": "tool", "name": "f"})[0]["functionResponse"]["name"] == "f"


def test_calls_of_once_say_nothing():
    message = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}

    assert parts(message) == [{"text": ""}]


def test_the_text_of_a_content():
    assert text_of([{"type": "text", "text": "a"}, IMAGE, "b"]) == "ab"


@given(HOSTILE)
def test_any_value_stands_for_a_content_that_can_be_written(value: Any):
    for message in (
        value,
        {"role": "assistant", "content": value, "tool_calls": value},
        {"role": "tool", "content": value},
    ):
        content = content_of(message)

        assert content["parts"]
        assert stored_form(content)
        assert role_of(message) == role_of(json.loads(json.dumps(message)))
