"""Histories that end with the model."""

from __future__ import annotations

import pytest

from gemtape.checks.rules.trailing_model_turn import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

PREFILLED = [user("A haiku."), model_text("White grass")]


@pytest.mark.parametrize(
    ("model", "severity"),
    [
        ("gemini-3.6-flash", "error"),
        ("gemini-3.7-pro", "error"),
        ("gemini-3.8-flash-preview", "error"),
        ("gemini-4-argon", "error"),
        ("gemini-3.5-flash-lite", "error"),
        ("gemini-3.5-flash", "info"),
        ("gemini-3.1-pro-preview", "info"),
        ("gemini-3-pro-preview", "info"),
        ("gemini-pro-latest", "info"),
        ("gemini-2.5-flash", None),
        ("gemini-2.0-flash-lite", None),
        ("my-own-model", None),
    ],
)
def test_severity_is_that_of_the_model(model: str, severity: str | None):
    assert found(judge(PREFILLED, model=model), NAME) == ([(severity, "/contents/1")] if severity else [])


def test_the_apis_words():
    def words(surface: str) -> list[str]:
        return rejections(examine(PREFILLED, model="gemini-3.6-flash", surface=surface), NAME)

    assert words("gemini-api") == [
        "Requests ending with a model turn are not supported unless the last part is a function response."
    ]
    assert words("vertex") == ["Requests ending with a model turn are not supported."]
    assert rejections(examine(PREFILLED), NAME) == [""]


def test_code_assist_points_into_the_wrapped_request():
    violations = judge(PREFILLED, model="gemini-3.6-flash", surface="code-assist")

    assert found(violations, NAME) == [("error", "/request/contents/1")]


@pytest.mark.parametrize(
    "tail", [[user("")], [{"role": "user", "parts": []}], [user(""), model_text("")]], ids=str
)
def test_contents_that_say_nothing_do_not_count(tail: list):
    violations = judge([*PREFILLED, *tail], model="gemini-3.6-flash")

    assert found(violations, NAME) == [("error", "/contents/1")]


def test_the_last_content_of_a_split_run_is_named():
    violations = judge([*PREFILLED, model_text(" at dawn")], model="gemini-3.6-flash")

    assert found(violations, NAME) == [("error", "/contents/2")]


def test_a_pending_call_at_the_end_is_both():
    history = [user("Weather?"), calls(call("weather", signature=SIGNATURE))]

    violations = judge(history, model="gemini-3.6-flash")

    assert loud(violations) == [("unanswered-call", "/contents/1/parts/0"), (NAME, "/contents/1")]


def test_a_response_at_the_end_is_fine_under_either_role():
    signed = calls(call("weather", signature=SIGNATURE))
    under_model = [user("Weather?"), calls(*signed["parts"], result("weather", {"c": 31}))]
    under_user = [user("Weather?"), signed, results(result("weather", {"c": 31}))]

    assert not found(judge(under_model, model="gemini-3.6-flash"), NAME)
    assert loud(judge(under_user, model="gemini-3.6-flash")) == []


def test_an_image_or_file_is_something_to_answer():
    shown = {"role": "user", "parts": [{"fileData": {"fileUri": "files/a", "mimeType": "image/png"}}]}

    assert loud(judge([*PREFILLED, shown], model="gemini-3.6-flash")) == []
