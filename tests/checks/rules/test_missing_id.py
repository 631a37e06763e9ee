"""Responses without the id that their call has."""

from __future__ import annotations

import pytest

from gemtape.checks.rules.missing_id import NAME
from tests.checks.helpers import found, judge
from tests.factories import SIGNATURE, call, calls, result, results, user

QUESTION = user("Weather?")


def _history(call_id: str | None, response_id: str | None):
    signed = calls(call("weather", signature=SIGNATURE, id=call_id))
    return [QUESTION, signed, results(result("weather", {"c": 31}, id=response_id))]


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview", "gemini-3.6-flash"])
def test_it_is_only_information(model: str):
    violations = judge(_history("a1", None), model=model)

    assert found(violations, NAME) == [("info", "/contents/2/parts/0/functionResponse/id")]


@pytest.mark.parametrize(("call_id", "response_id"), [("a1", "a1"), (None, None), (None, "b2"), ("a1", "b2")])
def test_ids_on_both_sides_or_on_neither_or_only_on_the_response_are_not_its_matter(call_id, response_id):
    assert not found(judge(_history(call_id, response_id)), NAME)


def test_an_empty_id_is_none():
    history = _history("a1", None)
    history[2]["parts"][0]["functionResponse"]["id"] = ""

    assert found(judge(history), NAME) == [("info", "/contents/2/parts/0/functionResponse/id")]


def test_each_response_is_named():
    history = [
        QUESTION,
        calls(call("weather", signature=SIGNATURE, id="a1"), call("time", id="a2"), call("news", id="a3")),
        results(result("weather", {}), result("time", {}, id="a2"), result("news", {})),
    ]

    assert [pointer for _, pointer in found(judge(history), NAME)] == [
        "/contents/2/parts/0/functionResponse/id",
        "/contents/2/parts/2/functionResponse/id",
    ]
