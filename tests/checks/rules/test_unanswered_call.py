"""Calls that nothing answers."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.apierrors import COUNT
from gemtape.checks.rules.unanswered_call import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Weather and time?")
ONE = calls(call("weather", signature=SIGNATURE))
TWO = calls(call("weather", signature=SIGNATURE), call("time"))
WEATHER, TIME = result("weather", {"c": 31}), result("time", {"t": "9"})


@pytest.mark.parametrize(
    ("history", "pointer"),
    [
        ([QUESTION, ONE], "/contents/1/parts/0"),
        ([QUESTION, TWO], "/contents/1/parts/0"),
        ([QUESTION, calls({"text": "I look."}, *ONE["parts"])], "/contents/1/parts/1"),
        ([QUESTION, ONE, user("And now?")], "/contents/1/parts/0"),
        ([QUESTION, TWO, results(WEATHER)], "/contents/2"),
        ([QUESTION, TWO, results(TIME)], "/contents/2"),
        ([QUESTION, TWO, user("One moment."), results(WEATHER)], "/contents/3"),
        ([QUESTION, TWO, results(WEATHER), model_text("31."), user("And?")], "/contents/2"),
    ],
    ids=[
        "end",
        "end of two",
        "behind text",
        "a prompt instead",
        "one of two",
        "other of two",
        "late",
        "older turn",
    ],
)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_calls_without_responses(history: list, pointer: str, model: str):
    violations = judge(history, model=model)

    assert found(violations, NAME) == [("error", pointer)]
    assert loud(violations) == [(NAME, pointer)]
    assert rejections(examine(history, model=model), NAME) == [COUNT]


def test_the_message_names_the_calls_that_are_open():
    assert (
        judge([QUESTION, TWO, results(TIME)])[0].message
        == "no response to weather (part 0): 2 calls, 1 response"
    )


@pytest.mark.parametrize(
    "history",
    [
        [QUESTION, ONE, results(WEATHER)],
        [QUESTION, TWO, results(WEATHER, TIME)],
        [QUESTION, TWO, results(WEATHER, result("time", {"error": "cancelled"}))],
        [QUESTION, ONE, results(WEATHER), user("And now?")],
        [QUESTION, ONE, calls(call("time", signature=SIGNATURE)), results(WEATHER, TIME)],
        [QUESTION, calls({"text": "hm", "thought": True}, *ONE["parts"]), results(WEATHER)],
    ],
    ids=["one", "two", "an error", "a prompt behind", "split calls", "a thought"],
)
def test_answered_calls_are_fine(history: list):
    assert loud(judge(history)) == []


def test_a_call_in_a_thought_is_no_call():
    thought = {"functionCall": {"name": "weather", "args": {}}, "thought": True}

    assert not found(judge([QUESTION, calls(thought, {"text": "31."}), user("Thanks")]), NAME)


def test_streamed_arguments_are_one_call():
    def piece(**more: Any) -> dict[str, Any]:
        return {"functionCall": more}

    streamed = [
        calls({**piece(name="weather", willContinue=True), "thoughtSignature": SIGNATURE}),
        calls(piece(partialArgs=[{"jsonPath": "$.city", "stringValue": "Pune"}], willContinue=True)),
        calls(piece()),
    ]

    assert loud(judge([QUESTION, *streamed, results(WEATHER)])) == []


@pytest.mark.parametrize("mark", [{"willContinue": True}, {"scheduling": "WHEN_IDLE"}])
def test_asynchronous_calls_may_be_answered_later(mark: dict):
    early = {"functionResponse": {"name": "weather", "response": {}, **mark}}

    assert not found(judge([QUESTION, TWO, results(early)]), NAME)


def test_server_side_calls_do_not_count():
    parts = [{"toolCall": {"id": "s"}}, {"toolResponse": {"id": "s"}}, {"text": "31."}]

    assert loud(judge([QUESTION, calls(*parts), user("Thanks")])) == []


def test_a_wrong_name_is_no_lost_response():
    assert not found(judge([QUESTION, ONE, results(result("call_7f3a", {}))]), NAME)


def test_calls_that_a_tool_server_answered_in_the_models_content_are_not_open():
    answer = calls(call("server_weather"), result("server_weather", {"c": 31}), {"text": "31."})

    assert (
        loud(judge(([QUESTION], answer), [QUESTION, answer, user("Thanks")], model="gemini-2.5-flash")) == []
    )


def test_of_two_calls_a_tool_server_may_have_answered_one():
    answer = calls(call("server_weather"), result("server_weather", {"c": 31}), call("time"))

    violations = judge(([QUESTION], answer), [QUESTION, answer, user("Thanks")], model="gemini-2.5-flash")

    assert loud(violations) == [(NAME, "/contents/1/parts/2")]
    assert (
        loud(judge(([QUESTION], answer), [QUESTION, answer, results(TIME)], model="gemini-2.5-flash")) == []
    )


@pytest.mark.parametrize(
    ("model", "severity"),
    [("gemini-2.0-flash", "info"), ("gemini-2.5-flash", "error"), ("my-own-model", "error")],
)
def test_models_before_2_5_may_take_it(model: str, severity: str):
    history = [QUESTION, ONE, user("And now?")]

    assert found(judge((history, model_text("Hm.")), model=model), NAME) == [
        (severity, "/contents/1/parts/0")
    ]
    assert found(judge(history, model=model), NAME) == [("error", "/contents/1/parts/0")]
