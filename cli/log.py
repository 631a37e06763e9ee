"""``gemtape log``: the exchanges of a cassette, one line each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ..cassettes.entry import Entry
from ..cassettes.normal import normalise
from ..cassettes.schema import GENERATE
from ..checks.chat import as_generate
from ..checks.report.model import describe_call
from ..checks.validation import written_args, written_call
from ..replay.lines import printable
from .sources import cassettes_at, open_source

_CALLS_SHOWN = 4
_LONGEST = 2_000
"""Characters of a line: names come from recordings and may be anything."""


def log_line(entry: Entry) -> str:
    """One exchange: number, call, status, time in ms, tokens, declared tools and mode, and what the model did."""
    usage = entry.answer.usage
    tokens = f"{_count(usage, 'promptTokenCount')}→{_count(usage, 'candidatesTokenCount')}"
    columns = (
        f"{entry.number:>4}",
        f"{describe_call(entry):<44}",
        f"{entry.status or entry.failure or '-':>4}",
        f"{entry.duration_ms:>7} ms",
        f"{tokens:>12}",
        f"{_tools(entry)}",
        _outcome(entry),
    )
    return "  ".join(columns).rstrip()


def _count(usage: dict[str, Any], name: str) -> str:
    value = usage.get(name)
    return str(value) if isinstance(value, int) else "-"


def _tools(entry: Entry) -> str:
    layout = as_generate(entry).layout
    names = [name for turn in layout.tools.line() for name in _declared(turn.normal)]
    settings = normalise(layout.settings, GENERATE)
    config = settings.get("toolConfig") if isinstance(settings, dict) else None
    calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
    mode = calling.get("mode") if isinstance(calling, dict) else None
    shown = ",".join(names) if names else "no tools"
    return f"[{shown} {mode}]" if mode else f"[{shown}]"


def _declared(tool: Any) -> list[str]:
    if not isinstance(tool, dict):
        return []
    declarations = tool.get("functionDeclarations")
    if not isinstance(declarations, list):
        return sorted(map(str, tool))
    return [str(item.get("name", "?")) for item in declarations if isinstance(item, dict)]


def _outcome(entry: Entry) -> str:
    answer = entry.answer
    if answer.error:
        return f"error: {answer.error.get('message', '')}"[:100]
    calls = [str(call.get("name", "?")) for call in answer.calls]
    more = f" +{len(calls) - _CALLS_SHOWN}" if len(calls) > _CALLS_SHOWN else ""
    said = (
        f"calls {', '.join(calls[:_CALLS_SHOWN])}{more}" if calls else ("text" if answer.parts else "nothing")
    )
    if not entry.route.generates and entry.response and entry.response.body:
        said = f"{len(entry.response.body)} bytes"
    finish = answer.finish_reason or answer.block_reason
    cut = ", cut" if entry.response and entry.response.cut else ""
    return f"{said}{cut}" if finish in ("", "STOP") else f"{said}{cut} ({finish})"


def argument_lines(entry: Entry) -> Iterator[str]:
    """For each call of an answer, what no validation, a coercing and a strict validator would have let through."""
    from ..checks.declared import declaration_of, issued_calls  # noqa: PLC0415 - asked for with --args only

    tools = as_generate(entry).layout.tools
    for _, call in issued_calls(entry.answer):
        name, args = str(call.get("name", "?")), call.get("args", {})
        declaration = declaration_of(tools, call)
        yield f"      {written_call(name, args)}"
        yield from (f"        {line}" for line in _let_through(declaration, args))


def _let_through(declaration: dict[str, Any] | None, args: Any) -> Iterator[str]:
    from ..checks.faults import Fault  # noqa: PLC0415
    from ..checks.validation import Validation, validate  # noqa: PLC0415

    if declaration is None:
        yield f"not declared: no dispatcher should know it ({Fault.FUNCTION})"
        return
    outcomes = {validation: validate(declaration, args, validation) for validation in Validation}
    if not outcomes[Validation.STRICT].rejected:
        yield "fits"
        return
    for validation, outcome in outcomes.items():
        words = "as it is" if outcome.args == args else f"as {written_args(outcome.args)}"
        if outcome.rejected:
            words = f"rejected: {'; '.join(f'{fault.message} ({fault.fault})' for fault in outcome.rejected)}"
        yield f"{validation:<7} {words}"


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASSETTE|FOLDER..."
)
@click.option(
    "--args",
    "arguments",
    is_flag=True,
    help="Below each call: what no, a coercing and a strict validator would have let through.",
)
def command(*, sources: tuple[Path, ...], arguments: bool) -> None:
    """List the exchanges of a cassette, one line each.

    Number, model and action, status, time, prompt and answer tokens, declared tools and calling mode, and what came
    back: the functions called, text, or the error. Several cassettes, or a FOLDER of them, come one after the other.
    """
    paths = cassettes_at(sources)
    for at, path in enumerate(paths):
        if len(paths) > 1:
            click.echo(f"{chr(10) if at else ''}{path}")
        list_exchanges(path, arguments=arguments)


def list_exchanges(path: Path, *, arguments: bool) -> None:
    """Print the exchanges of one cassette, transcript or recording."""
    with closing(open_source(path)) as cassette:
        for entry in cassette.entries():
            click.echo(printable(log_line(entry), _LONGEST))
            for line in argument_lines(entry) if arguments else ():
                click.echo(printable(line, _LONGEST))
