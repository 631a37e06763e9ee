"""`gemtape drill`: what an application does with calls that its functions were not declared for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from .beside import COMMAND, OPENAI, BesideCommand
from .grouped import under

if TYPE_CHECKING:
    from ..replay.drill.told import Drilled
    from .drilling import Drill

PROPOSALS: Final = (
    "valid",
    "bad-enum",
    "string-number",
    "missing-required",
    "out-of-range",
    "undeclared-argument",
    "undeclared-function",
)
_TOLD: Final = 10
"""Calls that are not drilled and told of one by one."""
_LONGEST: Final = 600
_FOR_EXAMPLE: Final = ("validation", "mode", "allowed", "every")
_FOR_CASSETTE: Final = ("exchange", "timeout_s", "openai")


_what = under("What is proposed")
_command = under("To a COMMAND")
_example = under("In place of a cassette")


@click.command(cls=BesideCommand)
@click.argument("cassette", required=False, type=click.Path(path_type=Path), metavar="[CASSETTE]")
@COMMAND
@_what(
    "--proposal", type=click.Choice(PROPOSALS), metavar="KIND", help=f"Only this one: {', '.join(PROPOSALS)}."
)
@_what(
    "--repairs",
    type=click.IntRange(0, 100),
    metavar="N",
    default=1,
    show_default=True,
    help="Turns in which the model may send the valid call after an error result.",
)
@_what("--exchange", type=click.IntRange(min=1), metavar="N", help="Only the calls of this exchange.")
@_command(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0.1, 3600),
    metavar="SECONDS",
    help="End it when it sends no request for so long; 30 by default.",
)
@_command("--openai", is_flag=True, default=None, help=OPENAI)
@_example("--example", type=click.Choice(["forecast"]), help="Compute the bundled example.")
@_example(
    "--validate",
    "validation",
    type=click.Choice(["none", "coerce", "strict"]),
    help="What checks its call before it runs; none by default.",
)
@_example("--mode", type=click.Choice(["AUTO", "ANY", "NONE"]), help="The calling mode; AUTO by default.")
@_example("--allowed", multiple=True, metavar="NAME", help="A function that mode ANY may call.")
@_example("--all", "every", is_flag=True, default=None, help="All proposals and validators, in one table.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people; or for programs, with every event.",
)
@click.pass_context
def command(
    context: click.Context,
    *,
    cassette: Path | None,
    beside: tuple[str, ...],
    example: str | None,
    form: str,
    **how: Any,
) -> None:
    """Propose malformed calls to an application, and say what it does.

    Plays a recorded conversation to COMMAND, once for each proposal: the recorded call, and the same call with a value
    outside its enumeration, a number as text, a required argument missing, a number out of range, an argument or a
    function that nobody declared. After an error result the model sends the valid call, as often as --repairs says. The
    verdict is read from the next request: rejected, coerced, executed as it was, crashed. Exit code 1: something ran that
    the declaration rules out; 2: not even a valid call ran, so nothing was tried.

    Without a COMMAND the proposals are listed. gemtape drill --example forecast computes an example that needs neither.
    """
    given = {name for name, value in how.items() if value not in (None, ())}
    if example is not None:
        if cassette is not None or given.intersection(_FOR_CASSETTE):
            raise click.UsageError("--example takes no cassette, no COMMAND and none of their options")
        from .example import show_example  # noqa: PLC0415 - `--help` waits for nothing

        show_example(
            as_json=form == "json", **{name: how[name] for name in (*_FOR_EXAMPLE, "proposal", "repairs")}
        )
        return
    if cassette is None:
        raise click.UsageError("name a cassette, or the example: gemtape drill --example forecast")
    if given.intersection(_FOR_EXAMPLE):
        raise click.UsageError("--validate, --mode, --allowed and --all belong to --example")
    context.exit(
        _drill(
            cassette, beside, form, **{name: how[name] for name in (*_FOR_CASSETTE, "proposal", "repairs")}
        )
    )


def _drill(
    cassette: Path,
    beside: tuple[str, ...],
    form: str,
    *,
    proposal: str | None,
    repairs: int,
    exchange: int | None,
    timeout_s: float | None,
    openai: bool | None,
) -> int:
    """Drill a cassette, or list what would be proposed; the exit code."""
    from ..checks.config import load_config  # noqa: PLC0415
    from ..checks.proposals import Proposal  # noqa: PLC0415
    from .drilling import Drill, Drilling  # noqa: PLC0415

    drill = Drill(
        Drilling(
            cassette=cassette,
            command=beside,
            config=load_config(),
            proposal=Proposal(proposal) if proposal else None,
            exchange=exchange,
            repairs=repairs,
            timeout_s=timeout_s or 30.0,
            openai=bool(openai),
        )
    )
    try:
        _tell_left_out(drill)
        if not beside:
            _show_plan(drill, cassette, form)
            return 0
        drilled, signalled = drill.run()
    finally:
        drill.close()
    if form == "json":
        from ..replay.drill.told import as_json  # noqa: PLC0415

        _print_json(as_json(str(cassette), beside, drilled))
    else:
        _print(drilled)
    if signalled:
        return 128 + signalled
    if not any(item.baseline.results for item in drilled):
        click.echo("gemtape: no valid call ran, so nothing was tried", err=True)
        return 2
    return int(any(item.dangerous for item in drilled))


def _tell_left_out(drill: Drill) -> None:
    """Say which calls are not drilled, and why."""
    from ..replay.lines import printable  # noqa: PLC0415

    for target in drill.left_out[:_TOLD]:
        words = f"{target.function} of exchange {target.exchange} is not drilled: {target.why}"
        click.echo(printable(words, _LONGEST), err=True)
    if len(drill.left_out) > _TOLD:
        click.echo(f"and {len(drill.left_out) - _TOLD} more are not drilled", err=True)


def _show_plan(drill: Drill, cassette: Path, form: str) -> None:
    from ..replay.drill.told import PLANNED, plan_as_json, planned_rows  # noqa: PLC0415

    plan = [
        (target, item) for target in drill.targets for item in (target.proposals[0], *drill.proposals(target))
    ]
    if form == "json":
        _print_json(plan_as_json(str(cassette), plan))
        return
    click.echo(_table(PLANNED, planned_rows(plan)))
    click.echo(f"\nTo run them: gemtape drill {cassette} -- COMMAND", err=True)


def _print_json(value: Any) -> None:
    import orjson  # noqa: PLC0415

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _print(drilled: list[Drilled]) -> None:
    from ..replay.drill.told import HEADERS, LONGEST_NAME, rows  # noqa: PLC0415
    from ..replay.lines import printable  # noqa: PLC0415

    click.echo(_table(HEADERS, rows(drilled)))
    for item in drilled:
        if item.note:
            function = printable(item.target.function, LONGEST_NAME)
            click.echo(f"\nexchange {item.target.exchange}, {function}: {item.note}")
        for run in item.runs:
            if run.verdict(item.baseline).value == "crashed" and run.said:
                click.echo(
                    f"\nexchange {item.target.exchange}, {run.proposed.proposal}: the last it said was\n  {run.said}"
                )
    dangerous = sum(item.dangerous for item in drilled)
    runs = sum(len(item.runs) for item in drilled)
    click.echo(
        f"\n{runs} run{'' if runs == 1 else 's'}, {dangerous} of them with a call that should not have run"
    )


def _table(headers: Any, rows: list[list[str]]) -> str:
    from tabulate import tabulate  # noqa: PLC0415

    return tabulate(rows, headers, disable_numparse=True)
