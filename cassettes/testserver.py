"""Recordings of google/test-server, the record and replay server of Google's own SDK tests, read as exchanges.

A recording is one JSON object: ``interactions`` in the order in which they happened, each with a ``request`` and a
``response`` whose bodies are parsed JSON; an event stream has one body segment an event. The bytes of the answer are not
in it, so events are written as Google's servers frame them. Times are not in it either: an answer's ``Date`` header tells
the second in which its exchange took place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import Raw, Struct

from .errors import TranscriptError
from .models import Exchange, first_header
from .transcript import read_lines
from .transcript_bodies import EVENT_STREAM

_FRAMING: Final = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
"""Headers of how bytes were sent, which the recording does not keep."""


class _Request(Struct, rename="camel"):
    url: str
    method: str = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body_segments: list[Raw] = msgspec.field(default_factory=list)
    server_address: str = ""
    port: int = 443
    protocol: str = "https"


class _Response(Struct, rename="camel"):
    status_code: int = 200
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body_segments: list[Raw] = msgspec.field(default_factory=list)


class _Interaction(Struct):
    request: _Request
    response: _Response


class _Recording(Struct):
    interactions: list[_Interaction]


def read_recording(path: Path) -> Iterator[Exchange]:
    """The exchanges of a recording, numbered from 1.

    Raises:
        TranscriptError: the file cannot be read, or is no recording; the message names it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TranscriptError(f"cannot read {path}: {error.strerror}") from error
    yield from parse_recording(data, str(path))


def parse_recording(data: bytes, name: str) -> Iterator[Exchange]:
    """The exchanges of a recording that comes from what is called `name`.

    Raises:
        TranscriptError: it is none.
    """
    try:
        recording = msgspec.json.decode(data, type=_Recording)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise TranscriptError(f"{name} is no recording of google/test-server: {error}") from error
    at = 0.0
    lines: list[bytes] = []
    for interaction in recording.interactions:
        at = max(at, _time(interaction.response.headers))
        lines.append(msgspec.json.encode(_line(interaction, at)))
    for interaction, exchange in zip(recording.interactions, read_lines(lines, name), strict=True):
        yield replace(exchange, request=replace(exchange.request, upstream=_upstream(interaction.request)))


def _line(interaction: _Interaction, at: float) -> dict[str, Any]:
    """An interaction as a transcript writes it."""
    request, response = interaction.request, interaction.response
    url = urlsplit(request.url)
    return {
        "request": {
            "method": request.method,
            "path": url.path,
            "query": parse_qsl(url.query, keep_blank_values=True),
            "headers": _headers(request.headers),
            **_body(request.body_segments),
        },
        "response": {
            "status": response.status_code,
            "headers": _headers(response.headers),
            **(_events(response) if _is_stream(response) else _body(response.body_segments)),
        },
        "started_at": at,
    }


def _upstream(request: _Request) -> str:
    if not request.server_address:
        return ""
    usual = request.port == {"https": 443, "http": 80}.get(request.protocol)
    return f"{request.protocol}://{request.server_address}" + ("" if usual else f":{request.port}")


def _is_stream(response: _Response) -> bool:
    """Whether the body was a stream of events; an error is plain JSON, whatever its content type says."""
    kind = first_header(tuple(response.headers.items()), "content-type") or ""
    return response.status_code < 400 and kind.startswith(EVENT_STREAM)


def _events(response: _Response) -> dict[str, Any]:
    return {"events": [_compact(segment) for segment in response.body_segments]}


def _body(segments: list[Raw]) -> dict[str, Any]:
    """A body that was no event stream: one JSON value, or the elements of an array that was streamed."""
    if not segments:
        return {}
    compact = [_compact(segment) for segment in segments]
    return {"body": compact[0] if len(compact) == 1 else compact}


def _compact(segment: Raw) -> Raw:
    """A value without blanks: recordings are indented, and an event has to fit a line."""
    return Raw(msgspec.json.format(bytes(segment), indent=-1))


def _headers(headers: dict[str, str]) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers.items() if name.lower() not in _FRAMING]


def _time(headers: dict[str, str]) -> float:
    """The time in an answer's Date header, 0 where there is none."""
    date = first_header(tuple(headers.items()), "date")
    try:
        return parsedate_to_datetime(date).timestamp() if date else 0.0
    except (ValueError, OverflowError):
        return 0.0
