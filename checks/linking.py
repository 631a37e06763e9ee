"""Which recorded answer a model run of a request is.

Linking never relies on intact model contents. A run is looked for among the answers to requests with the same words of
the client in front of it (in match form), and among those that issued its signatures and call ids after the same last
words; what the run says decides between them. Failing that, what was issued tells where a run was taken from; then equal
calls or an equal text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..cassettes.turns import Turn
from .asker import Asker
from .clientside import client_digest, parts_since_model, sent_at, stands_alike
from .conversation import Run
from .faces import Face, call_key, face_of
from .ledger import MOST, Ledger, Origin, Record
from .returned import Returned

CLOCK: Final = 0.05
"""Seconds by which an answer may seem to end after the client acted on it: clocks round, and clients read ahead."""


@dataclass(frozen=True)
class Asking:
    """Who asks, and when (unix time in seconds; infinite where unknown)."""

    asker: Asker
    now: float


@dataclass(frozen=True)
class Link:
    """The exchange that a model run goes on from.

    `returned` is None where it is not known that the run should be the exchange's answer. `left_out` is an exchange whose
    answer should stand before the run and does not.
    """

    record: Record
    returned: Returned | None = None
    left_out: Record | None = None


def link(ledger: Ledger, run: Run, asking: Asking, previous: Returned | None) -> Link | None:
    """The exchange whose answer a model run is; `previous` is the answer before it in the history."""
    return _Search(ledger, run, asking, previous).link()


def chain(returned: Returned | None, back_to: int = 0) -> Iterator[Returned]:
    """The answers of a history, newest first, back to the exchange with this number."""
    while returned is not None and returned.record.number >= back_to:
        yield returned
        returned = returned.previous


def went_on(ledger: Ledger, following: Iterable[Turn]) -> set[int]:
    """The exchanges that earlier requests went on from with client contents that end like one of these."""
    return {
        record.continues.number
        for turn in following
        for record in ledger.asked_with(client_digest(turn), parts_since_model(turn))
        if record.continues
    }


class _Search:
    """The search for the answer that one run is."""

    def __init__(self, ledger: Ledger, run: Run, asking: Asking, previous: Returned | None) -> None:
        self._ledger = ledger
        self._run = run
        self._asking = asking
        self._previous = previous
        self._parent = run.first.parent or run.first
        self._digest = client_digest(self._parent)
        self._face = face_of(at.value for at in run.whole)

    def link(self) -> Link | None:
        asked = self._started(self._ledger.asked_with(self._digest, parts_since_model(self._parent)))
        marked = [record for record in self._marked() if self._is_free(record)]
        in_place = [record for record in marked if stands_alike(record.history, self._parent)]
        here = self._closest([*asked, *in_place])
        if here is None or not self._says_the_same(here):
            alike = [record for record in self._alike() if stands_alike(record.history, self._parent)]
            here = self._closest([here, *alike] if here else alike)
        if here and self._likeness(here) >= (0, 1, 0):
            return self._linked(here)
        stray = self._closest([record for record in marked if self._is_sure(record)])
        if stray and (here is None or self._face_of(stray).within(self._face)):
            return self._linked(stray, left_out=self._left_out(asked, stray), in_place=False)
        if here and here.asker.is_like(self._asking.asker):
            ended = here.ended_at <= sent_at(self._run.first) + CLOCK
            if not here.returns or not ended:
                return Link(here)
            return self._linked(here, doubtful=self._ledger.came_back(here))
        alike = self._alike()
        if self._previous:
            next_ones = [record for record in alike if record.continues is self._previous.record]
            if self._goes_on(self._previous) and not next_ones:
                return self._linked(self._previous.record)
            alike = next_ones or alike
        found = self._closest(alike)
        return self._linked(found) if found else None

    def _linked(
        self, record: Record, left_out: Record | None = None, *, in_place: bool = True, doubtful: bool = False
    ) -> Link:
        variant = max(range(len(record.faces)), key=lambda index: record.faces[index].likeness(self._face))
        returned = Returned(record, variant, self._run, self._previous, in_place=in_place, doubtful=doubtful)
        return Link(record, returned, left_out)

    def _marked(self) -> list[Record]:
        """The exchanges that issued a signature or a call id of the run."""
        origins: list[Origin] = []
        for at in self._run.whole:
            if at.signature:
                origins += self._ledger.origins(at.signature)[-MOST:]
        for call in self._run.calls:
            if call.named.id:
                origins += self._ledger.ids(call.named.id)[-MOST:]
        return self._started(origin.record for origin in origins)

    def _alike(self) -> list[Record]:
        """The exchanges whose answer says the same: the same calls, or the same text alone."""
        records: list[Record] = []
        for call in self._run.calls[:1]:
            records += [origin.record for origin in self._ledger.calls(call_key(call.value))[-MOST:]]
        if self._face.text and not self._face.calls:
            records += [
                record
                for record in self._ledger.texts(self._face.text)[-MOST:]
                if record.history.depth == self._parent.depth or stands_alike(record.history, self._parent)
            ]
        found = [record for record in self._started(records) if self._says_the_same(record)]
        return [record for record in found if self._is_free(record)]

    def _says_the_same(self, record: Record) -> bool:
        mine = (self._face.calls, self._face.text)
        return any((face.calls, face.text) == mine for face in record.faces)

    def _goes_on(self, previous: Returned) -> bool:
        """Whether the run holds further calls of the answer before it, and nothing else."""
        missing = Counter(call_key(part.call) for part in previous.missing if part.call is not None)
        return bool(self._face.calls) and self._face.calls <= missing

    def _started(self, records: Iterable[Record]) -> list[Record]:
        return [record for record in dict.fromkeys(records) if record.started_at <= self._asking.now]

    def _is_free(self, record: Record) -> bool:
        """Whether the history in front does not hold the answer yet, or only some of its calls, right before the run."""
        previous = self._previous
        if previous is not None and previous.record is record:
            open_calls = [part.call for part in previous.missing if part.call is not None]
            names = {call.get("name") for call in open_calls}
            return any(call.name in names for call in self._run.calls)
        return previous is None or not previous.holds(record)

    def _is_sure(self, record: Record) -> bool:
        """Whether a run can be an exchange's answer wherever it stands: ids alone may be anybody's."""
        face = self._face_of(record)
        signed = any(mark.startswith("signature") for mark in face.marks & self._face.marks)
        return signed or bool(face.calls & self._face.calls)

    def _closest(self, records: list[Record]) -> Record | None:
        asker = self._asking.asker
        previous = self._previous.record if self._previous else None
        return max(
            records,
            key=lambda record: (
                self._evidence(record),
                self._likeness(record),
                client_digest(record.history) == self._digest,
                previous is not None and record.conversation == previous.conversation,
                record.asker.is_like(asker),
                record.returns,
                record.asker.likeness(asker),
                record.ended_at,
                record.number,
            ),
            default=None,
        )

    def _evidence(self, record: Record) -> int:
        """How much of it there is: the same words in front, marks, the same answer. One alone may mislead."""
        return (
            int(client_digest(record.history) == self._digest)
            + int(self._likeness(record)[1] > 0)
            + int(self._says_the_same(record))
        )

    def _likeness(self, record: Record) -> tuple[int, int, int]:
        return max(face.likeness(self._face) for face in record.faces)

    def _face_of(self, record: Record) -> Face:
        return max(record.faces, key=lambda face: face.likeness(self._face))

    def _left_out(self, asked: list[Record], stray: Record) -> Record | None:
        """An answer that should stand here instead, where the run was taken from further down the same conversation."""
        return next(
            (
                record
                for record in reversed(asked)
                if record.returns
                and record.conversation == stray.conversation
                and record.number < stray.number
            ),
            None,
        )
