"""The stored form: the JSON value as sent, keys sorted, nothing renamed or dropped; and the hash that addresses it.

Contract: `stored_form(parse(body))` parses back to the JSON value of `body`. A body for which this cannot be promised
(not JSON, invalid UTF-8, nested deeper than `MAX_DEPTH`, integers beyond 64 bits) is kept as raw bytes. Hashes are the
first 16 bytes of SHA-256 over the stored form, tagged so that a raw body never shares an address with a JSON value.
Changing either breaks every cassette: add a migration.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import orjson

DIGEST_BYTES: Final = 16

MAX_DEPTH: Final = 120
"""Levels of nesting up to which a body counts as JSON.

The API takes 100. The rest of what `orjson` could write (254) is room for the lists that the normal form wraps around
single objects, and what walks a value may recurse without fear for the stack.
"""
_WRITABLE_DEPTH: Final = 254
_SHORT: Final = 4096
_SNAKE: Final = re.compile("_([a-z0-9])")
_EXPONENT: Final = orjson.dumps(1e22)[1:-2]  # "e+", in older versions "e"


class _NotJson:
    def __repr__(self) -> str:
        return "NOT_JSON"

    def __bool__(self) -> bool:
        return False


NOT_JSON: Final = _NotJson()
"""Stands for a body that has no stored form."""


def parse(body: bytes) -> Any:
    """The JSON value of a body, or `NOT_JSON` where it does not parse or is nested too deep."""
    if not body:
        return NOT_JSON
    try:
        value = orjson.loads(body)
        # Counting brackets is the quicker way only in short bodies.
        if len(body) > _SHORT or body.count(b"[") + body.count(b"{") > MAX_DEPTH:
            _fail_beyond_max_depth(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return NOT_JSON
    return value


def _fail_beyond_max_depth(value: Any) -> None:
    """Let `orjson` measure: wrapped often enough, a value that is nested too deep is more than it writes."""
    for _ in range(_WRITABLE_DEPTH - MAX_DEPTH):
        value = [value]
    orjson.dumps(value)


def may_have_lost_digits(form: bytes, value: Any) -> bool:
    """Whether a value, with its stored form, holds a float that `parse` might have made of an integer.

    `orjson` reads integers beyond 64 bits as floats without a word; that such a float is there is the only sign left.
    """
    return _has_exponent(form) and _holds_huge_float(value)


def _has_exponent(form: bytes) -> bool:
    """Whether digits stand around an exponent mark; plain finds are ten times as fast as a regular expression."""
    at = form.find(_EXPONENT)
    while at >= 0:
        after = at + len(_EXPONENT)
        if form[at - 1 : at].isdigit() and form[after : after + 2].isdigit():
            return True
        at = form.find(_EXPONENT, after)
    return False


def _holds_huge_float(value: Any) -> bool:
    if isinstance(value, float):
        return abs(value) >= 2.0**63
    if isinstance(value, dict):
        return any(map(_holds_huge_float, value.values()))
    return isinstance(value, list) and any(map(_holds_huge_float, value))


class _Huge(str):
    """The digits of an integer that 64 bits do not hold."""

    __slots__ = ()


def huge_integers(body: bytes) -> list[str]:
    """The integers of a JSON body that 64 bits do not hold: place and digits, sorted.

    None where it is no JSON. A place is spelled in camelCase, whatever the case of its keys.
    """
    try:
        return sorted(_huge_in(json.loads(body, parse_int=_read_integer), ""))
    except (ValueError, RecursionError):
        return []


def _read_integer(digits: str) -> Any:
    # The length comes first: Python refuses to read very long integers.
    return _Huge(digits) if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64 else 0


def _huge_in(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, _Huge):
        yield f"{place}: {value}"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _huge_in(item, f"{place}/{_SNAKE.sub(lambda found: found[1].upper(), key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _huge_in(item, f"{place}/{index}")


def stored_form(value: Any) -> bytes:
    """The value as UTF-8 JSON with sorted keys and no blanks."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def json_digest(form: bytes) -> bytes:
    """The address of a JSON value, from its stored form."""
    return hashlib.sha256(form).digest()[:DIGEST_BYTES]


def raw_digest(data: bytes) -> bytes:
    """The address of a body that is kept as bytes."""
    return hashlib.sha256(b"raw\x00" + data).digest()[:DIGEST_BYTES]
