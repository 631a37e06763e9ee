"""How the body of a recorded answer goes out: in which pieces, and when. What it says stays as it was recorded."""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import Final

from ..cassettes.answers import Answer
from ..cassettes.events import split_events
from ..cassettes.models import Chunk

_AFTER_EVENT: Final = re.compile(rb"[ \t\r\n]*(?:[,\]][ \t\r\n]*)?")
"""What belongs to the event before it: blank lines, or the comma or bracket of an array."""
_NASTY: Final = (
    re.compile(rb"(?=[\x80-\xbf])"),  # inside a character
    re.compile(rb"(?<=\r)(?=\n)"),  # inside a line end
    re.compile(rb"(?<=\n)(?=\r?\n)"),  # inside a blank line
    re.compile(rb"(?<=\\)"),  # inside an escape
    re.compile(rb"(?<=[{\[,:\"])"),  # inside JSON
    re.compile(rb"(?<=\Ad)|(?<=\nd)"),  # inside the name of a field
)
"""Places where a reader goes wrong that takes a piece for an event, or decodes piece by piece."""
_MOST_OF_A_KIND: Final = 32
_SCATTERED: Final = 64
"""Cuts anywhere else, at most."""


class Chunks(StrEnum):
    """The pieces in which a stream is sent."""

    RECORDED = "recorded"
    """As they came when it was recorded."""
    EVENT = "event"
    """One for each event."""
    WHOLE = "whole"
    """All in one."""
    HOSTILE = "hostile"
    """Cut where it hurts: inside characters, JSON, escapes and line ends."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How answers are sent.

    Answers that were no streams always go out in one piece. `seed` makes the hostile cuts, the same for the same seed and
    exchange. `pace` is a factor on the recorded times: 1.0 waits as long as the upstream took, 0 does not wait.
    """

    chunks: Chunks = Chunks.RECORDED
    seed: int = 0
    pace: float = 0.0

    def of(self, answer: Answer, number: int) -> Answer:
        """The answer of an exchange as it is to be sent; one that was cut is cut after the same bytes."""
        if self.pace:
            answer = replace(answer, pace=self.pace)
        if self.chunks is Chunks.RECORDED or not answer.chunks or answer.is_whole:
            return answer
        body = b"".join(chunk.data for chunk in answer.chunks)
        if self.chunks is Chunks.WHOLE:
            cuts: Iterable[int] = ()
        elif self.chunks is Chunks.EVENT:
            cuts = event_ends(body, answer.header("content-type"))
        else:
            cuts = _hostile_cuts(body, random.Random(f"{self.seed}/{number}"))  # noqa: S311 - no secret
        return replace(answer, chunks=cut_at(answer.chunks, body, cuts))


AS_RECORDED: Final = Delivery()
"""In the recorded pieces, without waiting."""


def event_ends(body: bytes, content_type: str | None) -> list[int]:
    """Where the events of a stream end, with the separators behind them: offsets in bytes, rising.

    An event without its end counts, too.
    """
    return [
        found.end()
        for event in split_events(body, content_type)
        if (found := _AFTER_EVENT.match(body, event.spans[-1][1]))
    ]


def cut_at(chunks: tuple[Chunk, ...], body: bytes, cuts: Iterable[int]) -> tuple[Chunk, ...]:
    """The same bytes in other pieces, each sent when the last of its bytes came."""
    edges = sorted({0, len(body), *(cut for cut in cuts if 0 < cut < len(body))})
    ends = list(accumulate(len(chunk.data) for chunk in chunks))
    return tuple(
        Chunk(chunks[bisect_left(ends, end)].offset_ms, body[start:end]) for start, end in pairwise(edges)
    )


def _hostile_cuts(body: bytes, chance: random.Random) -> set[int]:
    """Some cuts of every nasty kind that the body has a place for, and some anywhere."""
    cuts: set[int] = set()
    for kind in _NASTY:
        places = [found.start() for found in kind.finditer(body)]
        cuts.update(chance.sample(places, min(len(places), chance.randint(1, _MOST_OF_A_KIND))))
    scattered = min(len(body), chance.randint(1, _SCATTERED))
    return cuts | {chance.randrange(len(body)) for _ in range(scattered)}
