"""The verdict on a run, from what came back."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.proposals import Proposal, Proposed
from gemtape.replay.drill.outcome import Outcome
from gemtape.replay.drill.run import Baseline, Run, Verdict, baseline_of

STABLE = Baseline(({"t": 24}, {"t": 24}))
UNSTABLE = Baseline(({"t": 24, "at": 1}, {"t": 24, "at": 2}))
RESULT = (False, {"t": 24})
OTHER = (False, {"t": "NaN"})
ERROR = (True, {"error": "no"})


def _run(proposal: Proposal, *results: Any, **more: Any) -> Run:
    run = Run(Proposed(proposal, "f", {}), list(results), calls=len(results) or 1, **more)
    run.errors_returned = sum(bool(item and item[0]) for item in results)
    return run


@pytest.mark.parametrize(
    ("proposal", "results", "verdict", "outcome", "dangerous"),
    [
        (Proposal.VALID, [RESULT], Verdict.RAN, Outcome.RIGHT, False),
        (Proposal.BAD_ENUM, [OTHER], Verdict.EXECUTED, Outcome.WRONG, True),
        (Proposal.BAD_ENUM, [ERROR, RESULT], Verdict.REJECTED, Outcome.RIGHT, False),
        (Proposal.BAD_ENUM, [ERROR], Verdict.REJECTED, Outcome.REJECTED, False),
        (Proposal.BAD_ENUM, [ERROR, ERROR], Verdict.REJECTED, Outcome.REJECTED, False),
        (Proposal.STRING_NUMBER, [RESULT], Verdict.COERCED, Outcome.RIGHT, False),
        (Proposal.STRING_NUMBER, [OTHER], Verdict.EXECUTED, Outcome.WRONG, True),
        (Proposal.UNDECLARED_ARGUMENT, [OTHER], Verdict.IGNORED, Outcome.RIGHT, False),
        (Proposal.UNDECLARED_ARGUMENT, [ERROR, RESULT], Verdict.REJECTED, Outcome.RIGHT, False),
        (Proposal.UNDECLARED_FUNCTION, [OTHER], Verdict.EXECUTED, Outcome.WRONG, True),
        (Proposal.MISSING_REQUIRED, [], Verdict.CRASHED, Outcome.CRASHED, False),
        (Proposal.MISSING_REQUIRED, [None], Verdict.UNANSWERED, Outcome.CRASHED, False),
    ],
)
def test_verdicts_where_equal_calls_have_equal_results(
    proposal: Proposal, results: list[Any], verdict: Verdict, outcome: Outcome, dangerous: bool
):
    run = _run(proposal, *results)

    assert (run.verdict(STABLE), run.outcome(STABLE), run.is_dangerous(STABLE)) == (
        verdict,
        outcome,
        dangerous,
    )


@pytest.mark.parametrize(
    ("proposal", "outcome", "dangerous"),
    [
        (Proposal.BAD_ENUM, Outcome.WRONG, True),
        (Proposal.MISSING_REQUIRED, Outcome.WRONG, True),
        (Proposal.OUT_OF_RANGE, Outcome.WRONG, True),
        (Proposal.UNDECLARED_FUNCTION, Outcome.WRONG, True),
        (Proposal.STRING_NUMBER, Outcome.UNKNOWN, False),
    ],
)
def test_where_results_differ_by_themselves_only_rejection_can_be_told(
    proposal: Proposal, outcome: Outcome, dangerous: bool
):
    run = _run(proposal, RESULT)

    assert run.verdict(UNSTABLE) is Verdict.NOT_REJECTED
    assert (run.outcome(UNSTABLE), run.is_dangerous(UNSTABLE)) == (outcome, dangerous)
    assert _run(proposal, ERROR).verdict(UNSTABLE) is Verdict.REJECTED


@pytest.mark.parametrize(
    ("result", "usual", "verdict"),
    [
        (RESULT, False, Verdict.NOT_REJECTED),
        (OTHER, False, Verdict.EXECUTED),
        (RESULT, True, Verdict.COERCED),
    ],
)
def test_a_result_of_recorded_answers_to_what_nobody_recorded(result: Any, usual: bool, verdict: Verdict):
    """Is equal to that of the valid call in any case; but where prompts differ by themselves they say nothing."""
    run = _run(Proposal.MISSING_REQUIRED, result, improvised=True)
    baseline = baseline_of([_run(Proposal.VALID, RESULT, improvised=usual)] * 2)

    assert baseline is not None
    assert run.verdict(baseline) is verdict
    assert run.is_dangerous(baseline) is (verdict is not Verdict.COERCED)


def test_what_the_mode_allowed_instead():
    words = _run(Proposal.BAD_ENUM, constrained="mode NONE")
    words.calls = 0
    assert (words.verdict(STABLE), words.outcome(STABLE)) == (Verdict.CONSTRAINED, Outcome.TEXT)

    declared = _run(Proposal.UNDECLARED_FUNCTION, RESULT, constrained="mode ANY")
    assert (declared.verdict(STABLE), declared.outcome(STABLE)) == (Verdict.CONSTRAINED, Outcome.RIGHT)


def test_a_request_that_the_api_would_refuse():
    run = _run(Proposal.BAD_ENUM, refused="no signature")

    assert (run.verdict(STABLE), run.outcome(STABLE)) == (Verdict.REFUSED, Outcome.CRASHED)


@pytest.mark.parametrize(("astray", "verdict"), [(True, Verdict.UNANSWERED), (False, Verdict.CRASHED)])
def test_an_application_that_asks_on_has_not_crashed(astray: bool, verdict: Verdict):
    assert _run(Proposal.BAD_ENUM, astray=astray).verdict(STABLE) is verdict


@pytest.mark.parametrize("results", [[], [None], [ERROR]])
def test_without_a_result_of_the_valid_call_there_is_no_baseline(results: list[Any]):
    assert baseline_of([_run(Proposal.VALID, RESULT), _run(Proposal.VALID, *results)]) is None


def test_the_baseline_compares_json_values():
    first, second = (
        _run(Proposal.VALID, (False, {"a": 1, "b": 2})),
        _run(Proposal.VALID, (False, {"b": 2, "a": 1})),
    )

    baseline = baseline_of([first, second])
    assert baseline is not None
    assert baseline.stable
    assert not UNSTABLE.stable
    assert not Baseline(({"t": 1},)).stable
