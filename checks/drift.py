"""How a declaration differs from the pinned one: breaking, widening, or in wording only.

Seen from what may be called: a change breaks where a call that was allowed is not any more, or means something else; it
widens where only more is allowed; what only people and models read is wording.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from ..cassettes.canonical import stored_form
from .schemas import declared_schema
from .simplest import simplest, types_of
from .wording import SCHEMAS, at, texts, unchecked

_FROM_BELOW: Final = ("minimum", "exclusiveMinimum", "minItems", "minLength", "minProperties")
_FROM_ABOVE: Final = ("maximum", "exclusiveMaximum", "maxItems", "maxLength", "maxProperties")
_EXACT: Final = ("pattern", "multipleOf", "allOf", "prefixItems")
_SHOWN: Final = 60


class Kind(IntEnum):
    """How much a change matters; the largest of several counts."""

    WORDING = 1
    WIDENING = 2
    BREAKING = 3

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, in words."""

    kind: Kind
    words: str


def changes(pinned: dict[str, Any], declared: dict[str, Any]) -> list[Change]:
    """All differences between two declarations of one function, in normal form; the worst first."""
    found: list[Change] = []
    for name, (plain, json_schema) in SCHEMAS.items():
        old, new = (_schema(declaration, plain, json_schema) for declaration in (pinned, declared))
        found += _compared(old, new, name)
    found += _unchecked(unchecked(pinned), unchecked(declared))
    found += _reworded(texts(pinned), texts(declared))
    for key in sorted(
        (pinned.keys() | declared.keys()) - {"name", "description", *sum(SCHEMAS.values(), ())}
    ):
        if pinned.get(key) != declared.get(key):
            found.append(
                Change(Kind.BREAKING, f"{key} {_shown(pinned.get(key))} → {_shown(declared.get(key))}")
            )
    return sorted(found, key=lambda change: -change.kind)


def nearest(variants: Sequence[dict[str, Any]], declared: dict[str, Any]) -> list[Change]:
    """The differences from the pinned variant that a declaration is nearest to; none where it is one of them."""
    found = [(variant, changes(variant, declared)) for variant in variants]
    return min(found, key=lambda pair: distance(pair[0], declared, pair[1]), default=({}, []))[1]


def distance(
    pinned: dict[str, Any], declared: dict[str, Any], found: Sequence[Change]
) -> tuple[int, int, int]:
    """How far apart two declarations are: how much their differences matter, how many they are, how many words differ."""
    old, new = _words(pinned), _words(declared)
    worst = max((change.kind for change in found), default=0)
    return worst, len(found), (old - new).total() + (new - old).total()


def _words(declaration: dict[str, Any]) -> Counter[str]:
    text = stored_form(declaration).decode(errors="replace")
    return Counter(word.casefold() for word in re.findall(r"\w+", text))


def _schema(declaration: dict[str, Any], plain: str, json_schema: str) -> dict[str, Any]:
    fields = {"parameters": declaration.get(plain), "parametersJsonSchema": declaration.get(json_schema)}
    written = declared_schema({key: value for key, value in fields.items() if value is not None})
    schema = simplest(written.schema) if written else {}
    # Arguments are an object, whether that is said or not.
    return {"type": ["object"], **schema} if plain == "parameters" else schema


def _compared(old: Any, new: Any, place: str) -> Iterator[Change]:
    """The differences between two schemas without references; true and false are schemas too."""
    if old == new:
        return
    if not isinstance(old, dict) or not isinstance(new, dict):
        old_any, new_any = old in (True, {}), new in (True, {})
        kind = Kind.WIDENING if new_any or old is False else Kind.BREAKING
        words = "anything" if new_any else "nothing" if new is False else "something else"
        if not (old_any and new_any):
            yield Change(kind, f"{at(place)} allows {words}")
        return
    if (old.keys() == {"anyOf"}) != (new.keys() == {"anyOf"}):  # what is no choice is a choice of one
        yield from _alternatives(old.get("anyOf", [old]), new.get("anyOf", [new]), place)
        return
    yield from _sets(types_of(old), types_of(new), f"type of {at(place)}", _has_type)
    yield from _sets(old.get("enum"), new.get("enum"), f"values of {at(place)}", _has)
    yield from _limits(old, new, place)
    yield from _objects(old, new, place)
    yield from _compared(old.get("items", True), new.get("items", True), f"{place}[]")
    before, after = old.get("additionalProperties", True), new.get("additionalProperties", True)
    if before is not after and isinstance(before, bool) and isinstance(after, bool):
        kind = Kind.WIDENING if after else Kind.BREAKING
        yield Change(kind, f"undeclared fields of {at(place)} are {'allowed' if after else 'ruled out'}")
    else:
        yield from _compared(before, after, f"{place}.*".lstrip("."))
    yield from _alternatives(old.get("anyOf"), new.get("anyOf"), place)


