"""The stored form: the JSON value as sent, keys sorted, nothing renamed or dropped; and the hash that addresses it.

Contract: `stored_form(parse(body))` parses back to the JSON value of `body`. A body for which this cannot be promised
(not JSON, invalid UTF-8, nested deeper than `orjson` writes, integers beyond 64 bits) is kept as raw bytes. Hashes are the first 16 bytes of SHA-256 over the stored form, tagged so that a raw body never shares an address
with a JSON value. Changing either breaks every cassette: add a migration.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Final

import orjson

DIGEST_BYTES: Final = 16


class _NotJson:
    def __repr__(self) -> str:
        return "NOT_JSON"

    def __bool__(self) -> bool:
        return False


NOT_JSON: Final = _NotJson()
"""Stands for a body that has no stored form."""

# orjson reads integers beyond 64 bits as floats without a word; its spelling of such a float is the only sign left.
_HUGE_NUMBER = re.compile(rb"e\+(?:1[89]|[2-9][0-9]|[0-9]{3})")


def parse(body: bytes) -> Any:
    """The JSON value of a body, or `NOT_JSON` where it does not parse or is nested too deep to be written again."""
    if not body:
        return NOT_JSON
    try:
        value = orjson.loads(body)
        orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return NOT_JSON
    return value


def may_have_lost_digits(form: bytes) -> bool:
    """Whether a stored form might stand for an integer that `parse` rounded."""
    return _HUGE_NUMBER.search(form) is not None


def same_value(body: bytes, value: Any) -> bool:
    """Whether `value` equals the body's JSON exactly, huge integers included."""
    try:
        return json.loads(body) == value
    except (ValueError, RecursionError):
        return False


def stored_form(value: Any) -> bytes:
    """The value as UTF-8 JSON with sorted keys and no blanks."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def json_digest(form: bytes) -> bytes:
    """The address of a JSON value, from its stored form."""
    return hashlib.sha256(form).digest()[:DIGEST_BYTES]


def raw_digest(data: bytes) -> bytes:
    """The address of a body that is kept as bytes."""
    return hashlib.sha256(b"raw\x00" + data).digest()[:DIGEST_BYTES]
