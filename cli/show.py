"""``gemtape show``: one exchange of a cassette, whole: request, answer, how it is matched, what is wrong with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ..cassettes.canonical import NOT_JSON, parse
from ..cassettes.entry import Entry
from ..cassettes.events import parse_events
from ..cassettes.matchform import match_form
from ..cassettes.models import Headers, Violation
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette
from ..cassettes.uploads import carries_file
from ..checks.config import load_config
from ..checks.judge import Judge
from ..checks.report.model import judge_cassette
from .sources import open_source

_LONGEST = 1000
"""Characters of a text that are shown unless all are asked for; images would fill the terminal."""


def request_lines(entry: Entry, longest: int | None = _LONGEST) -> Iterator[str]:
    """What was asked: method and target, headers, body; texts are cut to a length in characters (None: not at all)."""
    query = f"?{entry.query}" if entry.query else ""
    yield f"{entry.method} {entry.path}{query}"
    if entry.upstream:
        yield f"to {entry.upstream}"
    if entry.started_at:
        yield f"at {datetime.fromtimestamp(entry.started_at, UTC).isoformat(timespec='milliseconds')}"
    yield from _headers(entry.headers)
    yield ""
    if carries_file(entry.path, entry.query, entry.headers):
        yield from _file(entry.body(), longest)
    else:
        yield from _body(entry.body(), longest)


def answer_lines(entry: Entry, longest: int | None = _LONGEST) -> Iterator[str]:
    """What came back: status, times, headers, and the body, of a stream what it folds to."""
    response = entry.response
    if response is None:
        yield f"no answer: {entry.failure or 'none was recorded'}"
        return
    pieces = f"{len(response.chunks)} piece{'' if len(response.chunks) == 1 else 's'}"
    cut = f", cut ({entry.failure})" if entry.failure else ", cut" if response.cut else ""
    yield f"{response.status}, {pieces} in {entry.duration_ms} ms{cut}"
    yield from _headers(response.headers)
    yield ""
    if parse(response.body) is NOT_JSON and entry.answer.content is not None:
        events = parse_events(response.body, response.header("content-type"))
        yield f"{len(events)} event{'' if len(events) == 1 else 's'}, folded:"
        yield from _json(entry.answer.content, longest)
    else:
        yield from _body(response.body, longest)


def matching_lines(cassette: Cassette, entry: Entry) -> Iterator[str]:
    """How a request finds this exchange: match key, what is ignored, and the exchanges that have the same key."""
    key = cassette.key(cassette.request_entry(entry.exchange().request))
    yield f"match key: {key.hex()}"
    yield f"ignored in matching: {cassette.matching}"
    same = [number for number in cassette.numbers_for(key) if number != entry.number]
    if same:
        yield f"equal requests: {', '.join(map(str, same))}"


def violation_lines(violations: Iterable[Violation]) -> Iterator[str]:
    """What is wrong with it, one line each."""
    for found in violations:
        where = found.pointer if found.at == "request" else f"answer {found.pointer}"
        yield f"{found.severity} {found.rule} {where}: {found.message}"


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="CASSETTE")
@click.argument("number", type=click.IntRange(min=1), metavar="N")
@click.option("--match-form", "form", is_flag=True, help="Show the request as matching sees it, too.")
@click.option("--full", is_flag=True, help="Show long texts whole.")
def command(*, source: Path, number: int, form: bool, full: bool) -> None:
    """Show one exchange: request, answer, match key, violations.

    N counts from 1, as `gemtape log` does. Bodies are shown with sorted keys, streams as what they fold to.
    """
    longest = None if full else _LONGEST
    config = load_config()
    with closing(open_source(source, Redactor(config.secrets), config.matching)) as cassette:
        entry = cassette.entry(number)
        report = judge_cassette(
            str(source), cassette.entries(), Judge(settings=config.settings), config.selection()
        )
        found = [item for item in report.violations if item.exchange == number]
        lines = [
            f"{source}: exchange {number} of {len(cassette)}",
            "",
            *request_lines(entry, longest),
            "",
            *answer_lines(entry, longest),
            "",
            *matching_lines(cassette, entry),
            *(["", *_json(match_form(entry, cassette.matching), longest)] if form else ()),
            "",
            *(violation_lines(found) if found else ["no violations"]),
        ]
    click.echo("\n".join(map(_printable, lines)))


def _headers(headers: Headers) -> Iterator[str]:
    return (f"{name}: {value}" for name, value in headers)


def _file(data: bytes, longest: int | None) -> Iterator[str]:
    """An uploaded file, or a piece of one: its size and hash, and how it begins."""
    yield f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}"
    shown = data[:longest].decode("utf-8", "backslashreplace")
    yield from shown.splitlines()
    if longest is not None and len(data) > longest:
        yield "…"


def _body(body: bytes, longest: int | None) -> Iterator[str]:
    value = parse(body)
    if value is not NOT_JSON:
        yield from _json(value, longest)
    elif body:
        yield from _cut(body.decode("utf-8", "backslashreplace"), longest).splitlines()
    else:
        yield "no body"


def _json(value: Any, longest: int | None) -> list[str]:
    shown = json.dumps(_shortened(value, longest), ensure_ascii=False, indent=2, sort_keys=True)
    return shown.split("\n")


def _shortened(value: Any, longest: int | None) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item, longest) for item in value]
    return _cut(value, longest) if isinstance(value, str) else value


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text)} characters)"


def _printable(line: str) -> str:
    """Recorded text may hold anything; control characters must not reach the terminal."""
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)
