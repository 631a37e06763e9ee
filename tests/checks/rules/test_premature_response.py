"""Responses to calls of an answer that had not ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gemtape.checks.judge import Judge
from gemtape.checks.rules.premature_response import NAME
from tests.checks.helpers import entries, found, judge, loud
from tests.factories import (
    SIGNATURE,
    answer_body,
    call,
    calls,
    exchange,
    model_text,
    result,
    results,
    sse,
    user,
)

ASK = user("Weather in Pune?")
CALL = calls(call("weather", {"city": "Pune"}, signature=SIGNATURE))
PLAIN = calls(call("weather", {"city": "Pune"}))
STREAM = [answer_body(CALL), answer_body(model_text(""))]
HISTORY = [ASK, CALL, results(result("weather", {"celsius": 31}))]


def _violations(*timed: tuple[list, Any, float, int]):
    """Exchanges in recorded order: contents, answer, when the request began (seconds) and what it took (ms)."""
    tools = [{"functionDeclarations": [{"name": "weather", "description": "x"}]}]
    recorded = []
    for contents, answer, at, took in timed:
        response = sse(*answer) if isinstance(answer, list) else answer
        recorded.append(replace(exchange(contents, response, at=at, tools=tools), duration_ms=took))
    judge = Judge()
    return [item for entry in entries(recorded) for item in judge.judge(entry)]


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_it_is_a_warning_on_the_response(model: str):
    violations = judge(([ASK], STREAM, 200, 3000), (HISTORY, model_text("31.")), model=model)

    assert found(violations, NAME) == [("warning", "/contents/2/parts/0")]
    assert [(item.exchange, item.at) for item in violations if item.rule == NAME] == [(2, "request")]
    assert "exchange 1 went on for another 2.0 s" in violations[-1].message


def test_a_request_that_is_over_before_the_answer_is_found_by_the_answer():
    """What ends first is recorded first."""
    violations = _violations((HISTORY, model_text("31."), 2.0, 100), ([ASK], STREAM, 1.0, 5000))

    assert [(item.rule, item.exchange, item.at, item.pointer) for item in violations] == [
        (NAME, 2, "response", "/candidates/0/content/parts/0")
    ]


@pytest.mark.parametrize("took", [10, 900, 1000, 1040])
def test_a_response_after_the_end_is_fine(took: int):
    """Clocks round, and a client may read the finish reason a little before the end."""
    assert loud(judge(([ASK], STREAM, 200, took), (HISTORY, model_text("31.")))) == []


def test_a_retry_of_the_early_request_is_not_told_again():
    overloaded = {"error": {"code": 503, "message": "overloaded"}}

    violations = judge(([ASK], STREAM, 200, 9000), (HISTORY, overloaded, 503), (HISTORY, model_text("31.")))
    assert [item.exchange for item in violations if item.rule == NAME] == [2]


@pytest.mark.parametrize("late_first", [True, False])
def test_where_two_answers_issued_the_call_the_one_that_had_ended_is_meant(late_first: bool):
    """A client asks twice and goes on with the answer that comes first; nothing tells the calls apart."""
    answer = [answer_body(PLAIN)]
    history = [ASK, PLAIN, HISTORY[2]]
    fast, slow = ([ASK], answer, 1.1, 200), ([ASK], answer, 1.0, 9000)
    second = (history, model_text("31."), 2.0, 100)

    order = [fast, slow, second] if late_first else [fast, second, slow]
    assert not found(_violations(*order), NAME)


def test_a_prompt_while_the_answer_comes_in_is_no_response():
    again = [ASK, CALL, user("Stop.")]

    assert not found(_violations((again, model_text("Ok."), 2.0, 100), ([ASK], STREAM, 1.0, 5000)), NAME)
    assert not found(_violations(([ASK], STREAM, 1.0, 5000), (again, model_text("Ok."), 2.0, 100)), NAME)


def test_exchanges_without_times_are_not_judged():
    assert not found(_violations(([ASK], STREAM, 0.0, 5000), (HISTORY, model_text("31."), 0.0, 0)), NAME)
