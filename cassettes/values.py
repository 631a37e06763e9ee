"""Two JSON values side by side: where they differ, and how to show both in a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

from .canonical import stored_form

Path = tuple[str | int, ...]
"""Keys and indices (from 0) from the top of a value down to one in it."""

LONGEST: Final = 120
"""Characters of a value that are shown."""
_BEFORE: Final = 30
"""Characters shown before the place where two long texts part."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()
"""Stands for a value that is not there."""


def differing(recorded: Any, got: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """The places where two values differ, as deep as both go on, each with the two values there.

    Items of a list that only stand in another order are one place: the list.
    """
    if isinstance(recorded, dict) and isinstance(got, dict):
        for key in sorted(recorded.keys() | got.keys()):
            yield from differing(recorded.get(key, ABSENT), got.get(key, ABSENT), (*path, key))
    elif isinstance(recorded, list) and isinstance(got, list) and not same_items(recorded, got):
        for index, (old, new) in enumerate(zip_longest(recorded, got, fillvalue=ABSENT)):
            yield from differing(old, new, (*path, index))
    elif not _equal(recorded, got):
        yield path, recorded, got


def same_items(recorded: Any, got: Any) -> bool:
    """Whether two values are lists of the same two or more items, in any order."""
    return (
        isinstance(recorded, list)
        and isinstance(got, list)
        and len(recorded) == len(got) > 1
        and sorted(map(stored_form, recorded)) == sorted(map(stored_form, got))
    )


def pointer(path: Path) -> str:
    """The JSON Pointer (RFC 6901) of a path."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def dotted(path: Path) -> str:
    """A path as programmers write it: ``functionResponse.response.items[2]``."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def shown(recorded: Any, got: Any) -> tuple[str, str]:
    """Two values as JSON in one line each; long ones are cut around the first place where they part."""
    old, new = _text(recorded), _text(got)
    if len(old) <= LONGEST and len(new) <= LONGEST:
        return old, new
    same = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other),
        min(len(old), len(new)),
    )
    start = max(0, same - _BEFORE) if same > LONGEST // 2 else 0
    return _cut(old, start), _cut(new, start)


def _equal(recorded: Any, got: Any) -> bool:
    """By stored form: to Python, 1 and true are equal."""
    if recorded is ABSENT or got is ABSENT:
        return recorded is got
    return stored_form(recorded) == stored_form(got)


def _text(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return "".join(
        character if character.isprintable() else f"\\u{ord(character):04x}"
        for character in stored_form(value).decode()
    )


def _cut(text: str, start: int) -> str:
    end = start + LONGEST
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
