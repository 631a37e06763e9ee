"""Transcripts: the text form of a cassette, JSON Lines, one exchange a line, for people to read, write and compare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from msgspec import UNSET, Struct, UnsetType

from .errors import TranscriptError
from .models import Exchange, Failure, Headers, Request, Response, first_header
from .transcript_bodies import (
    EVENT_STREAM,
    JSON_TYPE,
    AnswerBody,
    Body,
    Milliseconds,
    read_body,
    read_chunks,
    streams_array,
    write_answer_body,
    write_request_body,
)
from .uploads import carries_file

Scalar = str | int | float | bool
Pairs = dict[str, Scalar] | list[tuple[str, Scalar]]

_QUERY_SAFE: Final = "$;,:@/!*'()~"
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*?)`(?: - at `\$\.?(.*)`)?\Z", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(.*?)`(?: - at `\$\.?(.*)`)?\Z", re.DOTALL)


class _Request(Body, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    method: str = "POST"
    path: str
    query: Pairs = msgspec.field(default_factory=dict)
    headers: Pairs = msgspec.field(default_factory=dict)


class _Response(AnswerBody, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    status: int = 200
    headers: Pairs = msgspec.field(default_factory=dict)
    cut: bool | UnsetType = UNSET


class _Line(Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    request: _Request
    response: _Response | None = None
    failure: Failure | None = None
    started_at: float | str = 0.0
    duration_ms: Milliseconds = 0


_TRUNCATED: Final = "Input data was truncated"
_LINES: Final = msgspec.json.Decoder(_Line)


def read_transcript(path: Path) -> Iterator[Exchange]:
    """The exchanges of a transcript file, numbered from 1.

    Raises:
        TranscriptError: the file cannot be read, or a line breaks the format; the message names file and line.
    """
    try:
        with path.open("rb") as lines:
            yield from read_lines(lines, str(path))
    except OSError as error:
        raise TranscriptError(f"cannot read {path}: {error.strerror}") from error


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[Exchange]:
    """The exchanges of lines that come from what is called `name`; blank lines are skipped.

    Raises:
        TranscriptError: a line breaks the format; the message names it.
    """
    number = 0
    for place, line in enumerate(lines, 1):
        text = line.removeprefix(b"\xef\xbb\xbf") if place == 1 else line
        if not text.strip():
            continue
        number += 1
        try:
            text.decode()
            exchange = _read_line(_LINES.decode(text), number)
        except TranscriptError as error:
            raise TranscriptError(f"{name}:{place}: {error}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise TranscriptError(f"{name}:{place}: {_explained(error)}") from error
        yield exchange


def write_transcript(exchanges: Iterable[Exchange], file: IO[bytes]) -> int:
    """Write exchanges as lines.

    Returns:
        How many there were.
    """
    count = 0
    for exchange in exchanges:
        file.write(write_line(exchange))
        count += 1
    return count


def write_line(exchange: Exchange) -> bytes:
    """One exchange as a line, with its line end."""
    request = exchange.request
    line: dict[str, Any] = {
        "request": {
            "method": request.method,
            "path": request.path,
            **_named("query", parse_qsl(request.query, keep_blank_values=True)),
            **_named("headers", request.headers),
            **_given(write_request_body(request.body, exact=_is_file(request))),
        }
    }
    if exchange.response:
        line["response"] = _write_response(exchange, exchange.response)
    if exchange.failure:
        line["failure"] = exchange.failure
    if exchange.started_at:
        line["started_at"] = exchange.started_at
    if exchange.duration_ms:
        line["duration_ms"] = exchange.duration_ms
    return msgspec.json.encode(line) + b"\n"


def _read_line(line: _Line, number: int) -> Exchange:
    if line.response is None and line.failure is None:
        raise TranscriptError("there is neither response nor failure")
    request = _read_request(line.request)
    response = _read_response(line.response, line, request) if line.response else None
    return Exchange(
        request, response, line.failure, _unix_time(line.started_at), line.duration_ms, number=number
    )


def _read_request(form: _Request) -> Request:
    if not form.path.startswith("/"):
        raise TranscriptError(f"request.path has to begin with a slash: {form.path!r}")
    if "?" in form.path:
        raise TranscriptError(f"request.path holds a query, which belongs into request.query: {form.path!r}")
    if not _TOKEN.match(form.method):
        raise TranscriptError(f"request.method is no HTTP method: {form.method!r}")
    query = urlencode(_pairs(form.query), safe=_QUERY_SAFE, quote_via=quote)
    return Request(form.method, form.path, query, _headers(form.headers), read_body(form))


def _read_response(form: _Response, line: _Line, request: Request) -> Response:
    if not 100 <= form.status <= 599:
        raise TranscriptError(f"response.status is no HTTP status: {form.status}")
    headers = _headers(form.headers)
    content_type = first_header(headers, "content-type")
    array = streams_array(request, content_type)
    if content_type is None and form.events is not UNSET:
        headers = (*headers, ("content-type", JSON_TYPE if array else EVENT_STREAM))
    elif content_type is None and form.body is not UNSET:
        headers = (*headers, ("content-type", JSON_TYPE))
    chunks = read_chunks(form, array=array, duration_ms=line.duration_ms)
    cut = line.failure is not None if isinstance(form.cut, UnsetType) else form.cut
    return Response(form.status, headers, chunks, cut)


def _write_response(exchange: Exchange, response: Response) -> dict[str, Any]:
    content_type = response.header("content-type")
    body = write_answer_body(
        response.chunks,
        array=streams_array(exchange.request, content_type),
        duration_ms=exchange.duration_ms,
        typed=content_type is not None,
    )
    # Unless it says so, an answer is cut just where something failed.
    cut = {} if response.cut == (exchange.failure is not None) else {"cut": response.cut}
    return {"status": response.status, **_named("headers", response.headers), **_given(body), **cut}


def _is_file(request: Request) -> bool:
    return carries_file(request.path, request.query, request.headers)


def _given(form: Struct) -> dict[str, Any]:
    values = {name: getattr(form, name) for name in form.__struct_fields__}
    return {name: value for name, value in values.items() if value is not UNSET}


def _named(name: str, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Pairs under their name: as an object where no name comes twice, not at all where there are none."""
    listed = list(pairs)
    if not listed:
        return {}
    return {name: listed if len({key for key, _ in listed}) < len(listed) else dict(listed)}


