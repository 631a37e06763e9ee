"""Calls that ran before the one that has to run first."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.out_of_order_call import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import call, calls, model_text, result, results, user

CONFIG = 'order = [{call = "refund", after = "lookup", same = ["id"]}]'
ASK = user("Refund ORD-100.")
PAID, DONE = {"paid": 4599}, {"status": "done"}


def _step(name: str, args: Any, response: Any = DONE, *, mark: str = "A") -> list[dict]:
    return [calls(call(name, args, signature=f"EpwCCpkC{mark * 4}")), results(result(name, response))]


LOOKUP = _step("lookup", {"id": 1}, PAID)
REFUND = _step("refund", {"id": 1, "amount": 4599}, mark="B")


def _found(*steps: Any, config: str = CONFIG) -> list[tuple[int, str]]:
    return [(item.exchange, item.pointer) for item in judge(*steps, config=config) if item.rule == NAME]


@pytest.mark.parametrize(
    ("history", "pointer"),
    [
        ([ASK, *REFUND], "/contents/2/parts/0"),
        ([ASK, *_step("lookup", {"id": 2}, PAID), *REFUND], "/contents/4/parts/0"),
        ([ASK, *_step("lookup", {}, PAID), *REFUND], "/contents/4/parts/0"),
        ([ASK, *_step("lookup", {"id": 1}, {"error": "not found"}), *REFUND], "/contents/4/parts/0"),
        ([ASK, *REFUND, *LOOKUP], "/contents/2/parts/0"),
    ],
    ids=["no lookup", "another order's", "no id", "failed", "too late"],
)
def test_it_is_an_error_on_the_response(history: list[dict], pointer: str):
    violations = judge(history, config=CONFIG)

    assert found(violations, NAME) == [("error", pointer)]
    assert loud(violations) == [(NAME, pointer)]


def test_in_one_step_the_result_was_not_known_yet():
    batch = calls(call("lookup", {"id": 1}, signature="EpwCCpkC"), call("refund", {"id": 1}))

    assert _found([ASK, batch, results(result("lookup", PAID), result("refund", DONE))]) == [
        (1, "/contents/2/parts/1")
    ]


def test_the_message_names_call_forerunner_and_arguments():
    message = judge([ASK, *REFUND], config=CONFIG)[-1].message

    assert message == (
        "refund ran (the call is contents[1].parts[0]), and no lookup with the same id had run before it"
    )


@pytest.mark.parametrize(
    "history",
    [
        [ASK, *LOOKUP, *REFUND],
        [ASK, *LOOKUP, model_text("4599 were paid. Refund?"), user("Yes."), *REFUND],
        [ASK, *_step("refund", {"id": 1}, {"error": "look the order up first"})],
        [ASK, *_step("other", {"id": 1})],
    ],
    ids=["in order", "an earlier turn", "refused", "another function"],
)
def test_the_right_order_is_fine(history: list[dict]):
    assert loud(judge(history, config=CONFIG)) == []


def test_without_common_arguments_any_forerunner_does():
    config = 'order = [{call = "refund", after = "lookup"}]'

    assert _found([ASK, *_step("lookup", {"id": 2}, PAID), *REFUND], config=config) == []
    assert _found([ASK, *REFUND], config=config) == [(1, "/contents/2/parts/0")]


def test_without_configuration_there_is_no_order():
    assert _found([ASK, *REFUND], config="") == []


def test_it_is_told_by_the_request_that_brings_it():
    history = [ASK, *REFUND]

    assert _found((history, model_text("Done.")), [*history, model_text("Done."), user("Thanks.")]) == [
        (1, "/contents/2/parts/0")
    ]


def test_a_branch_without_the_forerunner_is_out_of_order():
    """Another conversation's lookup is not this one's."""
    chat = [user("Hello."), *LOOKUP]

    assert _found(chat, [ASK, *REFUND]) == [(2, "/contents/2/parts/0")]


def test_what_was_compacted_away_still_ran():
    """The turn with the lookup is cut off; the refund's own turn shows that the conversation is the same."""
    answer = calls(call("lookup", {"id": 1}, signature="EpwCCpkCAAAA", id="l1"))
    looked = results(result("lookup", PAID, id="l1"))
    refund = calls(call("refund", {"id": 1}, signature="EpwCCpkCBBBB", id="r1"))
    steps = [
        ([ASK], answer),
        ([ASK, answer, looked], refund),
        [user("Summary: the order is paid."), refund, results(result("refund", DONE, id="r1"))],
    ]

    assert _found(*steps) == []


def test_another_agents_lookup_counts_where_it_is_retold():
    chat = [user("Look ORD-100 up."), *LOOKUP]
    retold = user("[lookup agent] called tool `lookup` with {id: 1}: paid 4599. Now refund it.")

    assert _found(chat, [retold, *REFUND]) == []
    assert _found([retold, *REFUND]) == [(1, "/contents/2/parts/0")]
