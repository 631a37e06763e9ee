"""The JSON events of an answer's body: server-sent events, JSON-array streams and plain JSON, and where each one lies.

What a stream may look like: ``data:`` lines ended by CRLF, LF or CR, joined until a blank line; an error that was
written between or instead of events as bare pretty-printed JSON; a JSON array delivered element by element; any of
these cut off at any byte. Nothing here raises, and every span is a range of bytes of the body it was read from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from . import canonical

Span = tuple[int, int]
"""A range of bytes: first, and one past the last."""

_BOM: Final = b"\xef\xbb\xbf"
_BLANKS: Final = b" \t\r\n"
_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
# A string that the cut left open runs to the end, so that braces inside it never count.
_STRUCTURE: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_OPEN: Final = frozenset(b"{[")


@dataclass(frozen=True, slots=True)
class Event:
    """One event: where its JSON text lies, one span a line of it, and its value.

    `value` is `canonical.NOT_JSON` where the text does not parse, as in an event that was cut. JSON strings hold no
    raw line ends, so no string ever crosses from one span into the next.
    """

    spans: tuple[Span, ...]
    value: Any


def parse_events(body: bytes, content_type: str | None = None) -> list[Any]:
    """The values of a body's events in order: what parses of it, without ``[DONE]``.

    A plain JSON object is one event; an array stands for its elements, also where it was cut. The content type decides
    only what the bytes leave open.
    """
    if not _is_sse(body, content_type):
        value = canonical.parse(body.removeprefix(_BOM))
        if value is not canonical.NOT_JSON:
            return _elements(value)
    events = split_events(body, content_type)
    return [
        value for event in events if event.value is not canonical.NOT_JSON for value in _elements(event.value)
    ]


def split_events(body: bytes, content_type: str | None = None) -> list[Event]:
    """The events of a body with their places; those that do not parse are among them."""
    if _is_sse(body, content_type):
        return list(_sse_events(body))
    return [Event((span,), canonical.parse(body[slice(*span)])) for span in _objects(body, 0, len(body))]


def _is_sse(body: bytes, content_type: str | None) -> bool:
    if content_type is not None and content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return True
    return body[:64].removeprefix(_BOM).lstrip(_BLANKS)[:1] not in (b"{", b"[")


def _elements(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _sse_events(body: bytes) -> Iterator[Event]:
    """Events as the HTML standard splits them, and bare JSON where a field should begin.

    The standard drops an event whose blank line never came; here it counts, since the cut is stored with it.
    """
    data: list[Span] = []
    bare: list[Span] = []
    after = 0
    for line in body.splitlines(keepends=True):
        start, after = after, after + len(line)
        text = line.rstrip(b"\r\n")
        if start == 0 and text.startswith(_BOM):
            start, text = len(_BOM), text[len(_BOM) :]
        end = start + len(text)
        if bare and text.startswith(_FIELDS):
            yield from _bare_events(body, bare)
            bare = []
        if not text:
            yield from _bare_events(body, bare)
            yield from _data_event(body, data)
            data, bare = [], []
        elif text.startswith(b"data:"):
            data.append((start + (6 if text.startswith(b"data: ") else 5), end))
        elif bare or (not data and text.lstrip(_BLANKS).startswith((b"{", b"["))):
            bare.append((start, end))
    yield from _bare_events(body, bare)
    yield from _data_event(body, data)


def _data_event(body: bytes, spans: list[Span]) -> Iterator[Event]:
    text = body[slice(*spans[0])] if len(spans) == 1 else b"\n".join(body[start:end] for start, end in spans)
    if text and text.strip(_BLANKS) not in (b"", b"[DONE]"):
        yield Event(tuple(spans), canonical.parse(text))


def _bare_events(body: bytes, spans: list[Span]) -> Iterator[Event]:
    if spans:
        for span in _objects(body, spans[0][0], spans[-1][1]):
            yield Event((span,), canonical.parse(body[slice(*span)]))


def _objects(body: bytes, start: int, end: int) -> Iterator[Span]:
    """The outermost objects between two offsets; the last one may lack its end."""
    depth = 0
    begin = start
    for match in _STRUCTURE.finditer(body, start, end):
        token = body[match.start()]
        if token in _OPEN:
            # Brackets around the outermost objects are the array they are streamed in.
            if depth == 0 and token == ord("["):
                continue
            if depth == 0:
                begin = match.start()
            depth += 1
        elif token != ord('"') and depth:
            depth -= 1
            if depth == 0:
                yield begin, match.end()
    if depth:
        yield begin, end
