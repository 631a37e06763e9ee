"""The texts inside a function's result, each with its place, and the quick search for what must not be in them.

Frameworks and tool servers put what a function returned into one text: JSON in a text is looked into as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from .finding import Place
from .results import unpacked

MOST_VALUES: Final = 20_000
MOST_CHARACTERS: Final = 256 * 1024
"""Up to where a result is read: what is wrong with a larger one is its size."""


class Text(NamedTuple):
    """A text in a JSON value: its place below that value, the key it stands under, and itself.

    What JSON within a text holds has the place of that text.
    """

    place: Place
    key: str
    text: str


class Mark(NamedTuple):
    """Something that a text may hold: what it is, a literal that is always in it, and how it looks."""

    what: str
    needle: str
    pattern: re.Pattern[str]


def mark(what: str, needle: str, pattern: str = "") -> Mark:
    """A mark whose pattern takes linear time; without one the needle alone says it."""
    return Mark(what, needle, re.compile(pattern or re.escape(needle)))


def texts(value: Any) -> Iterator[Text]:
    """Every text in a JSON value, in order; one that is JSON comes before those in it."""
    values, characters = MOST_VALUES, MOST_CHARACTERS
    pending: list[tuple[Place, str, Any, bool]] = [((), "", value, False)]
    while pending and values > 0 and characters > 0:
        place, key, item, within = pending.pop()
        values -= 1
        if isinstance(item, str):
            yield Text(place, key, item[:characters])
            inner = unpacked(item, characters)
            characters -= len(item)
            if inner is not item:
                pending.append((place, key, inner, True))
        elif isinstance(item, dict):
            pending.extend(
                (place if within else (*place, name), name, child, within)
                for name, child in reversed(item.items())
            )
        elif isinstance(item, list):
            pending.extend(
                (place if within else (*place, at), key, item[at], within)
                for at in reversed(range(len(item)))
            )


def first_mark(text: str, marks: Iterable[Mark]) -> Mark | None:
    """The first of some marks that a text holds; the literals rule nearly all of them out at memory speed."""
    return next((item for item in marks if item.needle in text and item.pattern.search(text)), None)
