"""Histories that start with a call."""

from __future__ import annotations

import pytest

from gemtape.checks.apierrors import CALL_ORDER
from gemtape.checks.rules.wrong_start import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

CALL, RESULT = calls(call("pod", signature=SIGNATURE)), results(result("pod", {"up": True}))


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
@pytest.mark.parametrize("surface", ["gemini-api", "vertex"])
def test_a_call_first_is_an_error(model: str, surface: str):
    violations = judge([CALL, RESULT], model=model, surface=surface)

    assert found(violations, NAME) == [("error", "/contents/0")]
    assert loud(violations) == [(NAME, "/contents/0")]
    assert rejections(examine([CALL, RESULT]), NAME) == [CALL_ORDER]


def test_a_call_in_the_second_content_of_the_models_first_run():
    assert found(judge([model_text("Hi."), CALL, RESULT]), NAME) == [("error", "/contents/0")]


@pytest.mark.parametrize(
    "history",
    [
        [model_text("Welcome."), user("Is pod 1 up?")],
        [user("Is pod 1 up?"), CALL, RESULT],
        [user("a"), user("b"), CALL, RESULT],
    ],
    ids=["the model's text", "a prompt", "two prompts"],
)
def test_silence(history: list):
    assert loud(judge(history)) == []


def test_responses_first_are_orphans_and_no_wrong_start():
    assert [rule for rule, _ in loud(judge([RESULT, user("Well?")]))] == ["orphan-response"]
