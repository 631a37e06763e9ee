"""Why a request has no recorded answer: the nearest recorded exchange, what differs, and what to do about it.

The whole advice is one text, since that is what clients show; the same facts stand apart in `Miss.facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import orjson

from .astray import misspelled
from .comparison import MOST, Comparison, compare
from .difference import Kind
from .entry import Entry
from .lookup import Lookup
from .matching import EVERYTHING, Matching
from .values import shown

_OTHERS: Final = 3
"""Further differences that are named."""
_LIKENESS: Final = 2000
"""Characters of two texts that are compared."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The recorded exchange that is most like a request, and how they differ."""

    entry: Entry
    comparison: Comparison
    used: bool


@dataclass(frozen=True, slots=True)
class Miss:
    """A request without an answer: `why` in full sentences, `nearest` where there is one to compare with."""

    why: str
    nearest: Nearest | None = None

    @property
    def facts(self) -> dict[str, str]:
        """What was found, for programs: exchange, kind, pointer, recorded, got, used; empty without a nearest one."""
        if self.nearest is None:
            return {}
        facts = {"exchange": str(self.nearest.entry.number), "used": str(self.nearest.used).lower()}
        for first in self.nearest.comparison.differences[:1]:
            recorded, got = shown(first.recorded, first.got)
            facts |= {"kind": first.kind.value, "pointer": first.pointer, "recorded": recorded, "got": got}
        return facts


def explain(lookup: Lookup, request: Entry, key: bytes, session: str = "", again: str = "") -> Miss:
    """Why a request got nothing from a cassette.

    Args:
        lookup: the cassette's queues.
        request: what `Cassette.request_entry` made of it.
        key: its match key.
        session: the session whose queues were asked.
        again: the command that records the cassette again.

    Raises:
        CassetteError: the cassette is damaged.
    """
    with lookup.lock:
        recorded = lookup.recorded(key)
        if recorded:
            return _used_up(lookup, request, recorded, session)
        candidates = (lookup.entry(number) for number in lookup.near(request))
        matching = lookup.cassette.matching
        found = nearest(request, candidates, lambda number: lookup.used(number, session), matching)
    words = (
        _nearest_words(found) + _ignoring(found)
        if found
        else "No exchange of the cassette is anything like it."
    )
    advice = "If the request is meant to be as it is now, record it again"
    return Miss(f"{words}{_oddities(request)} {advice}{f': {again}' if again else '.'}", found)


def nearest(
    request: Entry,
    candidates: Iterable[Entry],
    used: Callable[[int], bool],
    matching: Matching = EVERYTHING,
) -> Nearest | None:
    """The candidate that is most like a request.

    One that shares a content at the beginning or the end of the history comes before one that does not; then the same
    action, more such contents, the same model, a history of the same length, fewer differences, likelier texts, not served
    yet, the earlier one.
    """
    best: tuple[tuple[Any, ...], Nearest] | None = None
    for entry in candidates:
        comparison = compare(entry, request, matching)
        if not comparison.equal and _collection(entry) != _collection(request):
            continue  # a file is no cache, however little else there is to differ
        rank = (
            comparison.equal > 0,
            (entry.method, entry.route.action) == (request.method, request.route.action),
            comparison.equal,
            entry.model == request.model,
            -abs(entry.layout.history.depth - request.layout.history.depth),
            -len(comparison.differences),
            _likeness(comparison),
            not used(entry.number),
            -entry.number,
        )
        if best is None or rank > best[0]:
            best = rank, Nearest(entry, comparison, used(entry.number))
    return best[1] if best else None


def _collection(entry: Entry) -> str:
    """What kind of thing a request is about."""
    return "models" if entry.route.model else entry.route.resource.partition("/")[0]


def _oddities(request: Entry) -> str:
    """What is wrong with a request by itself, as far as that explains why nothing like it was recorded."""
    encodings = [value for name, value in request.headers if name.lower() == "content-encoding"]
    said = [
        misspelled(request.path),
        f"its body came encoded as {encodings[-1][:20]!a}, which could not be decoded here"
        if encodings
        else "",
    ]
    return "".join(f" {words[:1].upper()}{words[1:]}." for words in said if words)


_IGNORABLE: Final = frozenset(
    {Kind.TEXT, Kind.ARGS, Kind.RESULT, Kind.MEDIA, Kind.PART, Kind.INSTRUCTION, Kind.TOOL, Kind.CONFIG}
)
_USED: Final = {True: "was already served", False: "was not served yet"}


def _used_up(lookup: Lookup, request: Entry, recorded: list[int], session: str) -> Miss:
    """Everything recorded for the key was served, or may not answer this very request."""
    last = recorded[-1]
    used = lookup.used(last, session)
    found = Nearest(lookup.entry(last), compare(lookup.entry(last), request, lookup.cassette.matching), used)
    exchanges = f"Exchange {last} is" if len(recorded) == 1 else f"Exchanges {_listed(recorded)} are"
    if not used:
        return Miss(
            f"{exchanges} recorded for it, but with a fault in the request that this one does not have.",
            found,
        )
    return Miss(
        f"{exchanges} recorded for it, and already used: served once each, and --repeat {lookup.repeat.value} serves "
        "nothing again. Either the request is sent once too often, or it has to be recorded as often as it is sent.",
        found,
    )


def _nearest_words(found: Nearest) -> str:
    head = f"The nearest recorded exchange is {found.entry.number}, which {_USED[found.used]}"
    if not found.comparison.differences:
        return f"{head}."
    first, *others = found.comparison.differences
    words = f"{head}: {first} (kind: {first.kind.value}; JSON Pointer: {first.pointer or 'the whole body'})."
    if others:
        count = str(len(others)) if len(others) < MOST - 1 else f"at least {len(others)}"
        places = ", ".join(other.pointer or "the body" for other in others[:_OTHERS])
        more = ", …" if len(others) > _OTHERS else ""
        words += f" It differs in {count} more {'place' if len(others) == 1 else 'places'}: {places}{more}."
    return words


def _ignoring(found: Nearest) -> str:
    """How to leave out what differs, where that is a few values that can be left out."""
    differences = found.comparison.differences
    if not 0 < len(differences) <= _OTHERS or any(item.kind not in _IGNORABLE for item in differences):
        return ""
    pointers = ", ".join(orjson.dumps(item.pointer).decode() for item in differences)
    return f" If that differs in every run, match-ignore = [{pointers}] leaves it out."


def _likeness(comparison: Comparison) -> float:
    """How much of the two texts at the first difference is equal, from both ends; 0 to 1."""
    for first in comparison.differences[:1]:
        if not isinstance(first.recorded, str) or not isinstance(first.got, str):
            return 0.0
        old, new = first.recorded[:_LIKENESS], first.got[:_LIKENESS]
        head = _common(old, new)
        return (head + _common(old[head:][::-1], new[head:][::-1])) / max(len(old), len(new), 1)
    return 1.0


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _listed(numbers: list[int]) -> str:
    shown_numbers = [str(number) for number in numbers[:8]]
    return ", ".join(shown_numbers) + (", …" if len(numbers) > 8 else "")
