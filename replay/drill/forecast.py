"""The computed experiment: one proposed call, three validators, and a function that believes whatever it is given.

Neither a model nor an application runs here: the proposed calls are fixed, after an error the next model turn is always
the valid call, and the function adds and cuts as a dynamically typed language does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from ...checks.proposals import Proposal
from ...checks.validation import Validation, validate, written_call
from .outcome import Outcome
from .trace import Trace

NAME: Final = "get_forecast"
DECLARATION: Final[dict[str, Any]] = {
    "name": NAME,
    "description": "Daily highest temperatures of the coming days in a city.",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING", "description": "Name of the city."},
            "days": {"type": "INTEGER", "minimum": 1, "maximum": 7, "description": "Number of days."},
            "unit": {
                "type": "STRING",
                "enum": ["celsius", "fahrenheit"],
                "description": "Unit of the temperatures; celsius by default.",
            },
        },
        "required": ["city", "days"],
    },
}
PROMPT: Final = "Will Pune be warmer than 25 degrees over the next 3 days?"
_VALID: Final[dict[str, Any]] = {"city": "Pune", "days": 3, "unit": "celsius"}
_CALLS: Final[dict[Proposal, tuple[str, dict[str, Any]]]] = {
    Proposal.VALID: (NAME, _VALID),
    Proposal.BAD_ENUM: (NAME, {**_VALID, "unit": "kelvin"}),
    Proposal.STRING_NUMBER: (NAME, {**_VALID, "days": "3"}),
    Proposal.MISSING_REQUIRED: (NAME, {"days": 3, "unit": "celsius"}),
    Proposal.OUT_OF_RANGE: (NAME, {**_VALID, "days": 14}),
    Proposal.UNDECLARED_ARGUMENT: (NAME, {**_VALID, "tenant": "acme"}),
    Proposal.UNDECLARED_FUNCTION: ("get_weather", _VALID),
}
_CELSIUS: Final = (24, 26, 25, 23, 27, 28, 24)
_TODAY: Final = 10
"""Day of the month; the last day of a forecast is counted from it."""
_WARM: Final = 25
"""Degrees Celsius that the question asks about."""


class Mode(StrEnum):
    """The function calling mode of the request."""

    AUTO = "AUTO"
    ANY = "ANY"
    NONE = "NONE"


@dataclass(frozen=True, slots=True)
class Setting:
    """What one run is made of; `allowed` counts in mode ANY only, `repairs` is the number of turns after an error."""

    proposal: Proposal = Proposal.BAD_ENUM
    validation: Validation = Validation.NONE
    mode: Mode = Mode.AUTO
    allowed: tuple[str, ...] = ()
    repairs: int = 1


@dataclass(slots=True)
class Run:
    """What came of a run; `executed_args` is what reached the function, None where nothing did."""

    setting: Setting
    outcome: Outcome = Outcome.TEXT
    executed_args: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    answer: str = ""
    calls: int = 0
    errors_returned: int = 0
    repair_turns: int = 0
    trace: Trace = field(default_factory=Trace)

    def as_json(self) -> dict[str, Any]:
        """The run as plain values."""
        setting = self.setting
        return {
            "proposal": setting.proposal,
            "validate": setting.validation,
            "mode": setting.mode,
            "allowed": list(setting.allowed),
            "repairs": setting.repairs,
            "outcome": self.outcome,
            "executed_args": self.executed_args,
            "result": self.result,
            "answer": self.answer,
            "calls": self.calls,
            "errors_returned": self.errors_returned,
            "repair_turns": self.repair_turns,
            "events": self.trace.events(),
        }


def run_forecast(setting: Setting) -> Run:
    """Compute one run."""
    run = Run(setting)
    run.trace.add("declaration", f"the request declares {NAME}", declaration=DECLARATION, mode=setting.mode)
    run.trace.add("prompt", PROMPT)
    if setting.mode is Mode.NONE:
        return _ended(run, Outcome.TEXT, "I have no forecast data to answer that with.")
    name, args = _CALLS[setting.proposal]
    if setting.mode is Mode.ANY and setting.allowed and name not in setting.allowed:
        name, args = NAME, _VALID
        run.trace.add("constraint", f"only {', '.join(setting.allowed)} may be called")
    while True:
        run.calls += 1
        run.trace.add("call", f"the model proposes {written_call(name, args)}", name=name, args=args)
        error = _dispatched(run, name, args)
        if not error:
            break
        run.errors_returned += 1
        run.trace.add("response", f"error result: {error}", response={"error": error})
        if run.repair_turns == setting.repairs:
            return _ended(run, Outcome.REJECTED, f"The forecast could not be fetched: {error}.")
        run.repair_turns += 1
        name, args = NAME, _VALID
    run.trace.add("response", "the result goes back to the model", response=run.result)
    right = run.result == forecast(_VALID)
    return _ended(run, Outcome.RIGHT if right else Outcome.WRONG, _answer(run.result or {}))


def forecast(args: Mapping[str, Any]) -> dict[str, Any]:
    """The local function: it checks nothing, and makes of every argument what can be made of it."""
    unit = args.get("unit", "celsius")
    days = args.get("days", "undefined")
    temperatures = _CELSIUS[: int(days)] if str(days).isdecimal() else ()
    if unit == "fahrenheit":
        temperatures = [round(celsius * 9 / 5 + 32) for celsius in temperatures]
    return {
        "city": args.get("city", "undefined"),
        "unit": unit,
        "temperatures": list(temperatures),
        "last_day": _TODAY + days if isinstance(days, int) else f"{_TODAY}{days}",
    }


def _dispatched(run: Run, name: str, args: dict[str, Any]) -> str:
    """Validate and run a call; the error where it was refused."""
    if name != NAME:
        error = f"there is no function {name}"
        run.trace.add("dispatch", f"refused: {error}", refused=error)
        return error
    validation = run.setting.validation
    validated = validate(DECLARATION, args, validation)
    if validation is not Validation.NONE:
        words = f"rejected: {validated.error}" if validated.rejected else "accepted"
        if not validated.rejected and validated.args != args:
            words += f" as {written_call(name, validated.args)}"
        run.trace.add("validation", f"{validation}: {words}", validator=validation, error=validated.error)
    if validated.rejected:
        return validated.error
    run.executed_args = validated.args
    run.result = forecast(validated.args)
    run.trace.add(
        "execution", f"{written_call(name, validated.args)} runs", args=validated.args, result=run.result
    )
    return ""


def _answer(result: dict[str, Any]) -> str:
    """What the model makes of a result: it takes every number for what its label says."""
    temperatures = result["temperatures"]
    limit = round(_WARM * 9 / 5 + 32) if result["unit"] == "fahrenheit" else _WARM
    warmest = max(temperatures, default=None)
    said = f"up to {warmest} degrees {result['unit']} in {result['city']} until day {result['last_day']}"
    return f"{'Yes' if warmest is not None and warmest > limit else 'No'}: {said}."


def _ended(run: Run, outcome: Outcome, answer: str) -> Run:
    run.outcome, run.answer = outcome, answer
    run.trace.add("answer", answer)
    run.trace.add("outcome", outcome, calls=run.calls, errors_returned=run.errors_returned)
    return run
