"""``gemtape explain``: which exchange would answer a request, or why none would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Any

import click
import orjson

from ..cassettes.canonical import NOT_JSON, parse
from ..cassettes.errors import SetupError
from ..cassettes.lookup import Lookup, Repeat
from ..cassettes.models import Failure, Request
from ..cassettes.routes import split_prefix
from ..cassettes.transcript import read_lines
from ..checks.config import load_config
from ..checks.report.model import describe_call
from ..replay.answering import Answering, Reply, Verdict
from ..replay.configured import configured
from .sources import open_source

_ANSWERED = frozenset({Verdict.HIT, Verdict.REPEAT})
_JSON = (("content-type", "application/json"),)


def read_requests(file: Path, path: str, query: str, method: str) -> Iterator[Request]:
    """The requests of a file: one body, to be sent to `path`, or the lines of a transcript, which say that themselves.

    A line of a transcript needs no answer here.

    Raises:
        SetupError: a body comes without a path, or a path with a transcript.
        TranscriptError: a line breaks the format.
        OSError: the file cannot be read.
    """
    data = file.read_bytes()
    whole = _is_line(parse(data))
    lines = [data] if whole else [line for line in data.splitlines() if line.strip()]
    if not lines or not (whole or all(_is_line(parse(line)) for line in lines)):
        if not path:
            raise SetupError(f"{file} holds a body: say with --path where it would be sent")
        yield Request(method, split_prefix(path)[1], query, _JSON, data)
        return
    if path:
        raise SetupError(
            f"{file} is a transcript, which says itself where requests are sent: leave out --path"
        )
    completed = (_with_answer(parse(line)) for line in lines)
    yield from (exchange.request for exchange in read_lines(completed, str(file)))


def explanation(reply: Reply, answering: Answering) -> str:
    """The reply to a request in words: the exchange that answers it, or all that a miss says."""
    if reply.verdict in _ANSWERED:
        entry = answering.lookup.entry(reply.number)
        again = ", again" if reply.verdict is Verdict.REPEAT else ""
        status = str(reply.answer.status) if reply.answer.status else "connection dropped"
        note = f"; {reply.note}" if reply.note else ""
        return f"exchange {reply.number} answers{again}: {describe_call(entry)}, {status}{note}"
    error = parse(b"".join(chunk.data for chunk in reply.answer.chunks))
    message = (error[0] if isinstance(error, list) else error)["error"]["message"]
    if reply.verdict is Verdict.REJECTED:
        return f"the API would refuse it ({reply.answer.status}): {message} Found by {reply.note}"
    return message


@click.command()
@click.argument("source", type=click.Path(path_type=Path), metavar="CASSETTE")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="REQUEST.json")
@click.option("--path", default="", metavar="/v1beta/models/…", help="Where the body would be sent.")
@click.option("--query", default="", metavar="alt=sse", help="The query, without question mark.")
@click.option("--method", default="POST", show_default=True, help="The method of the request.")
@click.option("--lenient/--strict", default=None, help="As for `gemtape replay`.")
@click.pass_context
def command(
    context: click.Context,
    *,
    source: Path,
    file: Path,
    path: str,
    query: str,
    method: str,
    lenient: bool | None,
) -> None:
    """Say which exchange answers a request, or why none does.

    REQUEST.json is a request body, with --path, or lines of a transcript, which are asked one after the other. What is
    said is what a client of `gemtape replay` gets to read. The exit code is 1 if a request would get no recorded answer.
    """
    options = configured(load_config(), lenient=lenient, default=Repeat.LAST)
    if "?" in path and not query:
        path, _, query = path.partition("?")
    failed = False
    with closing(open_source(source, options.redactor, options.matching)) as cassette:
        lookup = Lookup(cassette, options.repeat, collapse_retries=options.collapse_retries)
        answering = Answering(lookup, options, f"gemtape record --replace {quote(str(source))}")
        for request in read_requests(file, path, query, method):
            reply = answering.answer(answering.read(request))
            failed = failed or reply.verdict not in _ANSWERED
            click.echo(explanation(reply, answering))
    context.exit(1 if failed else 0)


def _is_line(value: Any) -> bool:
    """Whether a value is a line of a transcript; a Code Assist body has a `request` too, but no path in it."""
    request = value.get("request") if isinstance(value, dict) else None
    return isinstance(request, dict) and isinstance(request.get("path"), str)


def _with_answer(value: Any) -> bytes:
    if value is NOT_JSON or "response" in value or "failure" in value:
        return orjson.dumps(value)
    return orjson.dumps({**value, "failure": Failure.CLIENT_GONE.value})
