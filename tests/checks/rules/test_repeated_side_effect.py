"""Functions with side effects that ran twice."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.repeated_side_effect import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import call, calls, model_text, result, results, user

CONFIG = 'side-effects = ["refund"]'
ASK = user("Refund ORD-100.")
DONE = {"status": "done"}


def _step(args: Any, response: Any = DONE, *, name: str = "refund", mark: str = "A") -> list[dict]:
    """A call and its result; `mark` makes its signature, and so the call, another one."""
    return [calls(call(name, args, signature=f"EpwCCpkC{mark * 4}")), results(result(name, response))]


def _found(*steps: Any, config: str = CONFIG) -> list[tuple[int, str]]:
    return [(item.exchange, item.pointer) for item in judge(*steps, config=config) if item.rule == NAME]


def test_the_second_execution_is_a_warning_on_its_response():
    violations = judge([ASK, *_step({"id": 1}), *_step({"id": 1}, mark="B")], config=CONFIG)

    assert found(violations, NAME) == [("warning", "/contents/4/parts/0")]
    assert loud(violations) == [(NAME, "/contents/4/parts/0")]
    assert "contents[1].parts[0]" in violations[-1].message


def test_equal_calls_of_one_batch_are_two_executions():
    batch = calls(call("refund", {"id": 1}, signature="EpwCCpkC"), call("refund", {"id": 1}))

    assert _found([ASK, batch, results(result("refund", DONE), result("refund", DONE))]) == [
        (1, "/contents/2/parts/1")
    ]


def test_a_third_execution_is_told_as_well():
    history = [ASK, *_step({"id": 1}), *_step({"id": 1}, mark="B"), *_step({"id": 1}, mark="C")]

    assert _found(history) == [(1, "/contents/4/parts/0"), (1, "/contents/6/parts/0")]


def test_each_is_told_by_the_request_that_brings_it():
    first = [ASK, *_step({"id": 1})]
    second = [*first, *_step({"id": 1}, mark="B")]

    steps = [
        (first, second[3]),
        (second, model_text("Done.")),
        [*second, model_text("Done."), user("Thanks.")],
    ]
    assert _found(*steps) == [(2, "/contents/4/parts/0")]


@pytest.mark.parametrize(
    "history",
    [
        [ASK, *_step({"id": 1}), *_step({"id": 2}, mark="B")],
        [ASK, *_step({"id": 1}, {"error": "timeout"}), *_step({"id": 1}, mark="B")],
        [ASK, *_step({"id": 1}), *_step({"id": 1}, {"error": "refunded already"}, mark="B")],
        [ASK, *_step({"id": 1}, name="lookup"), *_step({"id": 1}, name="lookup", mark="B")],
    ],
    ids=["other arguments", "failed before", "refused", "not listed"],
)
def test_what_did_not_run_twice_is_fine(history: list[dict]):
    assert loud(judge(history, config=CONFIG)) == []


def test_without_configuration_nothing_is_counted():
    assert _found([ASK, *_step({"id": 1}), *_step({"id": 1}, mark="B")], config="") == []


def test_a_retry_runs_nothing_again():
    """The same request twice, the first one answered with 503; and again beside itself."""
    history = [ASK, *_step({"id": 1})]
    failed = (history, {"error": {"code": 503, "message": "overloaded"}}, 503)

    assert _found(failed, (history, model_text("Done.")), (history, model_text("Done."))) == []


def test_branches_and_other_conversations_are_not_added_up():
    """The user takes the turn back and asks otherwise; a second chat refunds the same order."""
    branch = [ASK, *_step({"id": 1}, mark="B")]
    chat = [user("Hello. Refund ORD-100."), *_step({"id": 1}, mark="C")]

    assert _found([ASK, *_step({"id": 1})], branch, chat) == []


def test_an_argument_order_makes_no_difference():
    history = [ASK, *_step({"id": 1, "amount": 2.0}), *_step({"amount": 2, "id": 1}, mark="B")]

    assert _found(history) == [(1, "/contents/4/parts/0")]


def _trimmed(mark: str) -> list[Any]:
    """A refund, then more, then the history without the first turn and another refund whose call has this mark."""
    first = [ASK, *_step({"id": 1})]
    more = [*first, model_text("Done."), user("And the invoice?")]
    sent = _step({}, name="send_invoice", mark="S")
    kept = [user("And the invoice?"), *sent]
    again = _step({"id": 1}, mark=mark)
    return [
        ([ASK], first[1]),
        (first, model_text("Done.")),
        (more, sent[0]),
        (kept, again[0]),
        [*kept, *again],
    ]


def test_a_repetition_counts_though_the_first_call_was_trimmed_away():
    """Often that is why the model calls again."""
    steps = _trimmed("B")

    violations = judge(*steps, config=CONFIG)
    assert [(item.exchange, item.pointer) for item in violations if item.rule == NAME] == [
        (5, "/contents/4/parts/0")
    ]
    assert violations[-1].message.endswith("no longer in the history")


def test_a_window_that_slides_sends_the_same_call_again():
    first, more = _step({"id": 1}), _step({}, name="send_invoice", mark="S")
    steps = [
        ([ASK], first[0]),
        ([ASK, *first], more[0]),
        [user("Summary: a refund is asked for."), *first, *more],
    ]

    assert _found(*steps) == []
