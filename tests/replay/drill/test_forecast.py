"""Every cell of the experiment, and what modes and repairs change."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from gemtape.checks.proposals import Proposal
from gemtape.checks.validation import Validation
from gemtape.replay.drill.forecast import DECLARATION, Mode, Run, Setting, forecast, run_forecast
from gemtape.replay.drill.outcome import Outcome

NONE, COERCE, STRICT = Validation.NONE, Validation.COERCE, Validation.STRICT
VALID = {"city": "Pune", "days": 3, "unit": "celsius"}
RIGHT = {"city": "Pune", "unit": "celsius", "temperatures": [24, 26, 25], "last_day": 13}
AT_ONCE = (Outcome.RIGHT, VALID, RIGHT, 1, 0, 0)
REPAIRED = (Outcome.RIGHT, VALID, RIGHT, 2, 1, 1)


def _told(run: Run) -> tuple[Any, ...]:
    return run.outcome, run.executed_args, run.result, run.calls, run.errors_returned, run.repair_turns


def _wrong(args: dict[str, Any], **result: Any) -> tuple[Any, ...]:
    return Outcome.WRONG, args, {**RIGHT, **result}, 1, 0, 0


CELLS = {
    (Proposal.VALID, NONE): AT_ONCE,
    (Proposal.VALID, COERCE): AT_ONCE,
    (Proposal.VALID, STRICT): AT_ONCE,
    (Proposal.BAD_ENUM, NONE): _wrong({**VALID, "unit": "kelvin"}, unit="kelvin"),
    (Proposal.BAD_ENUM, COERCE): REPAIRED,
    (Proposal.BAD_ENUM, STRICT): REPAIRED,
    (Proposal.STRING_NUMBER, NONE): _wrong({**VALID, "days": "3"}, last_day="103"),
    (Proposal.STRING_NUMBER, COERCE): AT_ONCE,
    (Proposal.STRING_NUMBER, STRICT): REPAIRED,
    (Proposal.MISSING_REQUIRED, NONE): _wrong({"days": 3, "unit": "celsius"}, city="undefined"),
    (Proposal.MISSING_REQUIRED, COERCE): REPAIRED,
    (Proposal.MISSING_REQUIRED, STRICT): REPAIRED,
    (Proposal.OUT_OF_RANGE, NONE): _wrong(
        {**VALID, "days": 14}, temperatures=[24, 26, 25, 23, 27, 28, 24], last_day=24
    ),
    (Proposal.OUT_OF_RANGE, COERCE): REPAIRED,
    (Proposal.OUT_OF_RANGE, STRICT): REPAIRED,
    (Proposal.UNDECLARED_ARGUMENT, NONE): (Outcome.RIGHT, {**VALID, "tenant": "acme"}, RIGHT, 1, 0, 0),
    (Proposal.UNDECLARED_ARGUMENT, COERCE): AT_ONCE,
    (Proposal.UNDECLARED_ARGUMENT, STRICT): REPAIRED,
    (Proposal.UNDECLARED_FUNCTION, NONE): REPAIRED,
    (Proposal.UNDECLARED_FUNCTION, COERCE): REPAIRED,
    (Proposal.UNDECLARED_FUNCTION, STRICT): REPAIRED,
}


def test_every_combination_has_a_cell():
    assert CELLS.keys() == {(proposal, validation) for proposal in Proposal for validation in Validation}


@pytest.mark.parametrize(("proposal", "validation"), CELLS)
def test_cell(proposal: Proposal, validation: Validation):
    assert _told(run_forecast(Setting(proposal, validation))) == CELLS[proposal, validation]


def test_without_repairs_a_rejected_call_is_an_explicit_failure():
    run = run_forecast(Setting(Proposal.BAD_ENUM, STRICT, repairs=0))

    assert _told(run) == (Outcome.REJECTED, None, None, 1, 1, 0)
    assert "could not be fetched" in run.answer
    assert "kelvin" in run.answer


@pytest.mark.parametrize("validation", Validation)
@pytest.mark.parametrize("proposal", Proposal)
def test_mode_none_answers_in_text_without_a_call(proposal: Proposal, validation: Validation):
    run = run_forecast(Setting(proposal, validation, Mode.NONE, ("get_forecast",)))

    assert _told(run) == (Outcome.TEXT, None, None, 0, 0, 0)
    assert not any(character.isdigit() for character in run.answer)


@pytest.mark.parametrize(
    ("mode", "allowed", "told"),
    [
        (Mode.ANY, ("get_forecast",), AT_ONCE),
        (Mode.ANY, (), REPAIRED),
        (Mode.AUTO, ("get_forecast",), REPAIRED),
    ],
)
def test_an_allowed_list_constrains_the_name_in_mode_any_only(
    mode: Mode, allowed: tuple[str, ...], told: tuple[Any, ...]
):
    assert _told(run_forecast(Setting(Proposal.UNDECLARED_FUNCTION, STRICT, mode, allowed))) == told


def test_an_allowed_list_does_not_mend_arguments():
    run = run_forecast(Setting(Proposal.BAD_ENUM, NONE, Mode.ANY, ("get_forecast",)))

    assert run.outcome is Outcome.WRONG


def test_the_function_knows_fahrenheit_and_its_default():
    assert forecast({"city": "Pune", "days": 2, "unit": "fahrenheit"})["temperatures"] == [75, 79]
    assert forecast({"city": "Pune", "days": 1})["unit"] == "celsius"
    assert forecast({"city": "Pune"})["last_day"] == "10undefined"


@pytest.mark.parametrize("proposal", Proposal)
def test_a_run_as_json_says_how_it_was_made_and_can_be_played(proposal: Proposal):
    setting = Setting(proposal, STRICT, Mode.ANY, ("get_forecast",), 2)
    written = orjson.loads(orjson.dumps(run_forecast(setting).as_json()))

    assert list(written) == [
        *("proposal", "validate", "mode", "allowed", "repairs", "outcome", "executed_args", "result"),
        *("answer", "calls", "errors_returned", "repair_turns", "events"),
    ]
    assert [written[key] for key in ("proposal", "validate", "mode", "allowed", "repairs")] == [
        *(proposal.value, "strict", "ANY", ["get_forecast"], 2)
    ]
    events = written["events"]
    assert [event["step"] for event in events] == list(range(1, len(events) + 1))
    assert events[0] == {
        "step": 1,
        "at_s": 0,
        "kind": "declaration",
        "text": "the request declares get_forecast",
        "declaration": DECLARATION,
        "mode": "ANY",
    }
    assert events[-1]["at_s"] == 60
    assert events[-1]["kind"] == "outcome"
    assert all(event["text"] for event in events)


def test_the_events_of_a_repaired_run_tell_the_story():
    kinds = [event["kind"] for event in run_forecast(Setting(Proposal.BAD_ENUM, STRICT)).trace.events()]

    assert kinds == [
        *("declaration", "prompt", "call", "validation", "response"),
        *("call", "validation", "execution", "response", "answer", "outcome"),
    ]
