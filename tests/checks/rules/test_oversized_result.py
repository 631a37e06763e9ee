"""Results that are too big, too long or too deep."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.oversized_result import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

ASK = user("List.")
CALL = calls(call("list", signature=SIGNATURE))


def _history(response: Any) -> list[dict]:
    return [ASK, CALL, results(result("list", response))]


def _deep(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 and level < levels - 1 else {"k": value}
    return value


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ({"text": "x" * 65_530}, "is 64 KB long"),
        ({"rows": [0] * 1001}, "has a list of 1,001 items"),
        ({"a": {"rows": [[0] * 1001]}}, "has a list of 1,001 items"),
        (_deep(17), "is nested 17 deep"),
        ({"result": f'{{"rows": {[0] * 1001}}}'}, "has a list of 1,001 items"),
        ({"rows": ["x" * 100] * 2000}, "is 201 KB long and has a list of 2,000 items"),
    ],
    ids=["bytes", "items", "inner items", "levels", "in a text", "both"],
)
def test_too_much_is_a_warning_on_the_response(response: Any, why: str):
    violations = judge(_history(response))

    assert found(violations, NAME) == [("warning", "/contents/2/parts/0")]
    assert loud(violations) == [(NAME, "/contents/2/parts/0")]
    assert violations[0].message == f"the result of list {why}"


@pytest.mark.parametrize(
    "response",
    [{"text": "x" * 65_500}, {"rows": [0] * 1000}, _deep(16), {}, {"rows": [[0] * 900] * 3}],
    ids=["bytes", "items", "levels", "empty", "many lists"],
)
def test_much_is_fine(response: Any):
    assert loud(judge(_history(response))) == []


def test_media_beside_the_response_does_not_count():
    part = result("list", {"image": {"$ref": "map.png"}})
    part["functionResponse"]["parts"] = [{"inlineData": {"mimeType": "image/png", "data": "A" * 200_000}}]

    assert loud(judge([ASK, CALL, results(part)])) == []


def test_it_is_told_by_the_request_that_brings_it():
    history = _history({"rows": [0] * 1001})

    violations = judge((history, model_text("Long.")), [*history, model_text("Long."), user("And?")])
    assert [item.exchange for item in violations if item.rule == NAME] == [1]


@pytest.mark.parametrize("response", [None, "x" * 70_000, [0] * 2000, 3])
def test_a_response_that_is_no_object_is_measured_too(response: Any):
    assert len(found(judge(_history(response)), NAME)) == int(isinstance(response, (str, list)))
