"""Mode ANY on every request of a turn."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.endless_any import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import call, calls, model_text, result, results, user

PLACE = "/toolConfig/functionCallingConfig/mode"
TOOLS = [{"functionDeclarations": [{"name": "oven", "description": "Temperature"}]}]


def _turn(modes: list[Any], *, ends: bool = False, before: tuple[dict, ...] = ()) -> list[tuple[dict, dict]]:
    """One turn of as many requests as modes; the last answer is text where the turn ends."""
    history = [*before, user("Is the oven hot?")]
    steps = []
    for at, mode in enumerate(modes, len(before)):
        answer = calls(call("oven", {"rack": at}, signature=f"Epw{at:05}"))
        if ends and mode is modes[-1] and at == len(before) + len(modes) - 1:
            answer = model_text("Yes.")
        config = {"toolConfig": {"functionCallingConfig": {"mode": mode}}} if mode else {}
        steps.append(({"contents": list(history), "tools": TOOLS, **config}, answer))
        history += [answer, results(result("oven", {"celsius": 200 + at}))]
    return steps


def _exchanges(steps: list[tuple[dict, dict]]) -> list[int]:
    return [item.exchange for item in judge(*steps) if item.rule == NAME]


@pytest.mark.parametrize("mode", ["ANY", "any", 2])
def test_the_third_call_in_a_row_is_a_warning(mode: Any):
    violations = judge(*_turn([mode] * 3))

    assert found(violations, NAME) == [("warning", PLACE)]
    assert loud(violations) == [(NAME, PLACE)]


def test_so_is_every_further_one():
    assert _exchanges(_turn(["ANY"] * 5)) == [3, 4, 5]


@pytest.mark.parametrize(
    "modes",
    [
        ["ANY", "ANY"],
        ["ANY", "AUTO", "AUTO"],
        ["ANY", "ANY", "AUTO", "ANY", "ANY"],
        ["AUTO"] * 4,
        ["VALIDATED"] * 4,
        [None] * 4,
    ],
    ids=str,
)
def test_silence(modes: list):
    assert loud(judge(*_turn(modes))) == []


def test_an_answer_that_ends_the_turn_is_fine():
    assert loud(judge(*_turn(["ANY"] * 3, ends=True))) == []


def test_turns_count_apart():
    first = _turn(["ANY"] * 2)
    request, answer = first[-1]
    before = (*request["contents"], answer, results(result("oven", {"celsius": 200})), model_text("Yes."))

    assert _exchanges([*first, *_turn(["ANY"] * 2, before=before)]) == []


def test_a_retry_is_no_further_answer():
    first, second, *_ = _turn(["ANY"] * 3)

    assert _exchanges([first, second, second]) == []
