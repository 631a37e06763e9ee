"""What a user leaves out of matching: places in the request body, and values that differ between runs."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import orjson

from .errors import SetupError
from .fields import Field, Kind, Message

FILTERS: Final = {
    "iso-date": re.compile(
        r"(?<!\d)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
        r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?(?!\d)",
        re.ASCII,
    ),
    "uuid": re.compile(
        r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Fa-f])", re.ASCII
    ),
    # From 2014 to 2039, so that few other numbers are taken for one.
    "epoch": re.compile(
        r"(?<![\d.])(?:1[4-9]|2[01])\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?![\d.]*\d)", re.ASCII
    ),
}
"""Ready-made patterns by name; epoch counts in s, ms, µs or ns, and is met in numbers as well as in texts."""
_ANY: Final = "*"
_REVISION: Final = 1
"""Counts changes of this module that change a match key for a user who ignores something."""

Paths = tuple[tuple[str, ...], ...]
"""The rests of ignored pointers below a value; an empty one ignores the value itself."""


@dataclass(frozen=True)
class Matching:
    """What does not count when a request is compared with a recorded one; by default everything counts.

    `ignore` holds JSON Pointers into the request body in match form (camelCase keys); ``*`` stands for any key or index,
    and ``/request`` in front, as on Code Assist, may be there or not. An ignored member of an object counts as absent;
    an ignored item of a list still counts as an item. What `patterns` (regular expressions) and `filters` (names of
    ready-made ones) match in a text is replaced by a constant, so that only the rest of the text counts. Bytes, such as
    an image, are searched for neither. Bodies that are no JSON count whole.

    Raises:
        SetupError: a pointer, pattern or filter is none, or a pattern matches the empty text.
    """

    ignore: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pointer in self.ignore:
            if not pointer.startswith("/"):
                raise SetupError(f"{pointer!r} is no JSON Pointer: it has to begin with a slash")
        for name in self.filters:
            if name not in FILTERS:
                raise SetupError(f"there is no filter {name!r}; there are {', '.join(FILTERS)}")
        for pattern in self.patterns:
            if _compiled(pattern).match(""):
                raise SetupError(f"{pattern!r} matches the empty text")

    @cached_property
    def tag(self) -> str:
        """A short name for what is left out: equal tags give equal match keys; empty where everything counts."""
        if self.is_plain:
            return ""
        texts = [FILTERS[name].pattern for name in self.filters]
        said = orjson.dumps([_REVISION, self.ignore, self.patterns, self.filters, texts])
        return hashlib.sha256(said).hexdigest()[:8]

    @cached_property
    def is_plain(self) -> bool:
        """Whether everything counts."""
        return not (self.ignore or self.patterns or self.filters)

    def __str__(self) -> str:
        kinds = (("match-ignore", self.ignore), ("match-patterns", self.patterns), ("filters", self.filters))
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in kinds if values) or "nothing"

    def ignores(self, *place: str) -> bool:
        """Whether the value at a place, given as keys and indices from the top of the request, is ignored whole."""
        return self._below(place) is None

    def of(self, form: Any, message: Message, *place: str) -> Any:
        """What counts of a value in match form.

        Args:
            form: the value; it stays as it is.
            message: its schema.
            place: where it stands, as keys and indices from the top of the request.
        """
        if self.is_plain:
            return form
        paths = self._below(place)
        return None if paths is None else self._walk(form, message, paths)

    @cached_property
    def _paths(self) -> Paths:
        return tuple(map(_keys, self.ignore))

    def _below(self, place: tuple[str, ...]) -> Paths | None:
        """What is ignored below a place; None where the place itself is."""
        paths = self._paths
        for key in place:
            paths = _rest(paths, key)
            if () in paths:
                return None
        return paths

    @cached_property
    def _replacements(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """What is replaced in a text, and by what; the user's own patterns come first, since they may hold a date."""
        own = [(_compiled(pattern), "<ignored>") for pattern in self.patterns]
        return (*own, *((FILTERS[name], f"<{name}>") for name in self.filters))

    def _walk(self, value: Any, message: Message | None, paths: Paths) -> Any:
        if isinstance(value, dict):
            return self._object(value, message, paths)
        if isinstance(value, list):
            return [
                None if () in rest else self._walk(item, message, rest)
                for index, item in enumerate(value)
                for rest in (_rest(paths, str(index)),)
            ]
        if isinstance(value, str):
            for pattern, constant in self._replacements:
                value = pattern.sub(constant, value)
            return value
        return self._number(value)

    def _object(self, value: dict[str, Any], message: Message | None, paths: Paths) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for key, item in value.items():
            rest = _rest(paths, key)
            if () in rest:
                continue
            field = message.fields.get(key) if message else None
            if field and field.kind in (Kind.BYTES, Kind.ROLE):
                kept[key] = item
                continue
            form = self._entries(item, field, rest) if field and field.mapped else None
            form = self._walk(item, field and field.message, rest) if form is None else form
            # An object of the API that holds nothing but ignored values says as little as one that is not there.
            if form == {} and item != {} and field and not field.present:
                continue
            kept[key] = form
        return kept

    def _entries(self, value: Any, field: Field, paths: Paths) -> dict[str, Any] | None:
        """A map from the user's own keys to messages; None where it is none."""
        if not isinstance(value, dict):
            return None
        rests = {key: _rest(paths, key) for key in value}
        return {
            key: self._walk(item, field.message, rests[key])
            for key, item in value.items()
            if () not in rests[key]
        }

    def _number(self, value: Any) -> Any:
        if "epoch" in self.filters and isinstance(value, int | float) and not isinstance(value, bool):
            return "<epoch>" if FILTERS["epoch"].fullmatch(str(value)) else value
        return value


EVERYTHING: Final = Matching()
"""Everything counts."""


def _keys(pointer: str) -> tuple[str, ...]:
    keys = tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer[1:].split("/"))
    return keys[1:] if keys[0] == "request" and len(keys) > 1 else keys


def _rest(paths: Paths, key: str) -> Paths:
    if not paths:
        return paths
    return tuple(path[1:] for path in paths if path and path[0] in (_ANY, key))


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SetupError(f"{pattern!r} is no regular expression: {error}") from error