def _pairs(pairs: Pairs) -> list[tuple[str, str]]:
    items = pairs.items() if isinstance(pairs, dict) else pairs
    return [(name, _spelled(value)) for name, value in items]


def _spelled(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _headers(pairs: Pairs) -> Headers:
    headers = tuple(_pairs(pairs))
    for name, value in headers:
        if not _TOKEN.match(name):
            raise TranscriptError(f"invalid header name: {name!r}")
        if any(character in value for character in "\r\n\0"):
            raise TranscriptError(f"invalid value of header {name}")
    return headers


def _unix_time(value: float | str) -> float:
    if not isinstance(value, str):
        return float(value)
    try:
        return datetime.fromisoformat(value).astimezone().timestamp()
    except (ValueError, OverflowError) as error:
        raise TranscriptError(
            f"started_at is neither seconds since 1970 nor an ISO 8601 time: {value!r}"
        ) from error


def _explained(error: Exception) -> str:
    """What is wrong with a line, in the words of someone who reads transcripts rather than code."""
    if isinstance(error, UnicodeDecodeError):
        return "the line is not UTF-8"
    if isinstance(error, RecursionError):
        return "the line is nested too deep"
    if str(error) == _TRUNCATED:
        return "the line ends in the middle of its JSON: the file was cut, or an exchange takes more than one line"
    for pattern, problem in ((_UNKNOWN, "unknown key"), (_MISSING, "missing key")):
        found = pattern.match(str(error))
        if found:
            return f"{problem} {found[1]!r}" + (f" in {found[2]}" if found[2] else "")
    return str(error).replace("`", "")
