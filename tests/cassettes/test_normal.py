"""One spelling for everything that the API reads as the same, and user data left alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from gemtape.cassettes.canonical import parse, stored_form
from gemtape.cassettes.endpoints import CHAT, CODE_ASSIST, CREATE_FILE
from gemtape.cassettes.fields import Message
from gemtape.cassettes.normal import normalise, normalise_base64, normalise_content, stripped
from gemtape.cassettes.schema import CONTENT, GENERATE, OPENAI_MESSAGE, SCHEMA, TOOL
from tests.strategies import BODIES

MESSAGES = [GENERATE, CODE_ASSIST, CHAT, CONTENT, TOOL, OPENAI_MESSAGE]


@pytest.mark.parametrize(
    ("message", "given_value", "normal"),
    [
        pytest.param(
            GENERATE,
            {"generation_config": {"max_output_tokens": 1, "thinking_config": {"include_thoughts": True}}},
            {"generationConfig": {"maxOutputTokens": 1, "thinkingConfig": {"includeThoughts": True}}},
            id="snake case",
        ),
        pytest.param(
            GENERATE,
            {"contents": {"parts": {"text": "a"}}},
            {"contents": [{"role": "user", "parts": [{"text": "a"}]}]},
            id="single objects",
        ),
        pytest.param(
            GENERATE,
            {
                "generationConfig": {"stopSequences": "x"},
                "toolConfig": {"functionCallingConfig": {"allowedFunctionNames": "f"}},
            },
            {
                "generationConfig": {"stopSequences": ["x"]},
                "toolConfig": {"functionCallingConfig": {"allowedFunctionNames": ["f"]}},
            },
            id="single scalars",
        ),
        pytest.param(CONTENT, {"role": "MODEL", "parts": []}, {"role": "model"}, id="role in upper case"),
        pytest.param(CONTENT, {"role": "", "parts": [{}]}, {"role": "user", "parts": [{}]}, id="empty role"),
        pytest.param(
            GENERATE,
            {
                "generationConfig": {},
                "tools": [],
                "systemInstruction": None,
                "labels": {},
                "cachedContent": None,
            },
            {},
            id="empty defaults",
        ),
        pytest.param(
            CONTENT,
            {"parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionCall": {"name": "f"}}]},
            id="empty args",
        ),
        pytest.param(
            TOOL,
            {"googleSearch": {}, "code_execution": {}},
            {"googleSearch": {}, "codeExecution": {}},
            id="empty oneof",
        ),
        pytest.param(
            CONTENT, {"parts": [{"text": ""}]}, {"role": "user", "parts": [{"text": ""}]}, id="empty text"
        ),
        pytest.param(
            GENERATE,
            {"generationConfig": {"temperature": 1.0, "topK": 40.0, "topP": 0.95}},
            {"generationConfig": {"temperature": 1, "topK": 40, "topP": 0.95}},
            id="whole floats",
        ),
        pytest.param(
            CONTENT,
            {"parts": [{"inlineData": {"data": "-_8="}}, {"thought_signature": "a-b_=="}]},
            {"role": "user", "parts": [{"inlineData": {"data": "+/8"}}, {"thoughtSignature": "a+b/"}]},
            id="base64",
        ),
        pytest.param(
            CREATE_FILE, {"file": {"size_bytes": "12"}}, {"file": {"sizeBytes": 12}}, id="int64 as text"
        ),
        pytest.param(
            SCHEMA,
            {"properties": {"max_items": {"max_items": "3", "any_of": [{"type": "STRING"}]}}},
            {"properties": {"max_items": {"maxItems": "3", "anyOf": [{"type": "STRING"}]}}},
            id="schema properties keep their names",
        ),
        pytest.param(
            SCHEMA,
            {"default": {}, "example": [], "properties": {"a": {}}},
            {"default": {}, "example": [], "properties": {"a": {}}},
            id="user data in schemas",
        ),
        pytest.param(
            GENERATE,
            {"labels": {"function_call": None, "generation_config": {}, "n": 3.0}},
            {"labels": {"function_call": None, "generation_config": {}, "n": 3}},
            id="labels",
        ),
        pytest.param(
            CONTENT,
            {
                "parts": [
                    {
                        "functionCall": {
                            "args": {"thought_signature": "a-b=", "function_call": {}, "x": [None, 2.0]}
                        }
                    }
                ]
            },
            {
                "role": "user",
                "parts": [
                    {
                        "functionCall": {
                            "args": {"thought_signature": "a-b=", "function_call": {}, "x": [None, 2]}
                        }
                    }
                ],
            },
            id="args",
        ),
        pytest.param(GENERATE, {"unknown_key": {"a": []}}, {"unknown_key": {"a": []}}, id="unknown keys"),
        pytest.param(
            OPENAI_MESSAGE,
            {"toolCalls": [], "tool_calls": {"id": "a"}},
            {"toolCalls": [], "tool_calls": [{"id": "a"}]},
            id="chat",
        ),
    ],
)
def test_normal_form(message: Message, given_value: Any, normal: Any):
    assert (
        normalise(given_value, message) == normal
        if message is not CONTENT
        else normalise_content(given_value) == normal
    )


@pytest.mark.parametrize(
    "value",
    [
        {"functionCall": {"name": "a"}, "function_call": {"name": "b"}},
        {"function_call": {"name": "b"}, "functionCall": {"name": "a"}},
    ],
    ids=["canonical first", "snake first"],
)
def test_both_spellings_of_one_field_stay_visible(value: dict[str, Any]):
    content = normalise_content({"parts": [value]})

    assert content["parts"] == [{"functionCall": {"name": "a"}, "function_call": {"name": "b"}}]
    assert stripped(content, CONTENT) == content


def test_null_leaves_room_for_the_other_spelling():
    assert normalise({"cachedContent": None, "cached_content": "c"}, GENERATE) == {"cachedContent": "c"}


@pytest.mark.parametrize("text", ["--5", "5-", "٣", "9" * 40, "", "-", "1.5", "0x1"])
def test_text_that_is_no_int64_stays_text(text: str):
    assert normalise({"sizeBytes": text}, CREATE_FILE.fields["file"].message) == {"sizeBytes": text}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "normal"),
    [
        (3.0, "3"),
        (-0.0, "0"),
        (2.5, "2.5"),
        (2.0**53 - 1, "9007199254740991"),
        (2.0**53, "9007199254740992.0"),
        (True, "true"),
    ],
)
def test_numbers_compare_by_value_as_far_as_floats_are_exact(number: float, normal: str):
    assert stored_form(normalise({"x": number}, GENERATE)) == f'{{"x":{normal}}}'.encode()


@pytest.mark.parametrize("value", [None, 1, "text", ["a"], True, 2.5])
def test_what_is_no_object_keeps_its_type(value: Any):
    assert normalise(value, GENERATE) == value
    assert normalise_content(value) == value


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("+/8=", "-_8"),
        ("-8==", "+8"),
        ("_8", "/8="),
        ("-_-_", "+/+/"),
        ("AAA==", "AAA"),
        ("", "=="),
        ("AAAA", "AAAA"),
    ],
)
def test_base64_of_the_same_bytes_is_the_same(text: str, same: str):
    assert normalise_base64(text) == normalise_base64(same)


def test_large_base64_is_not_copied_without_need():
    text = "QUJD" * 1000

    assert normalise_base64(text) is text


def test_stripped_of_what_is_random():
    content = {
        "role": "model",
        "parts": [
            {"functionCall": {"id": "a", "name": "f", "args": {"id": "user's"}}, "thoughtSignature": "AAAA"},
            {"functionResponse": {"id": "a", "name": "f", "response": {"thoughtSignature": "user's"}}},
            {"toolCall": {"id": "x", "toolType": "T"}},
        ],
    }
    assert stripped(content, CONTENT) == {
        "role": "model",
        "parts": [
            {"functionCall": {"name": "f", "args": {"id": "user's"}}},
            {"functionResponse": {"name": "f", "response": {"thoughtSignature": "user's"}}},
            {"toolCall": {"toolType": "T"}},
        ],
    }


def test_stripped_of_sessions():
    body = normalise(
        {
            "project": "p",
            "user_prompt_id": "u",
            "request": {"session_id": "s", "labels": {"sessionId": "kept"}},
        },
        CODE_ASSIST,
    )
    assert stripped(body, CODE_ASSIST) == {"request": {"labels": {"sessionId": "kept"}}}


def test_stripped_schema_properties_named_like_random_fields():
    """Names of properties are the user's, whatever they are."""
    schema = {"properties": {"id": {"type": "STRING"}, "thoughtSignature": {"type": "STRING"}}}

    assert stripped(schema, SCHEMA) == schema


