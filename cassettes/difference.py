"""One place where a request differs from a recorded one, and such places in their histories.

In prose contents and parts are counted from 1; JSON Pointers count from 0, as they always do, and address the request's
match form, where keys are camelCase and parallel responses stand in the order of their calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import Any, Final

from .canonical import json_digest, stored_form
from .chat import INSTRUCTING_ROLES
from .entry import Entry
from .matchform import ignored, match_content
from .matching import EVERYTHING, Matching
from .normal import stripped
from .schema import CONTENT
from .turns import Turn
from .values import ABSENT, Path, differing, dotted, pointer, same_items, shown

_NOTE: Final = "match content"


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


class Contents:
    """The histories of two requests, and where they differ."""

    def __init__(self, recorded: Entry, got: Entry, matching: Matching = EVERYTHING) -> None:
        self._matching = matching
        heads = recorded.layout.history, got.layout.history
        self._old, self._new = [[] if ignored(head, matching) else head.line() for head in heads]
        self._old_digests, self._new_digests = [
            [_digest(turn, matching) for turn in side] for side in (self._old, self._new)
        ]
        self.common: Final = _common(self._old_digests, self._new_digests)
        """Contents that are equal from the start."""
        old, new = self._old_digests[self.common :], self._new_digests[self.common :]
        self.equal: Final = self.common + _common(old[::-1], new[::-1])
        """Contents that are equal from both ends."""
        wrap = ("request",) if got.layout.wrapped else ()
        self._base = got.layout.contents_at or recorded.layout.contents_at or (*wrap, "contents")
        self._noun = "content" if got.layout.history.message is CONTENT else "message"

    def differences(self) -> Iterator[Difference]:
        """The places where they differ, in order."""
        at = self.common
        old, new = self._old_digests[at:], self._new_digests[at:]
        if missing := _cut_out(old, new):
            yield self._whole(Kind.MISSING, missing)
        elif extra := _cut_out(new, old):
            yield self._whole(Kind.EXTRA, extra)
        elif len(old) > 1 and sorted(old) == sorted(new):
            where = f"{self._equal()}{self._noun}s {at + 1} to {at + len(new)} stand in another order"
            values = self._form(self._old[at]), self._form(self._new[at])
            yield Difference(Kind.ORDER, pointer((*self._base, at)), *values, where)
        else:
            yield from self._one_by_one()

    def _one_by_one(self) -> Iterator[Difference]:
        both = min(len(self._old), len(self._new))
        for at in range(self.common, both):
            if self._old_digests[at] == self._new_digests[at]:
                continue
            for path, *values in self._differing(self._old[at], self._new[at], (*self._base, at)):
                below = path[len(self._base) + 1 :]
                kind = Kind.ORDER if same_items(*values) else _kind(below, self._new[at].role)
                yield Difference(kind, pointer(path), *values, where=self._equal() + self._place(at, below))
        if len(self._old) > both:
            words = f"{len(self._old) - both} more of the recording from {self._noun} {both + 1} on"
            yield self._at(Kind.MISSING, both, words)
        elif len(self._new) > both:
            words = f"{len(self._new) - both} more of the request from {self._noun} {both + 1} on"
            yield self._at(Kind.EXTRA, both, words)

    def _whole(self, kind: Kind, count: int) -> Difference:
        """Contents that only one side has, all else being equal."""
        first = self.common + 1
        span = f"{self._noun} {first}" if count == 1 else f"{self._noun}s {first} to {first + count - 1}"
        if kind is Kind.MISSING:
            return self._at(kind, self.common, f"{self._equal()}the request lacks {span} of the recording")
        return self._at(kind, self.common, f"{self._equal()}the recording lacks {span} of the request")

    def _at(self, kind: Kind, at: int, where: str) -> Difference:
        """The first of some contents that only one side has."""
        recorded = self._form(self._old[at]) if kind is Kind.MISSING else ABSENT
        got = self._form(self._new[at]) if kind is Kind.EXTRA else ABSENT
        return Difference(kind, pointer((*self._base, at)), recorded, got, where)

    def _form(self, turn: Turn) -> Any:
        return match_content(turn, self._matching)

    def _differing(self, old: Turn, new: Turn, path: Path) -> list[tuple[Path, Any, Any]]:
        """The places where two contents differ.

        A response whose name changed answers no call any more, and so stands elsewhere in match form: as sent, the name
        is all that differs.
        """
        ordered = list(differing(self._form(old), self._form(new), path))
        if len(ordered) < 2 or "model" in (old.role, new.role) or not self._matching.is_plain:
            return ordered
        sent = list(differing(stripped(old.normal, old.message), stripped(new.normal, new.message), path))
        return sent if 0 < len(sent) < len(ordered) else ordered

    def _equal(self) -> str:
        if self.common == 0:
            return ""
        return f"{self._noun} 1 equal, " if self.common == 1 else f"{self._noun}s 1 to {self.common} equal, "

    def _place(self, at: int, below: Path) -> str:
        place = f"{self._noun} {at + 1}"
        if below[:1] == ("parts",) and len(below) > 1 and isinstance(below[1], int):
            place += f" part {below[1] + 1}"
            below = below[2:]
        return f"{place} differs" + (f" at {dotted(below)}" if below else "")


def _digest(turn: Turn, matching: Matching) -> bytes:
    """The digest of one content in match form, worked out once for each turn."""
    note = _NOTE + matching.tag
    known = turn.notes.get(note)
    if known is None:
        known = turn.notes[note] = json_digest(stored_form(match_content(turn, matching)))
    return known


def _common(one: Iterable[bytes], other: Iterable[bytes]) -> int:
    """How many items are equal from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _cut_out(longer: list[bytes], shorter: list[bytes]) -> int:
    """How many contents have to go from the start of `longer` to leave `shorter`; 0 where that is not the difference."""
    count = len(longer) - len(shorter)
    return count if count > 0 and longer[count:] == shorter else 0


def _kind(below: Path, role: str) -> Kind:
    """The kind of a difference at a path below a content; below a chat message its role tells what the text is."""
    if below[:1] == ("role",):
        return Kind.ROLE
    if below[:1] == ("content",) and role in _SAID_AS:
        return _SAID_AS[role]
    names = [key for key in below if isinstance(key, str)]
    for name in names[1:3]:
        if name in _KINDS:
            return _KINDS[name]
    return Kind.TEXT if names[:1] == ["content"] else Kind.PART


_SAID_AS: Final = {"tool": Kind.RESULT, "function": Kind.RESULT} | dict.fromkeys(
    INSTRUCTING_ROLES, Kind.INSTRUCTION
)
_KINDS: Final = {
    "text": Kind.TEXT,
    "args": Kind.ARGS,
    "arguments": Kind.ARGS,
    "response": Kind.RESULT,
    "name": Kind.NAME,
    "inlineData": Kind.MEDIA,
    "fileData": Kind.MEDIA,
}
