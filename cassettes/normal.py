"""The normal form of a value: one spelling for everything that the API reads as the same.

camelCase keys, lists where a list belongs, lower-case roles, no empty defaults, ``3`` for ``3.0``, base64 in one
alphabet without padding. User data keeps its keys and its gaps; only its numbers compare by value. Total: any JSON
value that `canonical.parse` gives has a normal form that can be written as JSON, and malformed values stay visible in it.
"""

from __future__ import annotations

import re
from typing import Any, Final

from .fields import Field, Kind, Message
from .schema import CONTENT

_EXACT_FLOAT: Final = 2.0**53
_INT64: Final = re.compile(r"-?[0-9]{1,18}")
_TO_STANDARD: Final = str.maketrans("-_", "+/")
_VOLATILE: Final = frozenset({Kind.ID, Kind.SIGNATURE, Kind.SESSION})


def normalise(value: Any, message: Message) -> Any:
    """The normal form of a value that should be a `message`; a value of another type keeps its type."""
    if not isinstance(value, dict):
        return _opaque(value)
    normal: dict[str, Any] = {}
    for key in sorted(value):  # the canonical spelling comes first, whatever the order they were sent in
        item = value[key]
        name = message.canonical(key)
        field = message.fields.get(name)
        if name in normal:  # both spellings of one field: neither may hide the other
            name, field = key, None
        if field is None:
            normal[name] = _opaque(item)
            continue
        item_form = _normalise_field(item, field)
        if item_form is None or (not field.present and item_form in ({}, [])):
            continue
        normal[name] = item_form
    return normal


def normalise_content(value: Any, default_role: str = "user") -> Any:
    """The normal form of a content; a missing role is `default_role`."""
    normal = normalise(value, CONTENT)
    if isinstance(normal, dict) and normal.get("role", "") == "":
        normal["role"] = default_role
    return normal


def normalise_base64(text: str) -> str:
    """Base64 in the standard alphabet without padding at its end."""
    if "-" in text or "_" in text:  # it may hold megabytes: no copy without need
        text = text.translate(_TO_STANDARD)
    return text.rstrip("=")


def stripped(value: Any, message: Message) -> Any:
    """The match form of a normal form: without call ids, signatures and session fields."""
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {}
    for name, item in value.items():
        field = message.fields.get(name)
        if field is None:
            kept[name] = item
        elif field.kind in _VOLATILE:
            continue
        elif field.message is None:
            kept[name] = item
        elif field.mapped and isinstance(item, dict):
            kept[name] = {key: stripped(entry, field.message) for key, entry in item.items()}
        elif isinstance(item, list):
            kept[name] = [stripped(entry, field.message) for entry in item]
        else:
            kept[name] = stripped(item, field.message)
    return kept


def _normalise_field(value: Any, field: Field) -> Any:
    if field.message is not None:
        return _normalise_nested(value, field, field.message)
    if isinstance(value, str):
        if field.kind in (Kind.BYTES, Kind.SIGNATURE):
            return normalise_base64(value)
        if field.kind is Kind.ROLE:
            return value.lower()
        if field.kind is Kind.INT64 and _INT64.fullmatch(value):
            return int(value)
    if field.repeated and value is not None and not isinstance(value, list):
        return [_opaque(value)]
    return _opaque(value)


def _normalise_nested(value: Any, field: Field, message: Message) -> Any:
    if value is None:
        return None
    if field.mapped:
        if isinstance(value, dict):
            return {key: normalise(item, message) for key, item in value.items()}
        return _opaque(value)
    if field.repeated:
        items = value if isinstance(value, list) else [value]
        if message is CONTENT:
            return [normalise_content(item) for item in items]
        return [normalise(item, message) for item in items]
    return normalise_content(value) if message is CONTENT else normalise(value, message)


def _opaque(value: Any) -> Any:
    """User data with numbers by value."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT_FLOAT else value
    if isinstance(value, dict):
        return {key: _opaque(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_opaque(item) for item in value]
    return value