@given(BODIES)
def test_any_value_has_a_normal_form_that_is_its_own_normal_form(value: Any):
    """And a match form, and both can be written; the value itself is not touched."""
    before = stored_form(value)
    for message in MESSAGES:
        normal = normalise(value, message)
        assert stored_form(normalise(normal, message)) == stored_form(normal)
        stored_form(stripped(normal, message))
    stored_form(stripped(normalise_content(value), CONTENT))
    assert stored_form(value) == before


@given(BODIES)
def test_key_order_does_not_show_in_the_normal_form(value: Any):
    assert stored_form(normalise(value, GENERATE)) == stored_form(
        normalise(parse(stored_form(value)), GENERATE)
    )


@pytest.mark.parametrize(
    "inner",
    ['{"items":%s}', '{"anyOf":%s}', '{"anyOf":[%s]}', '{"properties":{"a":%s}}', '{"enum":[%s]}'],
    ids=["items", "single object for a list", "list", "properties", "opaque"],
)
def test_the_deepest_schema_that_counts_as_json_has_a_normal_form(inner: str):
    """Lists around single objects make it deeper still; it can be written all the same."""
    text = "1"
    while parse(deeper := (inner % text).encode()):
        text = deeper.decode()
    schema = parse(text.encode())

    normal = normalise(schema, SCHEMA)

    assert stored_form(stripped(normal, SCHEMA)) == stored_form(normal)


@pytest.mark.parametrize("role", [0, False, [0]])
def test_a_role_that_is_no_text_stays_visible(role: Any):
    assert normalise_content({"role": role}) == {"role": role}
