"""Calls that ran though their arguments did not fit."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.unvalidated_call import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

ASK = user("Weather in Pune?")
SCHEMA = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING"},
        "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
        "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city"],
}
TOOLS = [{"functionDeclarations": [{"name": "forecast", "description": "x", "parameters": SCHEMA}]}]
RAN = {"temperatures": [24, 26, 25]}


def _conversation(args: Any, response: Any = RAN, sent: Any = None) -> list[Any]:
    """A call with these arguments and its result; `sent` is what the client makes of the call in its history."""
    issued = calls(call("forecast", args, signature=SIGNATURE))
    returned = calls(call("forecast", args if sent is None else sent, signature=SIGNATURE))
    return [
        ([ASK], issued),
        ([ASK, returned, results(result("forecast", response))], model_text("Warm.")),
    ]


@pytest.mark.parametrize(
    ("args", "severity"),
    [
        ({"city": "Pune", "unit": "kelvin"}, "error"),
        ({"city": "Pune", "days": 14}, "error"),
        ({"days": 3}, "error"),
        ({"city": "Pune", "days": "soon"}, "error"),
        ({"city": "Pune", "days": "14"}, "error"),
        ({"city": "Pune", "days": "3"}, "warning"),
        ({"city": "Pune", "days": None}, "warning"),
        ({"city": "Pune", "days": "3", "unit": "kelvin"}, "error"),
    ],
    ids=str,
)
@pytest.mark.parametrize("surface", ["gemini-api", "vertex", "code-assist"])
def test_it_stands_on_the_response(args: dict, severity: str, surface: str):
    violations = judge(*_conversation(args), tools=TOOLS, surface=surface)

    prefix = "/request" if surface == "code-assist" else ""
    assert found(violations, NAME) == [(severity, f"{prefix}/contents/2/parts/0")]
    assert [item.exchange for item in violations if item.rule == NAME] == [2]


@pytest.mark.parametrize("args", [{"city": "Pune"}, {"city": "Pune", "tenant": "x"}], ids=["fits", "extra"])
def test_what_fits_may_run(args: dict):
    assert loud(judge(*_conversation(args), tools=TOOLS)) == []


@pytest.mark.parametrize(
    "response",
    [
        {"error": "unit must be celsius or fahrenheit"},
        {"isError": True},
        {"result": {"status": "invalid"}},
        {"output": "Error: no kelvin"},
    ],
    ids=str,
)
def test_what_was_rejected_did_not_run(response: dict):
    violations = judge(*_conversation({"city": "Pune", "unit": "kelvin"}, response), tools=TOOLS)

    assert not found(violations, NAME)
    assert found(violations, "invalid-arguments")


def test_a_configured_pointer_says_what_an_error_result_is():
    steps = _conversation({"city": "Pune", "unit": "kelvin"}, {"outcome": {"refused": True}})

    assert found(judge(*steps, tools=TOOLS), NAME)
    assert not found(judge(*steps, tools=TOOLS, config='error-results = ["/outcome/refused"]'), NAME)


def test_the_message_names_the_worst_fault_and_the_exchange():
    violations = judge(*_conversation({"city": 3, "unit": "kelvin"}), tools=TOOLS)

    message = next(item.message for item in violations if item.rule == NAME)
    assert message == (
        'forecast ran, though unit is "kelvin"; allowed: "celsius", "fahrenheit"; exchange 1 issued the call, and '
        "nothing rejected it"
    )


def test_it_counts_what_was_issued_not_what_came_back():
    """A client that writes the coerced arguments into its history has altered the turn; the call was what it was."""
    violations = judge(
        *_conversation({"city": "Pune", "days": "3"}, sent={"city": "Pune", "days": 3}), tools=TOOLS
    )

    assert found(violations, NAME) == [("warning", "/contents/2/parts/0")]


def test_each_call_of_a_batch_has_its_own_response():
    batch = calls(
        call("forecast", {"city": "Pune"}, signature=SIGNATURE, id="a"),
        call("forecast", {"city": "Pune", "days": 9}, id="b"),
        call("forecast", {}, id="c"),
    )
    answers = results(
        result("forecast", {"error": "city is required"}, id="c"),
        result("forecast", RAN, id="b"),
        result("forecast", RAN, id="a"),
    )

    violations = judge(([ASK], batch), ([ASK, batch, answers], model_text("Warm.")), tools=TOOLS)
    assert found(violations, NAME) == [("error", "/contents/2/parts/1")]


def test_it_is_told_once_in_a_conversation():
    first, second = _conversation({"city": "Pune", "unit": "kelvin"})
    history = [*second[0], model_text("Warm."), user("And tomorrow?")]
    retried = (second[0], {"error": {"code": 503, "message": "overloaded"}}, 503)

    violations = judge(first, retried, second, (history, model_text("Warmer.")), tools=TOOLS)
    assert [item.exchange for item in violations if item.rule == NAME] == [2]


def test_a_call_of_unknown_origin_is_not_judged():
    """Its declaration may have been another one."""
    assert not found(judge(*_conversation({"city": "Pune", "unit": "kelvin"})[1:], tools=TOOLS), NAME)


def test_the_declaration_that_counts_is_that_of_the_request_that_got_the_call():
    wider = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}, "unit": {"type": "STRING"}}}
    first, second = _conversation({"city": "Pune", "unit": "kelvin"})

    def body(contents: list, schema: dict) -> dict:
        return {
            "contents": contents,
            "tools": [{"functionDeclarations": [{"name": "forecast", "parameters": schema}]}],
        }

    narrowed = judge((body(first[0], wider), first[1]), (body(second[0], SCHEMA), second[1]))
    widened = judge((body(first[0], SCHEMA), first[1]), (body(second[0], wider), second[1]))
    assert not found(narrowed, NAME)
    assert found(widened, NAME)
