"""Whether a cassette is what it should be: no secret in it, every row intact, and no request confused with another."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from .canonical import json_digest, raw_digest
from .comparison import compare
from .connection import DATABASE_ERRORS, connect_to_read
from .entry import Entry
from .errors import CassetteError
from .matchform import match_key
from .models import Exchange, Headers
from .redaction import Redactor
from .store import Cassette

_MOST_ROWS: Final = 20
"""Lines of SQLite's own check that are told."""
_MOST_PAIRS: Final = 50
"""Pairs of exchanges that are told for one match key."""


class Kind(StrEnum):
    """What is wrong."""

    SECRET = "secret"  # noqa: S105 - the name of a finding
    DAMAGE = "damage"
    CONFUSABLE = "confusable"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in one sentence; `exchange` is 0 where it belongs to none."""

    kind: Kind
    words: str
    exchange: int = 0

    def __str__(self) -> str:
        return f"{self.kind}: {f'exchange {self.exchange}: ' if self.exchange else ''}{self.words}"


def damage(path: Path) -> Iterator[Problem]:
    """What SQLite finds wrong with a file, references to rows that are not there, and values that are not their hash's.

    Raises:
        CassetteError: it is missing, or no cassette at all.
    """
    with closing(connect_to_read(path)) as connection:
        try:
            yield from (Problem(Kind.DAMAGE, words) for words in _damaged_rows(connection))
        except DATABASE_ERRORS as error:
            yield Problem(Kind.DAMAGE, f"it cannot be read to its end: {error}")


def unreadable(cassette: Cassette) -> Iterator[Problem]:
    """Exchanges that cannot be put together, or whose stored match key is not theirs."""
    for number in range(1, len(cassette) + 1):
        try:
            entry = cassette.entry(number)
            if number not in cassette.numbers_for(cassette.key(_asked_again(cassette, entry))):
                yield Problem(Kind.DAMAGE, "its stored match key is that of another request", number)
        except CassetteError as error:
            yield Problem(Kind.DAMAGE, str(error), number)


def secrets(cassette: Cassette, redactor: Redactor) -> Iterator[Problem]:
    """Where something is stored that a recorder would leave out now; the secret itself is not told."""
    for entry in cassette.entries():
        exchange = entry.exchange()
        for place in _unclean(exchange, redactor):
            yield Problem(Kind.SECRET, f"there is one in {place}", entry.number)


def confusable(cassette: Cassette) -> Iterator[Problem]:
    """Pairs of exchanges that have one match key, though their requests differ in what is ignored, and their answers too."""
    for group in groups(cassette):
        told = 0
        for one, other in combinations(group, 2):
            first, second = cassette.entry(one), cassette.entry(other)
            if told == _MOST_PAIRS or _same_answer(first, second):
                continue
            for difference in compare(first, second).differences[:1]:
                told += 1
                words = f"a request for it could get the answer of {other}, since matching ignores that {difference}"
                yield Problem(Kind.CONFUSABLE, words, one)


def groups(cassette: Cassette) -> list[list[int]]:
    """The exchanges whose requests are equal as far as matching goes, in recorded order; only groups of two or more."""
    found: defaultdict[bytes, list[int]] = defaultdict(list)
    for entry in cassette.entries():
        found[cassette.key(_asked_again(cassette, entry))].append(entry.number)
    return [numbers for numbers in found.values() if len(numbers) > 1]


def strict_key(cassette: Cassette, entry: Entry) -> bytes:
    """The match key that an exchange would have if nothing were ignored."""
    return match_key(_asked_again(cassette, entry))


def _asked_again(cassette: Cassette, entry: Entry) -> Entry:
    """A stored request as it would be taken apart now."""
    return cassette.request_entry(entry.exchange().request)


def _damaged_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for (line,) in connection.execute(f"PRAGMA integrity_check({_MOST_ROWS})"):
        if line != "ok":
            yield f"SQLite says: {line}"
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} refers to a row of {parent} that is not there"
    for row, digest, value in connection.execute("SELECT id, hash, value FROM pieces"):
        if _digest(value) != digest:
            yield f"value {row} is not the one that was stored: its hash differs"
    for (row,) in connection.execute("SELECT id FROM turns WHERE parent >= id"):
        yield f"turn {row} comes before the one that it follows"


def _digest(value: Any) -> bytes | None:
    if isinstance(value, str):
        return json_digest(value.encode())
    return raw_digest(value) if isinstance(value, bytes) else None


def _unclean(exchange: Exchange, redactor: Redactor) -> Iterator[str]:
    """The places of an exchange that redaction changes."""
    clean = redactor.exchange(exchange).exchange
    request, redacted = exchange.request, clean.request
    for name in ("path", "query", "upstream"):
        if getattr(request, name) != getattr(redacted, name):
            yield f"the {name} of the request"
    yield from (f"header {name} of the request" for name in _changed(request.headers, redacted.headers))
    if request.body != redacted.body:
        yield f"the body of the request, at byte {_parting(request.body, redacted.body)}"
    if exchange.response and clean.response:
        headers = _changed(exchange.response.headers, clean.response.headers)
        yield from (f"header {name} of the answer" for name in headers)
        bodies = exchange.response.body, clean.response.body
        if bodies[0] != bodies[1]:
            yield f"the body of the answer, at byte {_parting(*bodies)}"


def _changed(stored: Headers, clean: Headers) -> list[str]:
    return [name for name, value in stored if (name, value) not in clean]


def _parting(one: bytes, other: bytes) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _same_answer(one: Entry, other: Entry) -> bool:
    if one.response is None or other.response is None:
        return one.response is other.response and one.failure == other.failure
    return (one.status, one.response.body) == (other.status, other.response.body)
