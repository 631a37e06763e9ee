"""Responses to nothing."""

from __future__ import annotations

import pytest

from gemtape.checks.apierrors import COUNT, RESPONSE_ORDER
from gemtape.checks.rules.orphan_response import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Weather?")
CALL = calls(call("weather", signature=SIGNATURE, id="w"))
WEATHER, TIME = result("weather", {"c": 31}, id="w"), result("time", {"t": "9"}, id="t")


@pytest.mark.parametrize(
    ("history", "pointer", "words"),
    [
        ([QUESTION, results(WEATHER)], "/contents/1/parts/0", RESPONSE_ORDER),
        ([results(WEATHER)], "/contents/0/parts/0", RESPONSE_ORDER),
        ([QUESTION, model_text("Hm."), results(WEATHER)], "/contents/2/parts/0", RESPONSE_ORDER),
        ([QUESTION, results(WEATHER, TIME)], "/contents/1/parts/0", RESPONSE_ORDER),
        ([QUESTION, CALL, results(WEATHER, TIME)], "/contents/2/parts/1", COUNT),
        ([QUESTION, CALL, results(TIME, WEATHER)], "/contents/2/parts/0", COUNT),
        ([QUESTION, CALL, results(WEATHER), results(TIME)], "/contents/3/parts/0", COUNT),
        (
            [QUESTION, CALL, results(WEATHER), model_text("31."), results(WEATHER)],
            "/contents/4/parts/0",
            RESPONSE_ORDER,
        ),
    ],
    ids=[
        "no model turn",
        "first",
        "a text turn",
        "two",
        "one too many",
        "in front",
        "a content later",
        "again",
    ],
)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_responses_without_calls(history: list, pointer: str, words: str, model: str):
    violations = judge(history, model=model)

    assert found(violations, NAME) == [("error", pointer)]
    assert loud(violations) == [(NAME, pointer)]
    assert rejections(examine(history, model=model), NAME) == [words]


def test_the_message_counts_them():
    assert judge([QUESTION, results(WEATHER, TIME)])[0].message == (
        "response weather and 1 more answer no call: the content before it holds no call"
    )


@pytest.mark.parametrize(
    "history",
    [
        [QUESTION, CALL, results(WEATHER)],
        [QUESTION, CALL, user("One moment."), results(WEATHER)],
        [QUESTION, CALL, calls({"text": ""}), results(WEATHER)],
        [QUESTION, CALL, {"role": "function", "parts": [WEATHER]}],
    ],
    ids=["one", "a prompt in front", "a carrier behind the call", "role function"],
)
def test_responses_to_calls_are_fine(history: list):
    assert not found(judge(history), NAME)


@pytest.mark.parametrize("mark", [{"willContinue": True}, {"scheduling": "WHEN_IDLE"}])
def test_an_asynchronous_call_may_have_several_responses(mark: dict):
    piece = {"functionResponse": {**WEATHER["functionResponse"], **mark}}

    assert not found(judge([QUESTION, CALL, results(piece, WEATHER)]), NAME)
