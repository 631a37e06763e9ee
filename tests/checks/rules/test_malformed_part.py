"""Parts, arguments and results of the wrong JSON type."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.malformed_part import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, result, results, user

QUESTION = user("Repositories?")
WRONG = [["floe"], [], "floe", "", 7, 0, True, False]


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_a_response_that_is_no_object(value: Any):
    history = [QUESTION, calls(call("repos", signature=SIGNATURE)), results(result("repos", value))]

    violations = judge(history)

    assert found(violations, NAME) == [("error", "/contents/2/parts/0/functionResponse/response")]
    assert loud(violations) == [(NAME, "/contents/2/parts/0/functionResponse/response")]


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_arguments_that_are_no_object(value: Any):
    broken = {"functionCall": {"name": "repos", "args": value}, "thoughtSignature": SIGNATURE}

    violations = judge([QUESTION, calls(broken), results(result("repos", {}))])

    assert found(violations, NAME) == [("error", "/contents/1/parts/0/functionCall/args")]


@pytest.mark.parametrize("value", [{}, None, {"a": []}], ids=repr)
def test_an_object_or_nothing_is_fine(value: Any):
    healthy = {"functionCall": {"name": "repos", "args": value}, "thoughtSignature": SIGNATURE}

    assert loud(judge([QUESTION, calls(healthy), results(result("repos", value))])) == []


@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        ("Hi.", "/contents/0/parts/1"),
        (["Hi."], "/contents/0/parts/1"),
        (7, "/contents/0/parts/1"),
        ({"text": 7}, "/contents/0/parts/1/text"),
        ({"text": ["Hi."]}, "/contents/0/parts/1/text"),
        ({"inlineData": "AAAA"}, "/contents/0/parts/1/inlineData"),
        ({"file_data": "files/a"}, "/contents/0/parts/1/fileData"),
        ({"function_call": "repos()"}, "/contents/0/parts/1/functionCall"),
        ({"functionResponse": [{"name": "repos"}]}, "/contents/0/parts/1/functionResponse"),
        (
            {"function_response": {"name": "x", "response": "ok"}},
            "/contents/0/parts/1/functionResponse/response",
        ),
        ({"toolCall": {"id": "s", "args": "q"}}, "/contents/0/parts/1/toolCall/args"),
        ({"tool_response": {"id": "s", "response": []}}, "/contents/0/parts/1/toolResponse/response"),
    ],
    ids=str,
)
def test_values_of_the_wrong_type(part: Any, pointer: str):
    assert found(judge([results({"text": "Look:"}, part)]), NAME) == [("error", pointer)]


@pytest.mark.parametrize("parts", ["Hi.", 7, True], ids=repr)
def test_parts_that_are_no_list_of_objects(parts: Any):
    assert found(judge([{"role": "user", "parts": parts}]), NAME) == [("error", "/contents/0/parts/0")]


def test_a_single_part_instead_of_a_list_is_fine():
    assert loud(judge([{"role": "user", "parts": {"text": "Hi."}}])) == []


def test_results_may_hold_anything_inside():
    history = [
        QUESTION,
        calls(call("repos", signature=SIGNATURE)),
        results(result("repos", {"output": [None, []]})),
    ]

    assert loud(judge(history)) == []


def test_it_names_the_call():
    history = [QUESTION, calls(call("repos", signature=SIGNATURE)), results(result("repos", ["floe"]))]

    assert judge(history)[0].message == "response of functionResponse repos is a list, not an object"
    assert rejections(examine(history), NAME) == [""]
