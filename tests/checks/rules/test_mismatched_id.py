"""Response ids that are not those of the calls."""

from __future__ import annotations

import pytest

from gemtape.checks.rules.mismatched_id import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Weather and time?")


def _history(called: list[tuple[str, str | None]], answered: list[tuple[str, str | None]]):
    first, *others = [call(name, {"at": at}, id=call_id) for at, (name, call_id) in enumerate(called)]
    responses = [result(name, {}, id=response_id) for name, response_id in answered]
    return [QUESTION, calls({**first, "thoughtSignature": SIGNATURE}, *others), results(*responses)]


@pytest.mark.parametrize(
    ("called", "answered", "parts"),
    [
        ([("w", "a1")], [("w", "b2")], [0]),
        ([("w", "a1"), ("t", "a2")], [("w", "a1"), ("t", "b2")], [1]),
        ([("w", "a1"), ("t", "a2")], [("w", "a2"), ("t", "a1")], [0, 1]),
        ([("w", "a1"), ("w", "a2")], [("w", "b1"), ("w", "b2")], [0, 1]),
        ([("w", "a1")], [("x", "b2")], [0]),
        ([("w", "a1"), ("t", "a2"), ("n", "a3")], [("w", "a1"), ("t", "a3"), ("n", "a2")], [1, 2]),
    ],
    ids=["invented", "one of two", "swapped", "both invented", "and another name", "swapped among three"],
)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_ids_of_no_call_and_of_another(called: list, answered: list, parts: list[int], model: str):
    violations = judge(_history(called, answered), model=model)

    assert found(violations, NAME) == [("error", f"/contents/2/parts/{part}") for part in parts]
    assert set(rejections(examine(_history(called, answered)), NAME)) == {""}


def test_swapped_ids_are_no_wrong_names():
    violations = judge(_history([("w", "a1"), ("t", "a2")], [("w", "a2"), ("t", "a1")]))

    assert {rule for rule, _ in loud(violations)} == {NAME}
    assert violations[0].message == "response w has the id 'a2' of call t: the ids are swapped"


@pytest.mark.parametrize(
    ("called", "answered"),
    [
        ([("w", "a1")], [("w", "a1")]),
        ([("w", None)], [("w", None)]),
        ([("w", None)], [("w", "mine")]),
        ([("w", "a1")], [("w", None)]),
        ([("w", "a1"), ("t", "a2")], [("t", "a2"), ("w", "a1")]),
        ([("w", "a1"), ("w", "a2")], [("w", "a2"), ("w", "a1")]),
    ],
    ids=[
        "equal",
        "none",
        "only the response",
        "only the call",
        "another order",
        "another order of one function",
    ],
)
def test_silence(called: list, answered: list):
    assert loud(judge(_history(called, answered))) == []


def test_ids_that_the_client_made_on_both_sides_are_fine():
    issued = calls(call("w", {"at": 0}, signature=SIGNATURE))

    assert loud(judge(([QUESTION], issued), _history([("w", "adk-1")], [("w", "adk-1")]))) == []


def test_a_response_to_nothing_is_another_rules_matter():
    assert not found(judge([QUESTION, model_text("Hm."), results(result("w", {}, id="a1"))]), NAME)
