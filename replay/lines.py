"""What the terminal shows of a replay: a line for each request, and the summary at its end.

Nothing in them could have been put there by a request to harm (a terminal would obey control characters), and no key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from ..cassettes.redaction import shown_path
from ..cassettes.shapes import Shapes
from .answering import Reply, Tally, Verdict
from .deck import Asked

_PATH: Final = 100
_NOTE: Final = 600
_RUNS: Final = 12
"""Runs of numbers that are listed."""
_SHAPES: Final = Shapes()


def request_line(asked: Asked, reply: Reply) -> str:
    """One request: verdict, exchange, where it went, the answer's status, and what there is to say about it."""
    exchange = reply.label + (f"#{reply.number}" if reply.number else "") or "-"
    cut = ", cut" if reply.answer.cut and reply.answer.status else ""
    status = f"{reply.answer.status}{cut}" if reply.answer.status else "connection dropped"
    words = [
        f"{reply.verdict or 'gemtape':8}",
        printable(_without_keys(exchange), _PATH),
        asked.method,
        printable(shown_path(asked.path), _PATH),
        status,
    ]
    if reply.note:
        words.append(printable(_without_keys(reply.note), _NOTE))
    return "  ".join(words)


def summary(tallies: Iterable[tuple[Path, Tally]], lost: int) -> Iterator[str]:
    """The end of a replay: for each cassette how many requests got what, and the exchanges that answered none.

    Args:
        tallies: the cassettes that were played.
        lost: requests that found no cassette.
    """
    for path, tally in tallies:
        counts = tally.verdicts
        served = counts[Verdict.HIT] + counts[Verdict.REPEAT]
        words = [f"{_count(served, 'request')} answered"]
        if counts[Verdict.REPEAT]:
            words.append(f"{counts[Verdict.REPEAT]} of them by repeating an exchange")
        if counts[Verdict.FAULT]:
            words.append(f"{counts[Verdict.FAULT]} got a fault on demand")
        if counts[Verdict.MISS]:
            words.append(_count(counts[Verdict.MISS], "miss", "misses"))
        if counts[Verdict.REJECTED]:
            words.append(f"{counts[Verdict.REJECTED]} refused as the API would")
        yield f"{path}: {', '.join(words)}; {_unused(tally)}"
    if lost:
        yield f"{_count(lost, 'request')} found no cassette"


def printable(text: str, longest: int) -> str:
    """Text without control characters, cut to a length."""
    shown = text[: longest + 1]
    if not shown.isprintable():
        shown = "".join(character if character.isprintable() else "?" for character in shown)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def _without_keys(text: str) -> str:
    """A name or a sentence without keys: a client that has it wrong puts its key where a cassette or a session is named."""
    return _SHAPES.replaced(text)[0]


def _unused(tally: Tally) -> str:
    if not tally.exchanges:
        return "it holds no exchange"
    if not tally.unused:
        return f"all {tally.exchanges} exchanges used" if tally.exchanges != 1 else "its exchange was used"
    return f"{len(tally.unused)} of {_count(tally.exchanges, 'exchange')} unused: {runs(tally.unused)}"


def runs(numbers: tuple[int, ...]) -> str:
    """Rising numbers, with runs drawn together: ``2, 4-9, 12``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    words = [f"{first}" if first == last else f"{first}-{last}" for first, last in spans[:_RUNS]]
    return ", ".join(words) + (", …" if len(spans) > _RUNS else "")


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
