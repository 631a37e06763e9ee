"""Roles that are neither user nor model."""

from __future__ import annotations

import pytest

from gemtape.checks.rules.wrong_role import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, user

QUESTION = user("Weather?")
ERROR = {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}


def _answered_by(role: object):
    signed = calls(call("weather", signature=SIGNATURE))
    return [QUESTION, signed, {"role": role, "parts": [result("weather", {"c": 31})]}]


@pytest.mark.parametrize("role", ["system", "assistant", "developer", "SYSTEM", 7, ["user"]])
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_other_roles_are_errors(role: object, model: str):
    history = [{"role": role, "parts": [{"text": "Be terse."}]}, QUESTION]

    assert found(judge(history, model=model), NAME) == [("error", "/contents/0/role")]


@pytest.mark.parametrize("role", ["function", "tool"])
@pytest.mark.parametrize(
    ("model", "severity"),
    [
        ("gemini-1.5-pro", "warning"),
        ("gemini-2.5-flash", "warning"),
        ("gemini-3-pro-preview", "error"),
        ("gemini-3-pro-image-preview", "error"),
        ("gemini-flash-latest", "error"),
        ("my-own-model", "warning"),
    ],
)
def test_roles_of_responses_are_errors_from_3_on(role: str, model: str, severity: str):
    violations = judge(_answered_by(role), model=model)

    assert found(violations, NAME) == [(severity, "/contents/2/role")]
    assert loud(violations) == [(NAME, "/contents/2/role")]


def test_a_400_that_nothing_else_explains_makes_the_warning_an_error():
    violations = judge((_answered_by("tool"), ERROR, 400), model="gemini-2.5-flash")

    assert found(violations, NAME) == [("error", "/contents/2/role")]


def test_the_apis_words():
    system = [{"role": "system", "parts": [{"text": "Be terse."}]}, QUESTION]

    assert rejections(examine(system), NAME) == ["Please use a valid role: user, model."]
    assert rejections(examine(_answered_by("tool")), NAME)[0].startswith("Role 'tool' is not supported.")
    assert rejections(examine(_answered_by("tool"), model="gemini-2.5-flash"), NAME) == [""]
    assert rejections(examine(_answered_by(7)), NAME) == [""]


@pytest.mark.parametrize("role", ["user", "USER", "User", None, ""])
def test_user_in_any_case_or_no_role(role: str | None):
    assert loud(judge(_answered_by(role))) == []


def test_a_role_that_is_left_out_is_user():
    assert loud(judge([{"parts": [{"text": "Weather?"}]}])) == []


def test_every_content_is_named():
    wrong = {"role": "assistant", "parts": [{"text": "Hi."}]}

    assert [
        at for _, at in found(judge([wrong, QUESTION, wrong, wrong, model_text("x"), QUESTION]), NAME)
    ] == [
        "/contents/0/role",
        "/contents/2/role",
        "/contents/3/role",
    ]


def test_a_role_of_any_length_is_shown_in_a_few_characters():
    history = [{"role": "x" * 100_000, "parts": [{"text": "Hi."}]}, QUESTION]

    assert len(judge(history)[0].message) < 200
