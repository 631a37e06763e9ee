"""Faults on demand: what a client has to live with, in place of the recorded answer, so that its recovery can be tested.

A fault comes once for each exchange that it is meant for, in each session, and before the recorded answer: a client that
sends its request again gets what was recorded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ..cassettes.advice import canonical_status
from ..cassettes.answers import Answer, whole_answer
from ..cassettes.entry import Entry
from ..cassettes.errors import SetupError
from ..cassettes.models import Chunk
from ..cassettes.routes import Surface
from ..checks.apierrors import error_body
from .delivery import event_ends
from .finishing import finished

_SPELLING: Final = re.compile(
    r"(?:cut-after=(?P<cut>[1-9][0-9]{0,5})|(?P<status>[0-9]{3})|finish=(?P<finish>[A-Z][A-Z_]*))"
    r"(?:@(?P<exchange>[1-9][0-9]{0,8}))?"
)
_WORDS: Final = {
    429: "Resource has been exhausted (e.g. check quota).",
    500: "An internal error has occurred. Please retry or report in "
    "https://developers.generativeai.google/guide/troubleshooting",
    503: "The model is overloaded. Please try again later.",
    504: "Deadline expired before operation could complete.",
}
_VERTEX_WORDS: Final = {
    429: "Resource exhausted. Please try again later. Please refer to "
    "https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.",
    500: "Internal error encountered.",
}
_JSON: Final = (("content-type", "application/json; charset=UTF-8"),)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: a stream cut after `cut` events, an error with a `status`, or an answer that ends with `finish`.

    `exchange` is the number of the exchange that it befalls, 0 for every one. One that cannot befall an exchange, such as
    a cut where nothing was streamed, leaves it as it is.
    """

    cut: int = 0
    status: int = 0
    finish: str = ""
    exchange: int = 0

    def of(self, entry: Entry, answer: Answer) -> Answer | None:
        """What is sent instead of an answer; None where this fault cannot befall it."""
        if self.status:
            return _error(self.status, entry)
        if self.cut:
            return _cut(answer, self.cut)
        return finished(entry, answer, self.finish)


def parse_fault(text: str) -> Fault:
    """A fault as the command line spells it: ``cut-after=2``, ``503``, ``finish=MAX_TOKENS``, each also with ``@N``.

    Raises:
        SetupError: it is spelled in another way, or there is no such error.
    """
    found = _SPELLING.fullmatch(text)
    status = int(found["status"] or 0) if found else 0
    if found is None or (status and status not in _WORDS):
        statuses = ", ".join(map(str, _WORDS))
        raise SetupError(
            f"there is no fault {text!r}; there are cut-after=EVENTS, {statuses} and finish=REASON, each with @EXCHANGE "
            "behind it for one exchange only"
        )
    return Fault(int(found["cut"] or 0), status, found["finish"] or "", int(found["exchange"] or 0))


class Faults:
    """Which faults are still to come, by session and exchange."""

    def __init__(self, wanted: Sequence[Fault]) -> None:
        self._wanted = tuple(wanted)
        self._sent: dict[str, Counter[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._wanted)

    def next(
        self, number: int, session: str, entry: Callable[[int], Entry], answer: Callable[[int], Answer]
    ) -> Answer | None:
        """The fault that is to be sent next instead of the answer of an exchange; None where none is left.

        Args:
            number: the exchange.
            session: the session of the request.
            entry: gives an exchange by its number.
            answer: gives its answer.
        """
        meant = [fault for fault in self._wanted if fault.exchange in (0, number)]
        sent = self._sent.get(session, Counter())[number]
        if sent >= len(meant):
            return None
        found = (fault.of(entry(number), answer(number)) for fault in meant)
        possible = [faulty for faulty in found if faulty is not None]
        return possible[sent] if sent < len(possible) else None

    def note(self, number: int, session: str) -> None:
        """Take note that the next fault of an exchange was sent."""
        self._sent.setdefault(session, Counter())[number] += 1

    def reset(self, session: str) -> None:
        """Let all faults of a session come again."""
        self._sent.pop(session, None)


def _error(status: int, entry: Entry) -> Answer:
    words = _VERTEX_WORDS.get(status) if entry.route.surface is Surface.VERTEX else None
    body = error_body(entry.route, entry.query, words or _WORDS[status], status, canonical_status(status))
    return whole_answer(status, _JSON, body)


def _cut(answer: Answer, events: int) -> Answer | None:
    """The beginning of a stream, in the pieces that it has anyhow."""
    if answer.is_whole or answer.status != 200:
        return None
    body = b"".join(chunk.data for chunk in answer.chunks)
    ends = event_ends(body, answer.header("content-type"))
    if len(ends) < events:
        return None
    left = ends[events - 1]
    kept: list[Chunk] = []
    for chunk in answer.chunks:
        if left <= 0:
            break
        kept.append(Chunk(chunk.offset_ms, chunk.data[:left]))
        left -= len(chunk.data)
    return replace(answer, chunks=tuple(kept), cut=True)
