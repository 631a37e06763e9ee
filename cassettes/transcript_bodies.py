"""The forms in which a transcript writes bodies, and which of them fits one: the most readable that loses no byte.

What a line says without times arrived when its exchange ended.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from .canonical import NOT_JSON, huge_integers, parse, stored_form
from .errors import TranscriptError
from .models import Chunk, Request
from .routes import parse_route

EVENT_STREAM: Final = "text/event-stream"
JSON_TYPE: Final = "application/json; charset=UTF-8"
# Line ends to JavaScript and to some readers of event streams, but plain characters to JSON.
_LINE_SEPARATORS: Final = ((b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"))


class Body(Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A body in one of three forms, or none; `body` is JSON and keeps its spelling."""

    body: Raw | UnsetType = UNSET
    body_text: str | UnsetType = UNSET
    body_base64: str | UnsetType = UNSET


Milliseconds = Annotated[int, Meta(ge=0, le=2**53)]
"""Times in a transcript: no more than every JSON parser and the cassette can hold."""


class Piece(Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A chunk of an answer."""

    offset_ms: Milliseconds = 0
    data: str | UnsetType = UNSET
    data_base64: str | UnsetType = UNSET


class AnswerBody(Body, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """An answer's body; events and chunks keep a stream's pieces apart."""

    events: list[Raw] | UnsetType = UNSET
    chunks: list[Piece] | UnsetType = UNSET


def streams_array(request: Request, content_type: str | None) -> bool:
    """Whether an answer's events form a JSON array, as those of ``streamGenerateContent`` without ``alt=sse`` do."""
    if content_type is not None:
        return content_type.partition(";")[0].strip().lower() != EVENT_STREAM
    return parse_route(request.path).streams and "alt=sse" not in request.query.split("&")


def read_body(form: Body) -> bytes:
    """The bytes of a body.

    Raises:
        TranscriptError: there are two forms of it, or its base64 is none.
    """
    given = [name for name in form.__struct_fields__ if name in _FORMS and getattr(form, name) is not UNSET]
    if len(given) > 1:
        raise TranscriptError(f"there are both {given[0]} and {given[1]}")
    if not isinstance(form.body, UnsetType):
        return bytes(form.body)
    if not isinstance(form.body_text, UnsetType):
        return form.body_text.encode()
    return b"" if isinstance(form.body_base64, UnsetType) else _from_base64(form.body_base64)


_FORMS: Final = frozenset({"body", "body_text", "body_base64", "events", "chunks"})


def read_chunks(form: AnswerBody, *, array: bool, duration_ms: int) -> tuple[Chunk, ...]:
    """The pieces of an answer's body.

    Raises:
        TranscriptError: there are two forms of it, its base64 is none, or an event is no object.
    """
    body = read_body(form)
    if not isinstance(form.events, UnsetType):
        events = [bytes(event) for event in form.events]
        if any(not event.startswith(b"{") for event in events):
            raise TranscriptError("every event has to be a JSON object")
        return tuple(Chunk(duration_ms, data) for data in _rendered(events, array=array))
    if not isinstance(form.chunks, UnsetType):
        return tuple(Chunk(piece.offset_ms, _piece_data(piece)) for piece in form.chunks)
    return (Chunk(duration_ms, body),) if body else ()


def write_request_body(body: bytes, *, exact: bool = False) -> Body:
    """The form of a request's body; JSON keeps its value, and its spelling where that fits a line or has to be `exact`."""
    if not body:
        return Body()
    value = parse(body)
    if value is not NOT_JSON:
        if _fits_line(body):
            return Body(body=Raw(body))
        if not exact and not huge_integers(body):
            return Body(body=Raw(stored_form(value)))
    return _as_text(body)


def write_answer_body(chunks: Sequence[Chunk], *, array: bool, duration_ms: int, typed: bool) -> AnswerBody:
    """The form of an answer's body.

    Args:
        chunks: Its pieces.
        array: Whether its events form an array, see `streams_array`.
        duration_ms: When the exchange ended.
        typed: Whether it has a content type; without one, no form is used that implies one.
    """
    events = _as_events(chunks, array=array, duration_ms=duration_ms) if typed else None
    if events is not None:
        return AnswerBody(events=events)
    if len(chunks) > 1 or (chunks and not chunks[0].data):
        return AnswerBody(chunks=[_as_piece(chunk) for chunk in chunks])
    body = chunks[0].data if chunks else b""
    if typed and _fits_line(body) and parse(body) is not NOT_JSON:
        return AnswerBody(body=Raw(body))
    text = _as_text(body)
    return AnswerBody(body_text=text.body_text, body_base64=text.body_base64)


def _rendered(events: Sequence[bytes], *, array: bool) -> list[bytes]:
    """The pieces of a stream as Google's servers cut them: one an event."""
    escaped: list[bytes] = []
    for event in events:
        text = event
        for separator, escape in _LINE_SEPARATORS:
            text = text.replace(separator, escape)
        escaped.append(text)
    if not array:
        return [b"data: " + event + b"\r\n\r\n" for event in escaped]
    if not escaped:
        return [b"[]"]
    starts = (b"[", *(b",\r\n" for _ in escaped[1:]))
    ends = (*(b"\n" for _ in escaped[1:]), b"\n]")
    return [start + event + end for start, event, end in zip(starts, escaped, ends, strict=True)]


def _as_events(chunks: Sequence[Chunk], *, array: bool, duration_ms: int) -> list[Raw] | None:
    """The events of a stream whose pieces are just what they would be read back as."""
    # A single piece loses its time in every form but `chunks`.
    if not chunks or (len(chunks) > 1 and any(chunk.offset_ms != duration_ms for chunk in chunks)):
        return None
    if array:
        events = [chunk.data.lstrip(b"[,\r\n").rstrip(b"]\n") for chunk in chunks]
    else:
        events = [chunk.data.removeprefix(b"data: ").removesuffix(b"\r\n\r\n") for chunk in chunks]
    if any(not event.startswith(b"{") or not _fits_line(event) for event in events):
        return None
    if _rendered(events, array=array) != [chunk.data for chunk in chunks]:
        return None
    if any(parse(event) is NOT_JSON for event in events):
        return None
    return [Raw(event) for event in events]


def _fits_line(body: bytes) -> bool:
    """Whether JSON can stand in a line as it is."""
    return b"\n" not in body and b"\r" not in body and body == body.strip()


def _as_text(body: bytes) -> Body:
    if not body:
        return Body()
    try:
        return Body(body_text=body.decode())
    except UnicodeDecodeError:
        return Body(body_base64=b64encode(body).decode())


def _as_piece(chunk: Chunk) -> Piece:
    try:
        return Piece(offset_ms=chunk.offset_ms, data=chunk.data.decode())
    except UnicodeDecodeError:
        return Piece(offset_ms=chunk.offset_ms, data_base64=b64encode(chunk.data).decode())


def _piece_data(piece: Piece) -> bytes:
    if not isinstance(piece.data, UnsetType):
        if not isinstance(piece.data_base64, UnsetType):
            raise TranscriptError("there are both data and data_base64 in a chunk")
        return piece.data.encode()
    if isinstance(piece.data_base64, UnsetType):
        raise TranscriptError("a chunk lacks its data")
    return _from_base64(piece.data_base64)


def _from_base64(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise TranscriptError(f"invalid base64: {error}") from error
