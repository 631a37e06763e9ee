from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.turns import Turn, TurnTree
from gemtape.checks.clientside import (
    client_digest,
    digests_inside,
    note_sent,
    parts_since_model,
    sent_at,
    stands_alike,
)
from tests.checks.tape import SIGNATURES, celsius, weather
from tests.factories import call, calls, model_text, result, results, user


def turn(*contents: Any) -> Turn:
    return TurnTree().intern(contents, CONTENT)


def same(first: list[Any], second: list[Any]) -> bool:
    return client_digest(turn(*first)) == client_digest(turn(*second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([user("a"), model_text("A"), user("b")], [user("a"), model_text("B"), user("b")]),
        ([user("a"), model_text("A"), user("b")], [user("a"), user("b")]),
        ([user("a"), user("b")], [results({"text": "a"}, {"text": "b"})]),
        ([user("a")], [{"parts": {"text": "a"}}]),
        ([user("a"), weather(), celsius(id="1")], [user("a"), weather(), celsius()]),
        ([user("a"), user("")], [user("a"), results({"text": ""})]),
    ],
    ids=["other-answer", "no-answer", "merged", "spelling", "ids", "empty"],
)
def test_what_does_not_count(first: list, second: list):
    assert same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([user("a")], [user("b")]),
        ([user("a")], [user("a"), user("a")]),
        ([user("ab")], [user("a"), user("b")]),
        ([user("a"), weather(), celsius(31)], [user("a"), weather(), celsius(32)]),
        ([user("a")], []),
    ],
)
def test_what_counts(first: list, second: list):
    assert not same(first, second)


def test_parallel_responses_count_in_the_order_of_their_calls():
    both = calls(call("a", signature=SIGNATURES[0]), call("b"))
    a, b = result("a", {}), result("b", {})

    assert same([user("x"), both, results(a, b)], [user("x"), both, results(b, a)])


def test_the_digests_inside_a_content_are_those_of_its_beginnings():
    merged = turn(results({"text": "a"}, {"text": "b"}, {"text": "c"}))

    assert digests_inside(merged) == [
        client_digest(turn(user("a"))),
        client_digest(turn(user("a"), user("b"))),
    ]
    assert digests_inside(turn(user("a"))) == []
    assert digests_inside(turn(user("a"), model_text("A"))) == []
    assert digests_inside(turn()) == []


def test_no_history_and_one_of_the_model_alone_hold_nothing_of_the_client():
    assert client_digest(turn()) == client_digest(turn(model_text("A"))) == b""


@pytest.mark.parametrize("content", [None, 3, "text", [], {"parts": 3}, {"parts": [3, None]}, {"role": 5}])
def test_malformed_contents_have_a_digest(content: Any):
    assert isinstance(client_digest(turn(content)), bytes)


@pytest.mark.parametrize(
    ("contents", "count"),
    [
        ([], 0),
        ([user("a"), results({"text": "b"}, {"text": "c"})], 3),
        ([user("a"), model_text("A")], 0),
        ([user("a"), model_text("A"), user("b")], 1),
        ([user("a"), 3], 2),
    ],
)
def test_how_much_the_client_said_since_the_model_spoke(contents: list, count: int):
    history = turn(*contents)

    assert [parts_since_model(history), parts_since_model(history)] == [count, count]


def test_the_last_words_of_the_client():
    polled = turn(user("x"), weather(), celsius(), weather(), celsius())

    assert stands_alike(polled, turn(user("y"), weather(), celsius()))
    assert stands_alike(polled, turn(user("y"), weather(), celsius(), model_text("A")))
    assert not stands_alike(polled, turn(user("x")))
    assert stands_alike(turn(), turn(model_text("A")))


def test_when_a_content_was_first_sent():
    history = turn(user("a"), model_text("A"), user("b"))
    first = history.line()[0]
    assert sent_at(history) == float("inf")

    note_sent(first, 1.0)
    note_sent(history, 5.0)
    assert [sent_at(item) for item in history.line()] == [1.0, 5.0, 5.0]

    note_sent(history, 3.0)
    assert [sent_at(item) for item in history.line()] == [1.0, 3.0, 3.0]
