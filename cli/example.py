"""The bundled example of `gemtape drill`: computed, without a cassette and without an application."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import click
import orjson
from tabulate import tabulate

from ..checks.proposals import Proposal
from ..checks.validation import Validation
from ..replay.drill.forecast import NAME, Mode, Run, Setting, run_forecast

_HEADERS: Final = ("proposal", "validate", "outcome", "result", "last day", "calls", "errors", "repairs")


def show_example(
    *,
    proposal: str | None,
    validation: str | None,
    mode: str | None,
    allowed: tuple[str, ...],
    every: bool | None,
    repairs: int,
    as_json: bool,
) -> None:
    """Compute the forecast and print it: one run with its events, or every combination in a table.

    Raises:
        click.UsageError: the options contradict each other, or name a function that is not declared.
    """
    if every and (proposal or validation):
        raise click.UsageError(
            "--all takes every proposal and every validator: leave --proposal and --validate out"
        )
    unknown = [name for name in allowed if name != NAME]
    if unknown:
        raise click.UsageError(f"--allowed {unknown[0]}: the example declares {NAME} and nothing else")
    proposals = Proposal if every else [Proposal(proposal or "bad-enum")]
    validations = Validation if every else [Validation(validation or "none")]
    runs = [
        run_forecast(Setting(item, checked, Mode(mode or "AUTO"), allowed, repairs))
        for item in proposals
        for checked in validations
    ]
    if as_json:
        written = orjson.dumps({"runs": [run.as_json() for run in runs]}, option=orjson.OPT_INDENT_2)
        click.echo(written.decode())
        return
    if not every:
        for event in runs[0].trace.events():
            click.echo(f"{event['step']:>3}  {event['kind']:<12} {event['text']}")
        click.echo()
    click.echo(tabulate(_rows(runs), _HEADERS, disable_numparse=True))


def _rows(runs: Iterable[Run]) -> list[list[Any]]:
    return [
        [
            run.setting.proposal.value,
            run.setting.validation.value,
            run.outcome.value,
            _temperatures(run.result),
            json.dumps(run.result["last_day"]) if run.result else "",  # a text in quotes is no number
            run.calls,
            run.errors_returned,
            run.repair_turns,
        ]
        for run in runs
    ]


def _temperatures(result: dict[str, Any] | None) -> str:
    if result is None:
        return ""
    return f"{result['city']}: {', '.join(map(str, result['temperatures']))} {result['unit']}"
