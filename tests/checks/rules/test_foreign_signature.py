from __future__ import annotations

import pytest

from gemtape.checks.judge import Judge
from tests.chats import chat_exchange, whole
from tests.checks.helpers import entries, found
from tests.checks.tape import FLASH_2, OTHER, SIGNATURES, Tape, celsius, signed, weather
from tests.factories import answer_body, call, calls, exchange, model_text, result, results, unary, user

S1, S2, S3, S4 = SIGNATURES
RULE = "foreign-signature"
AT = [("warning", "/contents/1/parts/0")]


def test_of_another_conversation():
    tape = Tape()
    tape.ask([user("a")], weather(S1))
    tape.ask([user("b")], weather(S2))
    tape.ask([user("b"), weather(S1), celsius()], model_text("k"))

    assert tape.loud() == [(3, RULE, "warning", "/contents/1/parts/0")]
    assert tape.violations()[0].message == (
        "call get_weather carries a signature that exchange 1 issued in another conversation"
    )


def test_of_another_conversation_with_the_same_opening():
    tape = Tape()
    tape.ask([user("a")], weather(S1, "Goa"))
    tape.ask([user("a")], weather(S2))
    tape.ask([user("a"), weather(S1), celsius()], model_text("k"))

    assert tape.loud() == [(3, RULE, "warning", "/contents/1/parts/0")]


def test_a_whole_turn_of_another_conversation():
    """Whatever else its place has lost."""
    tape = Tape()
    tape.ask([user("a")], weather(S1))
    first = tape.ask([user("b")], weather(S2, "Goa"))
    tape.ask([user("b"), first, celsius(), weather(S1), celsius()], model_text("k"))

    assert found(tape.violations(), RULE) == [("warning", "/contents/3/parts/0")]


def test_of_another_model_in_the_current_turn():
    tape = Tape()
    first = tape.ask([user("a")], weather(S1))
    tape.ask([user("a"), first, celsius()], model_text("k"), model=OTHER)

    assert tape.loud() == [(2, RULE, "warning", "/contents/1/parts/0")]
    assert tape.violations()[0].message == (
        "call get_weather carries a signature that gemini-3-pro-preview issued in exchange 1; another model is asked"
    )


def test_of_another_model_in_an_older_turn_is_nothing():
    tape = Tape()
    first = tape.ask([user("a")], weather(S1))
    second = tape.ask([user("a"), first, celsius()], signed("31", S2))
    tape.ask([user("a"), first, celsius(), second, user("b")], model_text("k"), model=OTHER)

    assert tape.loud() == []


@pytest.mark.parametrize(
    ("issued_by", "asked"),
    [
        ("gemini-3-pro", "gemini-3-pro-preview"),
        ("gemini-3-pro-preview", "gemini-3-pro-preview-11-2025"),
        ("gemini-3-pro-preview", "gemini-pro-latest"),
        ("gemini-pro-latest", "gemini-3-pro-preview"),
    ],
)
def test_revisions_and_aliases_are_no_other_model(issued_by: str, asked: str):
    tape = Tape(issued_by)
    first = tape.ask([user("a")], weather(S1))
    tape.ask([user("a"), first, celsius()], model_text("k"), model=asked)

    assert tape.loud() == []


@pytest.mark.parametrize("asked", ["gemini-3-pro-image", "gemini-3.1-pro", "gemini-3-flash"])
def test_a_name_that_begins_alike_may_be_another_model(asked: str):
    tape = Tape("gemini-3-pro")
    first = tape.ask([user("a")], unary({**answer_body(weather(S1)), "modelVersion": "gemini-3-pro"}))
    tape.ask([user("a"), first and weather(S1), celsius()], model_text("k"), model=asked)

    assert found(tape.violations(), RULE) == AT


def test_the_model_that_an_alias_stood_for_is_the_same():
    tape = Tape("gemini-pro-latest")
    body = {**answer_body(weather(S1)), "modelVersion": OTHER}
    tape.ask([user("a")], unary(body))
    tape.ask([user("a"), weather(S1), celsius()], model_text("k"), model=OTHER)

    assert found(tape.violations(), RULE) == []


def test_of_another_surface():
    tape = Tape()
    first = tape.ask([user("a")], weather(S1))
    second = tape.ask([user("a"), first, celsius()], signed("31", S2))
    tape.ask([user("a"), first, celsius(), second, user("b")], model_text("k"), surface="vertex")

    assert tape.loud() == [
        (3, RULE, "warning", "/contents/1/parts/0"),
        (3, RULE, "warning", "/contents/3/parts/0"),
    ]
    assert "gemini-api issued in exchange 1; it is sent to vertex" in tape.violations()[0].message


def test_a_refusal_that_nothing_else_explains_settles_it():
    tape = Tape()
    first = tape.ask([user("a")], weather(S1))
    tape.ask([user("a"), first, celsius()], None, status=400, surface="vertex")

    assert found(tape.violations(), RULE) == [("error", "/contents/1/parts/0")]


def test_of_unknown_origin_is_nothing():
    tape = Tape()
    tape.ask([user("a"), weather(S1), celsius()], model_text("k"))

    assert tape.loud() == []


def test_judged_as_another_model_the_recorded_one_counts():
    tape = Tape()
    first = tape.ask([user("a")], weather(S1))
    tape.ask([user("a"), first, celsius()], model_text("k"))

    assert tape.loud(as_model="gemini-3.6-flash") == []


def test_models_before_3_look_at_none():
    tape = Tape(FLASH_2)
    tape.ask([user("a")], weather(S1))
    tape.ask([user("b")], weather(S2))
    tape.ask([user("b"), weather(S1), celsius()], model_text("k"))

    assert found(tape.violations(), RULE) == [("info", "/contents/1/parts/0")]


def test_the_documented_value_is_nobodys():
    tape = Tape()
    value = "skip_thought_signature_validator"
    tape.ask([user("a"), weather(value), celsius()], model_text("k"))
    tape.ask([user("b"), weather(value), celsius()], model_text("k"), model=OTHER)

    assert tape.loud() == []


def test_chat_completions_are_another_way_to_ask_the_same_api():
    """What Vertex issued is foreign to the Gemini API there, too."""
    made = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    made["extra_content"] = {"google": {"thought_signature": S1}}
    message = {"role": "assistant", "tool_calls": [made]}
    question = {"role": "user", "content": "a"}
    history = [user("a"), calls(call("f", signature=S1, id="c1")), results(result("f", {}, id="c1"))]
    paths = (
        "/v1beta/openai/chat/completions",
        "/v1/projects/p/locations/l/endpoints/openapi/chat/completions",
    )
    for path, told in zip(paths, ([], AT), strict=True):
        judge = Judge()
        asked = [chat_exchange([question], whole(message), path=path), exchange(history, at=2.0)]

        assert found([item for entry in entries(asked) for item in judge.judge(entry)], RULE) == told
