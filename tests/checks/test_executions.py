"""What ran, and where in a history."""

from __future__ import annotations

from typing import Any

from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.conversation import Call, Run, run_of, step_before
from gemtape.checks.executions import Executions, executed, execution_key
from gemtape.checks.settings import Order, Settings
from tests.factories import call, calls, result, results, user

SETTINGS = Settings(side_effects=("refund",), order=(Order("refund", "lookup", ("id",)),))


def _step(name: str, args: dict[str, Any], response: Any = None) -> list[dict]:
    return [calls(call(name, args)), results(result(name, response or {"status": "done"}))]


def _run(tree: TurnTree, *contents: dict) -> Run:
    run = run_of(tree.intern(contents, CONTENT))
    assert run is not None
    return run


def _answered(run: Run) -> Call:
    step = step_before(run)
    assert step is not None
    return step.calls[0]


def test_what_failed_did_not_run():
    tree = TurnTree()
    batch = calls(call("a"), call("b"), call("c"))
    answers = results(result("a", {"n": 1}), result("b", {"error": "x"}), result("c", {"late": True}))
    run = _run(tree, user("Go."), batch, answers)

    assert [found.name for found, _ in executed(run, Settings())] == ["a", "c"]
    assert [found.name for found, _ in executed(run, Settings(error_results=("/late",)))] == ["a"]
    assert list(executed(_run(tree, user("Go.")), Settings())) == []


def test_an_execution_is_found_further_down_its_own_history_only():
    tree = TurnTree()
    executions = Executions(SETTINGS)
    start = [user("Refund."), *_step("refund", {"id": 1})]
    first = _run(tree, *start)
    later = _run(tree, *start, *_step("other", {}), *_step("refund", {"id": 1}))
    branch = _run(tree, user("Refund."), *_step("other", {}), *_step("refund", {"id": 1}))
    key = execution_key(_answered(first))
    for run in (first, first, branch):
        executions.note(run, 1)

    assert executions.before(first, key) is None
    found = executions.before(later, key)
    assert found is not None
    assert found.run is first
    assert executions.before(branch, key) is None
    assert [item.run for item in executions.elsewhere(later, key)] == [branch]
    assert [item.run for item in executions.elsewhere(branch, key)] == [first]


def test_a_run_that_goes_on_is_noted_once():
    """Results, then the same results with a prompt behind them: one execution."""
    tree = TurnTree()
    executions = Executions(SETTINGS)
    history = [user("Refund."), *_step("refund", {"id": 1})]
    for run in (_run(tree, *history), _run(tree, *history, user("Thanks."))):
        executions.note(run, 1)

    other = _run(tree, user("Else."), *_step("refund", {"id": 1}))
    assert len(list(executions.elsewhere(other, execution_key(_answered(other))))) == 1


def test_keys_hold_the_name_and_the_arguments_that_count():
    tree = TurnTree()
    refund = _answered(_run(tree, user("x"), *_step("refund", {"id": 1, "amount": 2})))
    lookup = _answered(_run(tree, user("x"), *_step("lookup", {"id": 1})))

    assert execution_key(refund, ("id",), "lookup") == execution_key(lookup, ("id",))
    assert execution_key(refund, (), "lookup") == execution_key(lookup, ())
    assert execution_key(refund, ("id",)) != execution_key(lookup, ("id",))
    assert execution_key(refund) != execution_key(
        _answered(_run(tree, user("x"), *_step("refund", {"id": 1})))
    )


def test_functions_that_nobody_asked_for_are_not_kept():
    tree = TurnTree()
    executions = Executions(Settings())
    run = _run(tree, user("Refund."), *_step("refund", {"id": 1}))
    executions.note(run, 1)

    later = _run(tree, user("Refund."), *_step("refund", {"id": 1}), *_step("refund", {"id": 1}))
    assert executions.before(later, execution_key(_answered(run))) is None