def _sets(old: Any, new: Any, what: str, has: Callable[[set[Any], Any], bool]) -> Iterator[Change]:
    """Two lists of what is allowed; a missing one allows everything. `has` says whether one allows an item."""
    if old == new:
        return
    if new is None:
        yield Change(Kind.WIDENING, f"{what} is free")
        return
    if old is None:
        yield Change(Kind.BREAKING, f"{what} is restricted to {_listed(new)}")
        return
    before, after = set(map(_key, old)), set(map(_key, new))
    gone = [value for value in old if not has(after, value)]
    added = [value for value in new if not has(before, value)]
    if gone and added:
        yield Change(Kind.BREAKING, f"{what}: {_listed(gone)} → {_listed(added)}")
    elif gone:
        yield Change(Kind.BREAKING, f"{what}: {_listed(gone)} removed")
    elif added:
        yield Change(Kind.WIDENING, f"{what}: {_listed(added)} added")


def _has(allowed: set[Any], value: Any) -> bool:
    return _key(value) in allowed


def _has_type(allowed: set[Any], name: str) -> bool:
    return name in allowed or (name == "integer" and "number" in allowed)


def _key(value: Any) -> Any:
    """A value by which equal ones are found; JSON tells 1 from true, and not from 1.0."""
    return (
        value
        if isinstance(value, str | int | float) and not isinstance(value, bool)
        else (stored_form(value),)
    )


def _limits(old: dict[str, Any], new: dict[str, Any], place: str) -> Iterator[Change]:
    for keys, sign in ((_FROM_BELOW, 1), (_FROM_ABOVE, -1)):
        for key in keys:
            before, after = old.get(key), new.get(key)
            if before != after:
                tighter = after is not None and (before is None or (after - before) * sign > 0)
                kind = Kind.BREAKING if tighter else Kind.WIDENING
                yield Change(kind, f"{key} of {at(place)}: {_shown(before)} → {_shown(after)}")
    for key in _EXACT:
        if old.get(key) != new.get(key):
            kind = Kind.BREAKING if key in new else Kind.WIDENING
            yield Change(kind, f"{key} of {at(place)} {'changed' if key in new else 'removed'}")


def _objects(old: dict[str, Any], new: dict[str, Any], place: str) -> Iterator[Change]:
    before, after = old.get("properties", {}), new.get("properties", {})
    needed, needs = set(old.get("required", ())), set(new.get("required", ()))
    for name in sorted(before.keys() | after.keys() | needed | needs):
        inner = f"{place}.{name}".lstrip(".")
        if name in before and name not in after:
            yield Change(Kind.BREAKING, f"{inner} removed")
            continue
        if name in after and name not in before:
            required = name in needs
            yield Change(
                Kind.BREAKING if required else Kind.WIDENING,
                f"{inner} added{', required' if required else ''}",
            )
            if isinstance(old.get("additionalProperties"), dict):  # a table, which had room for this key
                yield from _compared(old["additionalProperties"], after[name], inner)
            continue
        if (name in needed) != (name in needs):
            required = name in needs
            yield Change(
                Kind.BREAKING if required else Kind.WIDENING,
                f"{inner} is {'' if required else 'not '}required now",
            )
        yield from _compared(before.get(name, True), after.get(name, True), inner)


def _alternatives(old: Any, new: Any, place: str) -> Iterator[Change]:
    """Two lists of alternatives: those that both have say nothing, of the others each is compared with its counterpart."""
    if old is None or new is None:
        if old is not new:
            kind = Kind.BREAKING if old is None else Kind.WIDENING
            yield Change(kind, f"alternatives of {at(place)} changed")
        return
    before, after = set(map(stored_form, old)), set(map(stored_form, new))
    gone = [branch for branch in old if stored_form(branch) not in after]
    added = [branch for branch in new if stored_form(branch) not in before]
    if len(gone) == len(added):
        for branch, counterpart in zip(gone, added, strict=True):
            yield from _compared(branch, counterpart, place)
    else:
        kind = Kind.BREAKING if gone else Kind.WIDENING
        yield Change(kind, f"alternatives of {at(place)} changed")


def _unchecked(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    for place in sorted(old.keys() | new.keys()):
        if place not in new:
            yield Change(Kind.WIDENING, f"{place} removed")
        elif old.get(place) != new[place]:
            yield Change(Kind.BREAKING, f"{place} {'changed' if place in old else 'added'}")


def _reworded(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    for place in sorted(old.keys() & new.keys()):
        if old[place] != new[place]:
            yield Change(Kind.WORDING, f"{place}: {_shown(old[place])} → {_shown(new[place])}")
    for place in sorted(old.keys() - new.keys()):
        yield Change(Kind.WORDING, f"{place} removed: {_shown(old[place])}")
    for place in sorted(new.keys() - old.keys()):
        yield Change(Kind.WORDING, f"{place} added: {_shown(new[place])}")


def _listed(values: Any) -> str:
    return ", ".join(map(_shown, values if isinstance(values, list) else [values]))


def _shown(value: Any) -> str:
    text = "nothing" if value is None else stored_form(value).decode(errors="replace")
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
