"""What keeps a request from being a recorded one: every differing place, with both values, in match form.

In prose contents and parts are counted from 1; JSON Pointers count from 0, as they always do, and address the request's
match form, where keys are camelCase and parallel responses stand in the order of their calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, takewhile
from typing import Any, Final

from .canonical import raw_digest, stored_form
from .entry import Entry
from .matchform import history_digest, match_content, match_instruction, match_query, match_settings
from .schema import CONTENT, request_message
from .values import ABSENT, Path, differing, dotted, pointer, same_items, shown

MOST: Final = 10
"""Differences that are listed; what differs more often is another request altogether."""
_CONTENTS: Final = 64
"""Contents that are compared one by one behind the common beginning."""


class Kind(StrEnum):
    """What sort of change a difference is."""

    ROUTE = "route"
    MODEL = "model"
    QUERY = "query"
    TEXT = "text"
    ARGS = "args"
    RESULT = "result"
    NAME = "name"
    MEDIA = "media"
    ROLE = "role"
    PART = "part"
    ORDER = "order"
    EXTRA = "extra contents"
    MISSING = "missing contents"
    INSTRUCTION = "instruction"
    TOOL = "tool"
    CONFIG = "config"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Difference:
    """One differing place: its JSON Pointer, the two values there (`ABSENT` for none), and where it is in prose."""

    kind: Kind
    pointer: str
    recorded: Any
    got: Any
    where: str

    def __str__(self) -> str:
        recorded, got = shown(self.recorded, self.got)
        return f"{self.where}: recorded {recorded}, got {got}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a request differs from a recorded one: at most `MOST` places.

    `common` counts the contents that are equal from the start, `equal` those from both ends.
    """

    common: int
    equal: int
    differences: tuple[Difference, ...]


def compare(recorded: Entry, got: Entry) -> Comparison:
    """Compare a request with a recorded one; no difference means that they have one match key."""
    old, new = recorded.layout.history.line(), got.layout.history.line()
    common = _common((history_digest(turn) for turn in old), (history_digest(turn) for turn in new))
    ends = [
        (stored_form(match_content(turn)) for turn in side[: common - 1 if common else None : -1][:_CONTENTS])
        for side in (old, new)
    ]
    differences = islice(_differences(recorded, got, common), MOST)
    return Comparison(common, common + _common(*ends), tuple(differences))


