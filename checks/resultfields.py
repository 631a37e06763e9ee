"""The fields of results: which there are, and how a result differs from those that a pin allows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final

from . import results
from .pins import ANY, PinnedFunction, ResultField, Type

_DEEPEST: Final = 24
"""Levels that are looked at."""
_MOST_TEXT: Final = 8_000_000
"""Characters up to which a text is read as JSON: a large result has the fields of a small one."""
MOST_KEYS: Final = 64
"""Keys of an object beyond which it is a table, whose keys are data."""


class Fields:
    """Collects the fields of one function's results."""

    def __init__(self) -> None:
        self._types: defaultdict[str, set[Type]] = defaultdict(set)
        self._there: Counter[str] = Counter()
        self._objects: Counter[str] = Counter()

    def add(self, result: Any) -> None:
        """Take in one more result."""
        self._walk("", _unpacked(result), _DEEPEST)

    def fields(self) -> dict[str, ResultField]:
        """All fields by their place, in order."""
        return {
            place: ResultField(tuple(sorted(types)), self._is_optional(place))
            for place, types in sorted(self._types.items())
        }

    def _is_optional(self, place: str) -> bool:
        parent, _, key = place.rpartition("/")
        return bool(place) and key != ANY and self._there[place] < self._objects[parent]

    def _walk(self, place: str, value: Any, levels: int) -> None:
        self._types[place].add(type_of(value))
        if not levels:
            return
        if isinstance(value, dict):
            self._objects[place] += 1
            table = len(value) > MOST_KEYS
            for key, item in value.items():
                at = f"{place}/{ANY if table else escaped(key)}"
                self._there[at] += 1
                self._walk(at, _unpacked(item), levels - 1)
        elif isinstance(value, list):
            for item in value:
                self._walk(f"{place}/{ANY}", _unpacked(item), levels - 1)


def merged(
    old: dict[str, ResultField] | None, new: dict[str, ResultField] | None
) -> dict[str, ResultField] | None:
    """The fields that allow what either of two pins allows; keys of what is a table in the old one stay any key."""
    if old is None or new is None:
        return new if old is None else old
    new = _in_tables_of(old, new)
    found: dict[str, ResultField] = {}
    for place in sorted(old.keys() | new.keys()):
        sides = [side[place] for side in (old, new) if place in side]
        parent = place.rpartition("/")[0]
        missing = len(sides) == 1 and place != "" and parent in old and parent in new
        types: list[Type] = sorted({kind for side in sides for kind in side.types})
        optional = place.rpartition("/")[2] != ANY and (missing or any(side.optional for side in sides))
        found[place] = ResultField(tuple(types), optional)
    return found


def _in_tables_of(old: dict[str, ResultField], new: dict[str, ResultField]) -> dict[str, ResultField]:
    """New fields with `*` where objects of the old ones have it: whoever made a table of one meant it."""
    tables = {place for place, field in old.items() if "object" in field.types and "array" not in field.types}
    tables = {place for place in tables if f"{place}/{ANY}" in old}
    drawn: defaultdict[str, list[ResultField]] = defaultdict(list)
    for place, field in new.items():
        at = ""
        for key in place.split("/")[1:]:
            named = f"{at}/{key}"
            at = f"{at}/{ANY}" if at in tables and named not in old else named
        drawn[at].append(field)
    return {at: _joined(at, fields, drawn) for at, fields in drawn.items()}


def _joined(place: str, fields: list[ResultField], drawn: dict[str, list[ResultField]]) -> ResultField:
    """What was said of several places that are one now; optional also where only some of its parents had it."""
    types: list[Type] = sorted({kind for field in fields for kind in field.types})
    parent, _, key = place.rpartition("/")
    holders = sum("object" in field.types for field in drawn[parent]) if place else 0
    missing = key != ANY and len(fields) < holders
    return ResultField(tuple(types), missing or any(field.optional for field in fields))


def differences(pinned: PinnedFunction, result: Any) -> Iterator[str]:
    """How a result differs from the pinned fields, one clause each; each place of the pin is told once."""
    told: set[str] = set()
    for words in _differences(pinned, "", _unpacked(result), _DEEPEST):
        if words not in told:
            told.add(words)
            yield words


def _differences(pinned: PinnedFunction, place: str, value: Any, levels: int) -> Iterator[str]:
    field = (pinned.results or {}).get(place)
    kind = type_of(value)
    if field is not None and kind not in field.types:
        yield f"{place or 'the result'} is {kind}, pinned as {' or '.join(field.types)}"
    elif levels and isinstance(value, dict):
        yield from _of_object(pinned, place, value, levels)
    elif levels and isinstance(value, list) and value:
        if ANY in pinned.children.get(place, {}):
            for item in value:
                yield from _differences(pinned, f"{place}/{ANY}", _unpacked(item), levels - 1)
        else:
            yield f"{place or 'the result'} has items, and none were pinned"


def _of_object(pinned: PinnedFunction, place: str, value: dict[str, Any], levels: int) -> Iterator[str]:
    children = pinned.children.get(place, {})
    for key, item in value.items():
        name = escaped(key)
        known = name if name in children else ANY
        if known in children:
            yield from _differences(pinned, f"{place}/{known}", _unpacked(item), levels - 1)
        else:
            yield f"{place}/{name} ({type_of(_unpacked(item))}) is not pinned"
    present = set(map(escaped, value))
    for name, child in children.items():
        if name != ANY and not child.optional and name not in present:
            yield f"{place}/{name} is missing"


def _unpacked(value: Any) -> Any:
    return results.unpacked(value, _MOST_TEXT)


def type_of(value: Any) -> Type:
    """The name of a value's type as JSON has it."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def escaped(key: str) -> str:
    """A key as it stands in a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")
