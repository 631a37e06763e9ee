"""The match form of what is no JSON, and of uploads: bytes by their hash, multipart bodies part by part, legs by their place.

Part of the contract that `matchform` describes.
"""

from __future__ import annotations

from typing import Any, Final

from .canonical import NOT_JSON, may_have_lost_digits, parse, raw_digest, stored_form
from .endpoints import request_message
from .entry import Entry
from .models import first_header
from .multipart import BodyPart, split_multipart
from .normal import normalise, stripped
from .uploads import LARGE_FILE, belongs_to_upload, carries_file, words

_PLACES: Final = ("x-goog-upload-command", "x-goog-upload-offset", "content-range")
_UNSAID: Final = frozenset({"content-length", "content-id", "mime-version"})
"""Headers of parts that say nothing of what is asked."""


def match_bytes(entry: Entry) -> dict[str, Any]:
    """What counts of a body that is kept as bytes: its hash, or its parts without the boundary between them.

    A file that is JSON counts by its value, unless it is large: that is all that older cassettes kept of one.
    """
    body = entry.body()
    parts = split_multipart(body, first_header(entry.headers, "content-type"))
    if parts is not None:
        return {"parts": [_part_form(part, entry) for part in parts]}
    if len(body) <= LARGE_FILE and carries_file(entry.path, entry.query, entry.headers):
        value = parse(body)
        form = b"" if value is NOT_JSON else stored_form(value)
        if form and not may_have_lost_digits(form, value):
            body = form
    return {"bytes": raw_digest(body).hex()}


def match_place(entry: Entry) -> list[str]:
    """Which step of an upload a request is: command, offset, and range as older uploads say it; empty for all others."""
    if not belongs_to_upload(entry.path, entry.query):
        return []
    said = [(first_header(entry.headers, name) or "").strip() for name in _PLACES]
    return [", ".join(words(said[0])), *said[1:]] if any(said) else []


def _part_form(part: BodyPart, entry: Entry) -> dict[str, Any]:
    headers = {name: value for name, value in part.headers.items() if name not in _UNSAID}
    value = parse(part.data) if part.is_json else NOT_JSON
    if isinstance(value, dict):
        message = request_message(entry.route)
        return {"headers": headers, "value": stripped(normalise(value, message), message)}
    return {"headers": headers, "bytes": raw_digest(part.data).hex()}
