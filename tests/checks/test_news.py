"""What a request brings that no earlier one held."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.turns import Turn, TurnTree
from gemtape.checks.finding import Finding, Place, Scope, Severity
from gemtape.checks.news import News
from tests.factories import model_text, user

HISTORY = [user("a"), model_text("b"), user("c"), model_text("d")]


def _at(content: Any, *rest: str | int, rule: str = "r", scope: Scope = Scope.ONCE) -> Finding:
    place: Place = ("contents", content, *rest)
    return Finding(rule, Severity.INFO, place, "text", scope=scope)


def _turn(tree: TurnTree, *contents: dict) -> Turn:
    return tree.intern(contents, CONTENT)


def test_what_stands_in_known_contents_is_no_news():
    tree, news = TurnTree(), News()
    news.note(_turn(tree, *HISTORY[:2]), [])

    whole = _turn(tree, *HISTORY)
    findings = [_at(index) for index in range(4)]
    assert list(news.among(whole, findings)) == findings[2:]
    news.note(whole, [])
    assert list(news.among(whole, findings)) == []


def test_asking_takes_no_note():
    tree, news = TurnTree(), News()
    turn = _turn(tree, *HISTORY)

    assert list(news.among(turn, [_at(0)])) == list(news.among(turn, [_at(0)])) == [_at(0)]


@pytest.mark.parametrize("place", [_at(4), _at(99)], ids=["missing at the end", "far behind it"])
def test_a_content_that_is_missing_at_the_end_counts_as_the_last(place: Finding):
    tree, news = TurnTree(), News()
    turn = _turn(tree, *HISTORY)

    assert list(news.among(turn, [place])) == [place]
    news.note(turn, [place])
    assert list(news.among(turn, [place])) == []


def test_the_empty_history_brings_nothing():
    assert list(News().among(_turn(TurnTree()), [_at(0), _at("x")])) == []


def test_a_window_that_slides_brings_nothing_new_of_the_same_step():
    """The step stands at another index, behind other contents."""
    tree, news = TurnTree(), News()
    news.note(_turn(tree, *HISTORY), [_at(3, "parts", 0)])
    slid = _turn(tree, *HISTORY[2:])

    found = [_at(1, "parts", 0), _at(1, "parts", 1), _at(1, "parts", 0, rule="other")]
    assert list(news.among(slid, found)) == found[1:]


def test_the_same_content_behind_another_one_is_news():
    tree, news = TurnTree(), News()
    news.note(_turn(tree, user("a"), model_text("b")), [_at(1)])

    assert list(news.among(_turn(tree, user("x"), model_text("b")), [_at(1)])) == [_at(1)]


def test_only_what_counts_once_is_remembered():
    tree, news = TurnTree(), News()
    news.note(_turn(tree, *HISTORY), [_at(3, scope=Scope.ALWAYS)])

    assert list(news.among(_turn(tree, *HISTORY[2:]), [_at(1)])) == [_at(1)]
