"""Requests that the API refused, and what explains it."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.routes import Surface
from gemtape.checks.apierrors import COUNT, missing_signature
from gemtape.checks.judge import Judge
from gemtape.checks.rules.rejected_request import NAME
from gemtape.checks.target import Target
from tests.checks.helpers import entries, found, judge
from tests.factories import (
    SIGNATURE,
    answer_body,
    call,
    calls,
    exchange,
    model_text,
    result,
    results,
    unary,
    user,
)

ASK = user("Weather in Pune?")
SIGNED = calls(call("weather", signature=SIGNATURE))
UNSIGNED = calls(call("weather"))
RESULT = results(result("weather", {"c": 31}))
UNSIGNED_HISTORY, FINE = [ASK, UNSIGNED, RESULT], [ASK, SIGNED, RESULT]


def _error(message: str = "Request contains an invalid argument.", code: int = 400) -> dict:
    return {"error": {"code": code, "message": message, "status": "INVALID_ARGUMENT"}}


def _message(*steps: Any, **example: Any) -> str:
    return next(item.message for item in judge(*steps, **example) if item.rule == NAME)


@pytest.mark.parametrize("surface", ["gemini-api", "vertex", "code-assist"])
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_a_400_is_an_error_on_the_answer(surface: str, model: str):
    violations = judge((FINE, _error(), 400), surface=surface, model=model)

    assert found(violations, NAME) == [("error", "/error")]
    assert [(item.at, item.status) for item in violations if item.rule == NAME] == [("response", 400)]


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_other_statuses_are_none(status: int):
    assert not found(judge((FINE, _error(code=status), status)), NAME)


@pytest.mark.parametrize(
    ("surface", "pointer"),
    [("gemini-api", "/contents/1/parts/0"), ("code-assist", "/request/contents/1/parts/0")],
)
def test_the_finding_that_the_words_speak_of_explains_it(surface: str, pointer: str):
    words = missing_signature(Target(Surface.GEMINI_API, "gemini-3-pro", (3, 0)), "weather", 1)

    message = _message((UNSIGNED_HISTORY, _error(words), 400), surface=surface)
    assert message.startswith("the API answered 400: Function call is missing a thought_signature")
    assert message.endswith(f"(explained by missing-signature at {pointer})")


def test_among_several_findings_the_right_one_is_named():
    two = calls(call("weather"), call("time"))

    assert _message(([ASK, two, RESULT], _error(COUNT), 400)).endswith(
        "(explained by unanswered-call at /contents/2)"
    )


def test_words_that_speak_of_nothing_leave_what_is_known_to_be_refused():
    assert _message((UNSIGNED_HISTORY, _error(), 400)).endswith(
        "(perhaps because of missing-signature at /contents/1/parts/0)"
    )


def test_an_error_that_is_not_known_to_be_refused_is_better_than_nothing():
    history = [ASK, SIGNED, results(result("wether", {"c": 31}))]

    assert _message((history, _error(), 400)).endswith(
        "(perhaps because of mismatched-name at /contents/2/parts/0)"
    )


def test_a_refusal_that_nothing_explains_says_so():
    assert _message((FINE, _error(), 400)) == (
        "the API answered 400: Request contains an invalid argument. (no other rule found a reason)"
    )


@pytest.mark.parametrize(
    "words",
    ["API key not valid. Please pass a valid API key.", "User location is not supported for the API use."],
)
def test_a_refusal_of_the_account_is_not_laid_on_the_history(words: str):
    assert _message((UNSIGNED_HISTORY, _error(words), 400)).endswith(
        "(this concerns the key or the account, not the history)"
    )


def test_an_error_inside_a_stream_counts():
    events = [answer_body(model_text("31")), _error("Corrupted thought signature.")]

    violations = judge((FINE, events))
    assert found(violations, NAME) == [("error", "/error")]
    assert "400 in the middle of a stream: Corrupted" in violations[-1].message
    assert not found(judge((FINE, [answer_body(model_text("31")), _error(code=503)])), NAME)


@pytest.mark.parametrize(
    ("answer", "pointer"),
    [
        ([_error()], "/0/error"),
        ({"error": "text"}, "/error"),
        ({"error": {"message": 3}}, "/error"),
        ({"error": {}}, "/error"),
    ],
    ids=["in a list", "text", "number", "empty"],
)
def test_error_bodies_of_every_shape(answer: Any, pointer: str):
    refused = exchange(FINE, unary(answer, 400))

    violations = [item for entry in entries([refused]) for item in Judge().judge(entry)]
    assert found(violations, NAME) == [("error", pointer)]


def test_a_long_message_is_cut():
    assert len(_message((FINE, _error("word " * 1000), 400))) < 400
