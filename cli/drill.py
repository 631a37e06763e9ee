"""`gemtape drill`: what an application does with calls that its functions were not declared for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from ..replay.drill.forecast import Run

_PROPOSALS: Final = (
    "valid",
    "bad-enum",
    "string-number",
    "missing-required",
    "out-of-range",
    "undeclared-argument",
    "undeclared-function",
)
_VALIDATIONS: Final = ("none", "coerce", "strict")


@click.command()
@click.option(
    "--example", type=click.Choice(["forecast"]), help="Compute the bundled example; no cassette, no command."
)
@click.option(
    "--proposal", type=click.Choice(_PROPOSALS), help="The call that the model proposes (bad-enum)."
)
@click.option(
    "--validate", "validation", type=click.Choice(_VALIDATIONS), help="What checks it before it runs (none)."
)
@click.option("--mode", type=click.Choice(["AUTO", "ANY", "NONE"]), help="The function calling mode (AUTO).")
@click.option("--allowed", multiple=True, metavar="NAME", help="A function that mode ANY may call.")
@click.option("--all", "every", is_flag=True, help="Every proposal with every validator, in one table.")
@click.option(
    "--repairs",
    type=click.IntRange(0, 100),
    metavar="N",
    default=1,
    show_default=True,
    help="Turns in which the model may send the valid call after an error result.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="JSON holds every event.",
)
def command(
    *,
    example: str | None,
    proposal: str | None,
    validation: str | None,
    mode: str | None,
    allowed: tuple[str, ...],
    every: bool,
    repairs: int,
    form: str,
) -> None:
    """Drill a dispatcher with malformed calls.

    The bundled example computes what becomes of one proposed call: gemtape drill --example forecast --validate strict.
    """
    if example is None:
        raise click.UsageError("name a cassette, or the example: gemtape drill --example forecast")
    if every and (proposal or validation):
        raise click.UsageError(
            "--all takes every proposal and every validator: leave --proposal and --validate out"
        )
    show_example(
        [proposal or "bad-enum"] if not every else _PROPOSALS,
        [validation or "none"] if not every else _VALIDATIONS,
        mode=mode or "AUTO",
        allowed=allowed,
        repairs=repairs,
        as_json=form == "json",
    )


def show_example(
    proposals: Iterable[str],
    validations: Iterable[str],
    *,
    mode: str,
    allowed: tuple[str, ...],
    repairs: int,
    as_json: bool,
) -> None:
    """Compute the forecast for every combination and print it; a single run with its events."""
    from ..checks.proposals import Proposal  # noqa: PLC0415 - `--help` waits for nothing
    from ..checks.validation import Validation  # noqa: PLC0415
    from ..replay.drill.forecast import NAME, Mode, Setting, run_forecast  # noqa: PLC0415

    unknown = [name for name in allowed if name != NAME]
    if unknown:
        raise click.UsageError(f"--allowed {unknown[0]}: the example declares {NAME} and nothing else")
    validators = list(map(Validation, validations))
    runs = [
        run_forecast(Setting(Proposal(proposal), validation, Mode(mode), allowed, repairs))
        for proposal in proposals
        for validation in validators
    ]
    if as_json:
        import orjson  # noqa: PLC0415

        written = orjson.dumps({"runs": [run.as_json() for run in runs]}, option=orjson.OPT_INDENT_2)
        click.echo(written.decode())
        return
    if len(runs) == 1:
        for event in runs[0].trace.events():
            click.echo(f"{event['step']:>3}  {event['kind']:<12} {event['text']}")
        click.echo()
    click.echo(_table(runs))


def _table(runs: Iterable[Run]) -> str:
    from tabulate import tabulate  # noqa: PLC0415

    rows = [
        [
            run.setting.proposal.value,
            run.setting.validation.value,
            run.outcome.value,
            _temperatures(run.result),
            _last_day(run.result),
            run.calls,
            run.errors_returned,
            run.repair_turns,
        ]
        for run in runs
    ]
    headers = ["proposal", "validate", "outcome", "result", "last day", "calls", "errors", "repairs"]
    return tabulate(rows, headers, disable_numparse=True)


def _temperatures(result: dict[str, Any] | None) -> str:
    if result is None:
        return ""
    return f"{result['city']}: {', '.join(map(str, result['temperatures']))} {result['unit']}"


def _last_day(result: dict[str, Any] | None) -> str:
    """The last day as JSON has it: a text in quotes is no number."""
    return json.dumps(result["last_day"]) if result else ""