def _common(one: Iterable[bytes], other: Iterable[bytes]) -> int:
    """How many items are equal from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _differences(recorded: Entry, got: Entry, common: int) -> Iterator[Difference]:
    for name, kind in _HEAD.items():
        pair = _head(recorded)[name], _head(got)[name]
        if pair[0] != pair[1]:
            yield Difference(kind, f"/{name}", *pair, where=f"the {name} differs")
    queries = dict(match_query(recorded.query)), dict(match_query(got.query))
    for path, *values in differing(*queries, ("query",)):
        yield Difference(Kind.QUERY, pointer(path), *values, where=f"the query differs at {path[-1]}")
    if recorded.layout.envelope is None or got.layout.envelope is None:
        yield from _bodies(recorded, got)
        return
    yield from _Contents(recorded, got, common).differences()
    base: Path = ("request",) if got.layout.wrapped else ()
    for name, kind, values in _rest(recorded, got):
        start = (*base, name) if name else ()
        for place in differing(*values, start):
            path, *pair = _narrowed(*place) if kind is Kind.CONFIG else place
            yield Difference(kind, pointer(path), *pair, where=f"{dotted(path[len(base) :])} differs")


_HEAD: Final = {"method": Kind.ROUTE, "action": Kind.ROUTE, "model": Kind.MODEL, "resource": Kind.ROUTE}


def _head(entry: Entry) -> dict[str, str]:
    """The route; a resource that names the model is said once, as the model."""
    model, resource = entry.model, entry.route.resource
    if model and resource.endswith("/" + model):
        resource = resource.removesuffix(model)
    return {"method": entry.method, "action": entry.route.action, "model": model, "resource": resource}


def _bodies(recorded: Entry, got: Entry) -> Iterator[Difference]:
    bodies = recorded.body(), got.body()
    if raw_digest(bodies[0]) != raw_digest(bodies[1]):
        yield Difference(Kind.BODY, "", *bodies, where="the body differs")


def _rest(recorded: Entry, got: Entry) -> Iterator[tuple[str, Kind, tuple[Any, Any]]]:
    """Instruction, tools and settings in match form, where they are not stored as one and the same."""
    old, new = recorded.layout, got.layout
    if (old.instruction and old.instruction.digest) != (new.instruction and new.instruction.digest):
        values = [match_instruction(side.instruction) if side.instruction else ABSENT for side in (old, new)]
        yield "systemInstruction", Kind.INSTRUCTION, (values[0], values[1])
    if history_digest(old.tools) != history_digest(new.tools):
        tools = [[match_content(turn) for turn in side.tools.line()] or ABSENT for side in (old, new)]
        yield "tools", Kind.TOOL, (tools[0], tools[1])
    settings = [match_settings(side.layout, request_message(side.route)) for side in (recorded, got)]
    yield "", Kind.CONFIG, (settings[0], settings[1])


def _narrowed(path: Path, recorded: Any, got: Any) -> tuple[Path, Any, Any]:
    """A setting that only one side has, without the objects that hold nothing else: an empty one says nothing."""
    there = got if recorded is ABSENT else recorded
    while (recorded is ABSENT or got is ABSENT) and isinstance(there, dict) and len(there) == 1:
        ((key, there),) = there.items()
        path = (*path, key)
        recorded, got = (ABSENT, there) if recorded is ABSENT else (there, ABSENT)
    return path, recorded, got


class _Contents:
    """The histories of two requests behind what they have in common."""

    def __init__(self, recorded: Entry, got: Entry, common: int) -> None:
        self._common = common
        self._old = [match_content(turn) for turn in recorded.layout.history.line()[common:][:_CONTENTS]]
        self._new = [match_content(turn) for turn in got.layout.history.line()[common:][:_CONTENTS]]
        self._lengths = recorded.layout.history.depth, got.layout.history.depth
        self._base = got.layout.contents_at or recorded.layout.contents_at or ("contents",)
        self._noun = "content" if got.layout.history.message is CONTENT else "message"

    def differences(self) -> Iterator[Difference]:
        old, new = [list(map(stored_form, side)) for side in (self._old, self._new)]
        missing, extra = _cut_out(old, new), _cut_out(new, old)
        if missing:
            yield self._whole(Kind.MISSING, missing)
        elif extra:
            yield self._whole(Kind.EXTRA, extra)
        elif len(old) > 1 and sorted(old) == sorted(new):
            at = self._common
            where = f"{self._equal()}{self._noun}s {at + 1} to {at + len(new)} stand in another order"
            yield Difference(Kind.ORDER, pointer((*self._base, at)), self._old[0], self._new[0], where)
        else:
            yield from self._one_by_one()

    def _one_by_one(self) -> Iterator[Difference]:
        for at, (old, new) in enumerate(zip(self._old, self._new, strict=False), self._common):
            for path, *values in differing(old, new, (*self._base, at)):
                below = path[len(self._base) + 1 :]
                kind = Kind.ORDER if same_items(*values) else _kind(below)
                yield Difference(kind, pointer(path), *values, where=self._equal() + self._place(at, below))
        old_length, new_length = self._lengths
        if len(self._old) == len(self._new) or max(len(self._old), len(self._new)) == _CONTENTS:
            return
        shorter = min(old_length, new_length)
        side, kind = (self._old, Kind.MISSING) if old_length > new_length else (self._new, Kind.EXTRA)
        value = side[shorter - self._common]
        values = (value, ABSENT) if kind is Kind.MISSING else (ABSENT, value)
        count = abs(old_length - new_length)
        where = f"{count} {kind} at the end, from {self._noun} {shorter + 1} on"
        yield Difference(kind, pointer((*self._base, shorter)), *values, where=where)

    def _whole(self, kind: Kind, count: int) -> Difference:
        """Contents that only one side has, all else being equal."""
        first = self._common + 1
        span = f"{self._noun} {first}" if count == 1 else f"{self._noun}s {first} to {first + count - 1}"
        side = "of the recording" if kind is Kind.MISSING else "of the request"
        other = "the request lacks" if kind is Kind.MISSING else "the recording lacks"
        values = (self._old[0], ABSENT) if kind is Kind.MISSING else (ABSENT, self._new[0])
        where = f"{self._equal()}{other} {span} {side}"
        return Difference(kind, pointer((*self._base, self._common)), *values, where=where)

    def _equal(self) -> str:
        if self._common == 0:
            return ""
        return (
            f"{self._noun} 1 equal, " if self._common == 1 else f"{self._noun}s 1 to {self._common} equal, "
        )

    def _place(self, at: int, below: Path) -> str:
        place = f"{self._noun} {at + 1}"
        if below[:1] == ("parts",) and len(below) > 1 and isinstance(below[1], int):
            place += f" part {below[1] + 1}"
            below = below[2:]
        return f"{place} differs" + (f" at {dotted(below)}" if below else "")


def _cut_out(longer: list[bytes], shorter: list[bytes]) -> int:
    """How many contents have to go from the start of `longer` to leave `shorter`; 0 where that is not the difference."""
    count = len(longer) - len(shorter)
    return count if count > 0 and longer[count:] == shorter else 0


def _kind(below: Path) -> Kind:
    """The kind of a difference at a path below a content."""
    if below[:1] == ("role",):
        return Kind.ROLE
    names = [key for key in below if isinstance(key, str)]
    for name in names[1:3]:
        if name in _KINDS:
            return _KINDS[name]
    return Kind.TEXT if names[:1] == ["content"] else Kind.PART


_KINDS: Final = {
    "text": Kind.TEXT,
    "args": Kind.ARGS,
    "arguments": Kind.ARGS,
    "response": Kind.RESULT,
    "name": Kind.NAME,
    "inlineData": Kind.MEDIA,
    "fileData": Kind.MEDIA,
}
