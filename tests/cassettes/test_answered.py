"""Which call each response answers, as the match form says it."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.answered import asked_before
from gemtape.cassettes.matchform import match_content
from gemtape.cassettes.pairing import Named
from gemtape.cassettes.schema import CONTENT, OPENAI_MESSAGE
from gemtape.cassettes.turns import Turn, TurnTree
from tests.factories import call, calls, result, results, user

ASKED = [user("go"), calls(call("f", {"x": 1}, id="1"), call("f", {"x": 2}, id="2"))]


def forms(*answers: dict[str, Any], asked: list[Any] = ASKED) -> list[Any]:
    """The match forms of the contents that answer."""
    head = TurnTree().intern([*asked, *answers], CONTENT)
    return [match_content(turn) for turn in head.line()[len(asked) :]]


def a(value: str, id: str | None) -> dict[str, Any]:
    return result("f", {"v": value}, id=id)


def test_asked_before_are_the_calls_of_the_whole_model_run():
    contents = [
        calls(call("old")),
        user("a"),
        calls(call("f", id="1")),
        calls({"text": "x"}, call("g")),
        results(result("g", {})),
        user("b"),
        results(result("f", {})),
    ]
    head = TurnTree().intern(contents, CONTENT)

    assert asked_before(head) == ([Named("1", "f"), Named(None, "g")], [Named(None, "g")])


def test_nothing_was_asked_where_no_calls_are_near():
    head = TurnTree().intern(
        [calls(call("f")), *[user(str(n)) for n in range(100)], results(result("f", {}))], CONTENT
    )

    assert asked_before(head) == ([], [])


def test_order_does_not_count_where_ids_say_what_is_meant():
    assert forms(results(a("X", "1"), a("Y", "2"))) == forms(results(a("Y", "2"), a("X", "1")))
    assert forms(results(a("X", "1"), a("Y", "2"))) == forms(results(a("X", None), a("Y", None)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([results(a("X", "1"), a("Y", "2"))], [results(a("X", "2"), a("Y", "1"))]),
        ([results(a("X", "1")), results(a("Y", "2"))], [results(a("X", "2")), results(a("Y", "1"))]),
        ([results(a("X", "1"))], [results(a("X", "2"))]),
    ],
    ids=["in one content", "in contents of their own", "one of two"],
)
def test_swapped_results_are_told_apart(one: list[Any], other: list[Any]):
    assert forms(*one) != forms(*other)


def chat(*answers: tuple[str, str]) -> Turn:
    functions = [{"id": str(n), "type": "function", "function": {"name": "f"}} for n in (1, 2)]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": functions},
        *({"role": "tool", "tool_call_id": call_id, "content": value} for call_id, value in answers),
    ]
    return TurnTree().intern(messages, OPENAI_MESSAGE)


def test_swapped_results_of_a_chat_are_told_apart():
    def told(*answers: tuple[str, str]) -> list[Any]:
        return [match_content(turn) for turn in chat(*answers).line()[2:]]

    assert told(("1", "X"), ("2", "Y")) != told(("2", "X"), ("1", "Y"))
    assert told(("1", "X")) != told(("2", "X"))
    assert told(("1", "X"), ("2", "Y")) == [
        {"role": "tool", "content": "X"},
        {"role": "tool", "content": "Y"},
    ]


def test_a_message_of_no_call_is_left_as_it_is():
    lone = TurnTree().intern([{"role": "tool", "tool_call_id": "9", "content": "X"}], OPENAI_MESSAGE)

    assert match_content(lone) == {"role": "tool", "content": "X"}
    assert match_content(chat(("9", "X"))) == {"role": "tool", "content": "X"}
