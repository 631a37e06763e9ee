"""``gemtape log``: the exchanges of a cassette, one line each."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ..cassettes.entry import Entry
from ..cassettes.normal import normalise
from ..cassettes.schema import GENERATE
from ..checks.chat import as_generate
from ..checks.report.model import describe_call
from .sources import open_source

_CALLS_SHOWN = 4


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


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="CASSETTE")
def command(source: Path) -> None:
    """List the exchanges of a cassette, one line each.

    Number, model and action, status, time, prompt and answer tokens, declared tools and calling mode, and what came
    back: the functions called, text, or the error.
    """
    with closing(open_source(source)) as cassette:
        for entry in cassette.entries():
            click.echo(log_line(entry))
