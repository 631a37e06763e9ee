from __future__ import annotations

import base64

import pytest

from tests.checks.helpers import found, judge
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, weather
from tests.factories import model_text, user

RULE = "bypassed-signature"
SKIP = "skip_thought_signature_validator"
CONTEXT = "context_engineering_is_the_way_to_go"


def severity(value: str, **example: str) -> str:
    ((found_severity, place),) = found(judge([user("x"), weather(value), celsius()], **example), RULE)
    assert place.endswith("/contents/1/parts/0")
    return found_severity


@pytest.mark.parametrize("value", [SKIP, CONTEXT, "context_engineering_is_the_way to_go"])
@pytest.mark.parametrize(
    "encode", [str, base64.b64encode, base64.urlsafe_b64encode], ids=["raw", "base64", "url"]
)
def test_every_spelling_is_known_and_nothing_else_is_said_of_it(value: str, encode):
    sent = value if encode is str else encode(value.encode()).decode()
    violations = judge(([user("x"), weather(sent), celsius()], model_text("k")))

    assert [(item.rule, item.severity) for item in violations] == [(RULE, "info")]


@pytest.mark.parametrize(
    ("value", "surface", "expected"),
    [
        (SKIP, "gemini-api", "info"),
        (SKIP, "vertex", "info"),
        (SKIP, "code-assist", "info"),
        (CONTEXT, "gemini-api", "info"),
        (CONTEXT, "vertex", "error"),
        (CONTEXT, "code-assist", "error"),
    ],
)
def test_a_surface_that_does_not_document_the_value(value: str, surface: str, expected: str):
    assert severity(value, surface=surface) == expected


def test_models_before_3_take_anything():
    assert severity(CONTEXT, surface="vertex", model=FLASH_2) == "info"


def test_an_older_turn_is_not_looked_at():
    history = [user("x"), weather(CONTEXT), celsius(), model_text("A"), user("y")]

    assert found(judge(history, surface="vertex"), RULE) == []


def test_it_is_said_once():
    tape = Tape()
    history = [user("x"), weather(SKIP), celsius()]
    answer = tape.ask(history, weather(SIGNATURES[0], "Goa"))
    tape.ask([*history, answer, celsius()], model_text("k"))

    assert [item.exchange for item in tape.violations() if item.rule == RULE] == [1]


def test_the_message_tells_what_it_stands_for():
    tape = Tape()
    tape.ask([user("x")], weather(SIGNATURES[0]))
    tape.ask([user("x"), weather(SKIP), celsius()], model_text("k"))

    (item,) = tape.violations()
    assert item.message == (
        f"call get_weather carries {SKIP}: its signature is not validated; exchange 1 issued a signature with it"
    )
