"""Secrets in a body: where they are, and the body without them, every other byte as it was.

Nearly every body is clean, and is known to be by a few passes of byte search and a look at its parsed value. Only one
that might hold a secret is read string by string. A body that is neither JSON nor a stream is searched as it is, and one
in UTF-16 as text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from .canonical import NOT_JSON, parse
from .edits import Edit, without_overlaps
from .events import Event, Span, split_events
from .fields import Message
from .fragments import Fragment, runs
from .json_strings import JsonString, Path, Text, json_strings
from .positions import ROOT, SECRET_NAMES, TOKEN_FIELDS, holds_secret_field
from .shapes import MARKER, Shapes, hides_characters, merged
from .wide import find_wide, wide_encoding

_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_FORM_SECRET: Final = re.compile(
    rb"(?:^|(?<=&))(?:%s|client_assertion|subject_token|token|code)=([^&]+)" % "|".join(TOKEN_FIELDS).encode()
)
_SECRET_KEY: Final = re.compile(rb'"(?:%s)"' % "|".join(sorted(SECRET_NAMES)).encode())
_BOM: Final = b"\xef\xbb\xbf"
_PUNCTUATION: Final = b' \t\r\n",:{}[]'
_SHORTEST_SECRET: Final = len("ya29.x")
_MARKER: Final = MARKER.encode()


def find_secrets(
    body: bytes, content_type: str | None, value: Any, shapes: Shapes, root: Message = ROOT
) -> list[Edit]:
    """What has to be replaced in a body, in order and without overlaps.

    Args:
        body: The whole body; anything at all.
        content_type: Its content type, where known.
        value: What the body parses to, where the caller knows it already, else `NOT_JSON`.
        shapes: What secrets look like.
        root: What a body of this kind holds.
    """
    if not body:
        return []
    found = _find_narrow(body, content_type, value, shapes, root)
    wide = find_wide(body, shapes)
    return without_overlaps([*found, *wide]) if wide else found


def _find_narrow(
    body: bytes, content_type: str | None, value: Any, shapes: Shapes, root: Message
) -> list[Edit]:
    """What has to be replaced in a body that is UTF-8, or bytes with ASCII in them."""
    if not _is_structured(body, content_type):
        return _in_plain(body, content_type, shapes)
    events = _read(body, content_type, value)
    if all(event.value is not NOT_JSON for event in events) and _is_clean(
        body, [event.value for event in events], shapes, root
    ):
        return []
    return _in_strings(body, events, shapes, root)


def is_clean_file(body: bytes, shapes: Shapes) -> bool:
    """Whether a file holds no secret for sure, told by a few passes of byte search: the value of a large one fills memory.

    No secret stands in it as it is or in escapes, and no field that is always secret. A secret that is spread over
    several texts is not looked for: a file is no stream. Nothing is for sure where the user has patterns.
    """
    return not (
        shapes.extra
        or shapes.may_be_in(body)
        or hides_characters(body)
        or _SECRET_KEY.search(body) is not None
        or wide_encoding(body)
    )


def find_literals(body: bytes, replacements: Mapping[str, str]) -> list[Edit]:
    """Where texts that are known to be secret stand in a body as they are, to be replaced each by its own."""
    return [
        Edit(found.start(), found.end(), text.encode())
        for secret, text in replacements.items()
        for found in re.finditer(re.escape(secret.encode("utf-8", "surrogatepass")), body)
    ]


def _is_stream(content_type: str | None) -> bool:
    return _media_type(content_type) == "text/event-stream"


def _media_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _is_json(body: bytes) -> bool:
    return body[:64].removeprefix(_BOM).lstrip(b" \t\r\n")[:1] in (b"{", b"[")


def _is_structured(body: bytes, content_type: str | None) -> bool:
    return _is_stream(content_type) or _is_json(body) or body.startswith((b"data:", b"event:", b":"))


def _read(body: bytes, content_type: str | None, value: Any) -> list[Event]:
    """The events of a structured body; JSON as a whole is one, whatever it is made of."""
    if _is_json(body) and not _is_stream(content_type):
        whole = parse(body.removeprefix(_BOM)) if value is NOT_JSON else value
        if whole is not NOT_JSON:
            return [Event(((0, len(body)),), whole)]
    return split_events(body, content_type)


def _is_clean(body: bytes, values: list[Any], shapes: Shapes, root: Message) -> bool:
    """Whether a body whose events all parse holds no secret, told without reading it string by string.

    A secret is spelled out in the bytes, or spelled with escapes, or it is the value of a secret field, or it is spread
    over texts that belong together, or only the user's patterns know it. All of these are looked for.
    """
    return not (
        shapes.may_be_in(body)
        or hides_characters(body)
        or holds_secret_field(values, root)
        or any(shapes.spans("".join(fragment.text for fragment in run)) for run in runs(enumerate(values)))
        or (shapes.extra and any(shapes.spans(text) for text in _all_strings(values)))
    )


def _all_strings(value: Any) -> Iterator[str]:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            pending += item.values()
        elif isinstance(item, list):
            pending += item


def _in_plain(body: bytes, content_type: str | None, shapes: Shapes) -> list[Edit]:
    found: list[Span] = []
    if _media_type(content_type) == _FORM_TYPE:
        found += (match.span(1) for match in _FORM_SECRET.finditer(body))
    if shapes.extra or shapes.may_be_in(body):
        text = Text(body.decode("utf-8", "surrogateescape"))
        found += ((text.origin(start), text.origin(end)) for start, end in shapes.spans(text.text))
    return [Edit(start, end, _MARKER) for start, end in merged(found)]


def _in_strings(body: bytes, events: Sequence[Event], shapes: Shapes, root: Message) -> list[Edit]:
    found: list[Edit] = []
    strings: list[dict[Path, JsonString]] = []
    after = 0
    for event in events:
        placed: dict[Path, JsonString] = {}
        for string in json_strings(body, event.spans, root):
            # What parses has nothing but numbers and punctuation between its strings.
            if event.value is NOT_JSON:
                found += _between_strings(body, after, string.start, shapes)
                after = string.end
            found += (Edit(start, end, _MARKER) for start, end in string.secrets(shapes))
            if string.path:
                placed[string.path] = string
        if event.value is not NOT_JSON:
            found += _between_strings(body, after, event.spans[0][0], shapes)
            after = event.spans[-1][1]
        strings.append(placed)
    found += _between_strings(body, after, len(body), shapes)
    for run in _runs_of(events, strings):
        found += _in_run(run, strings, shapes)
    return without_overlaps(found)


def _between_strings(body: bytes, start: int, end: int, shapes: Shapes) -> Iterator[Edit]:
    """Secrets outside any string, in what is no JSON."""
    between = body[start:end]
    if len(between.strip(_PUNCTUATION)) < _SHORTEST_SECRET:
        return
    text = Text(between.decode("utf-8", "surrogateescape"))
    for first, last in shapes.spans(text.text):
        yield Edit(start + text.origin(first), start + text.origin(last), _MARKER)


def _runs_of(events: Sequence[Event], strings: Sequence[dict[Path, JsonString]]) -> list[list[Fragment]]:
    parsed = [(number, event.value) for number, event in enumerate(events) if event.value is not NOT_JSON]
    cut = [
        (number, {path: string.decoded.text for path, string in strings[number].items()})
        for number, event in enumerate(events)
        if event.value is NOT_JSON
    ]
    return runs(parsed, cut)


def _in_run(
    run: Sequence[Fragment], strings: Sequence[dict[Path, JsonString]], shapes: Shapes
) -> Iterator[Edit]:
    """Secrets that a run of texts spells: the marker goes where one begins, the texts after it lose their share."""
    begins = [0, *accumulate(len(fragment.text) for fragment in run)]
    for start, end in shapes.spans("".join(fragment.text for fragment in run)):
        marker = _MARKER
        for index in range(bisect_right(begins, start) - 1, bisect_left(begins, end)):
            fragment, begin = run[index], begins[index]
            first, last = max(start - begin, 0), min(end - begin, len(fragment.text))
            string = strings[fragment.event].get(fragment.path)
            if first < last and string is not None:
                yield Edit(*string.span(first, last), marker)
                marker = b""
