"""Responses in another order than their calls."""

from __future__ import annotations

import pytest

from gemtape.checks.rules.reordered_responses import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, result, results, user

QUESTION = user("All of it?")


def _history(called: str, answered: str, call_ids: str = "", response_ids: str = ""):
    """Names are single letters, in order; so are ids, a blank for none."""

    def of(ids: str, at: int) -> str | None:
        return ids[at].strip() or None if at < len(ids) else None

    first, *others = [call(name, id=of(call_ids, at)) for at, name in enumerate(called)]
    responses = [result(name, {}, id=of(response_ids, at)) for at, name in enumerate(answered)]
    return [QUESTION, calls({**first, "thoughtSignature": SIGNATURE}, *others), results(*responses)]


@pytest.mark.parametrize(
    ("called", "answered"), [("ab", "ba"), ("abc", "acb"), ("aab", "aba"), ("abc", "cab")]
)
def test_another_order_of_names_is_a_warning_at_the_content(called: str, answered: str):
    violations = judge(_history(called, answered))

    assert found(violations, NAME) == [("warning", "/contents/2")]
    assert loud(violations) == [(NAME, "/contents/2")]


@pytest.mark.parametrize("name", ["ab", "aa", "abab"])
def test_the_order_of_the_calls_is_fine(name: str):
    assert loud(judge(_history(name, name))) == []


def test_with_ids_on_both_sides_any_order_will_do():
    assert loud(judge(_history("ab", "ba", "xy", "yx"))) == []


@pytest.mark.parametrize(("call_ids", "response_ids"), [("xy", ""), ("", "xy"), ("x", " x")])
def test_ids_on_one_side_tie_nothing(call_ids: str, response_ids: str):
    assert found(judge(_history("ab", "ba", call_ids, response_ids)), NAME) == (
        [] if call_ids == "x" else [("warning", "/contents/2")]
    )


def test_a_wrong_name_is_no_other_order():
    assert [rule for rule, _ in loud(judge(_history("ab", "xa")))] == ["mismatched-name"]


def test_a_lost_response_is_no_other_order():
    assert [rule for rule, _ in loud(judge(_history("abc", "ac")))] == ["unanswered-call"]


def test_the_api_is_not_known_to_refuse_it():
    assert rejections(examine(_history("ab", "ba")), NAME) == [""]
