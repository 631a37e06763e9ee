"""Which answer a request gets from one cassette: the recorded one, the API's refusal, or an explained miss.

Decides only: files are opened by `player`, bytes carried by the server and the transports. Not safe for use by several
threads at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from ..cassettes.answers import Answer
from ..cassettes.lookup import Accepts, Lookup, Repeat
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.models import Request
from ..cassettes.redaction import Redactor
from ..checks.selection import Selection
from ..checks.serving import Known, Serving
from ..checks.settings import Settings
from .delivery import AS_RECORDED, Delivery
from .faults import Fault, Faults


class Verdict(StrEnum):
    """What became of a request."""

    HIT = "hit"
    REPEAT = "repeat"
    MISS = "miss"
    REJECTED = "rejected"
    FAULT = "fault"


class Reply(NamedTuple):
    """An answer, and for the log what it was.

    `verdict` is None for answers about gemtape itself, such as a status. `number` is the exchange that answered, 0 for
    none. `note` says more in one sentence. `label` is the name of cassette and session, empty where there is only one.
    """

    answer: Answer
    verdict: Verdict | None = None
    number: int = 0
    note: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How cassettes are played.

    `lenient` serves what the API would refuse, and says so. `redactor` has to be the one that they were recorded with.
    `faults` are sent before recorded answers. `collapse_retries` leaves out recorded failures that were asked again with success. `delivery` says in which pieces
    answers are sent, and when. `matching` leaves out what does not count when requests are compared. `selection` and `settings` say which rules
    count, and what some of them have to be told.
    """

    repeat: Repeat = Repeat.LAST
    collapse_retries: bool = False
    delivery: Delivery = AS_RECORDED
    faults: tuple[Fault, ...] = ()
    lenient: bool = False
    redactor: Redactor = field(default_factory=Redactor)
    matching: Matching = EVERYTHING
    selection: Selection = field(default_factory=Selection)
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class Tally:
    """What was asked of a cassette: requests by verdict, and the exchanges that answered none."""

    exchanges: int
    verdicts: dict[Verdict, int]
    unused: tuple[int, ...]


class Answering:
    """Answers from one cassette."""

    def __init__(self, lookup: Lookup, options: Options, again: str) -> None:
        """Use the queues of a cassette; `again` is the command that records it again, for the advice of a miss."""
        self.lookup: Final = lookup
        self._serving = Serving(
            lookup,
            again,
            lenient=options.lenient,
            selection=options.selection,
            settings=options.settings,
            delivered=options.delivery.of,
        )
        self._verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
        self._all: Counter[Verdict] = Counter()
        self._faults = Faults(options.faults)

    def read(self, request: Request) -> Known:
        """Take a request apart and judge it; its path is the API's."""
        return self._serving.read(request)

    def answer(self, known: Known, session: str = "") -> Reply:
        """The answer to a request, which takes it out of its queue in this session.

        Raises:
            CassetteError: the cassette is damaged.
        """
        reply, verdict = self._reply(known, session)
        self._verdicts[session][verdict] += 1
        self._all[verdict] += 1
        return reply

    def reset(self, session: str) -> None:
        """Rewind a session: its queues are full again, and its counts nothing."""
        self._serving.reset(session)
        self._faults.reset(session)
        self._verdicts.pop(session, None)

    def tally(self, session: str | None = None) -> Tally:
        """What a session was served since it was rewound, or what all of them ever were."""
        if session is None:
            verdicts = self._all
            unused = self.lookup.unused()
        else:
            verdicts = self._verdicts.get(session, Counter())
            unused = self.lookup.counts(session).unused
        counts = {verdict: verdicts[verdict] for verdict in Verdict}
        return Tally(self.lookup.exchanges, counts, unused)

    def _reply(self, known: Known, session: str) -> tuple[Reply, Verdict]:
        found = self._serving.find(known, session, self._stays(session) if self._faults else None)
        if found is None:
            return self._without(known, session)
        if self._faults and (faulty := self._next_fault(found.number, session)):
            self._faults.note(found.number, session)
            return Reply(faulty, Verdict.FAULT, found.number, "a fault on demand"), Verdict.FAULT
        verdict = Verdict.REPEAT if found.repeated else Verdict.HIT
        answer, note = self._serving.served(known, found)
        return Reply(answer, verdict, found.number, note), verdict

    def _without(self, known: Known, session: str) -> tuple[Reply, Verdict]:
        """What a request gets that nothing was recorded for."""
        refusal = self._serving.refused(known)
        if refusal is None or known.rejection is None:
            answer, miss = self._serving.missed(known, session)
            return Reply(answer, Verdict.MISS, 0, miss.why), Verdict.MISS
        found = known.rejection
        note = f"{found.rule} at {found.pointer}: {found.message}"
        return Reply(refusal, Verdict.REJECTED, 0, note), Verdict.REJECTED

    def _stays(self, session: str) -> Accepts:
        """Whether an exchange is still there for the request sent again: a fault comes before its answer."""
        return lambda number: self._next_fault(number, session) is not None

    def _next_fault(self, number: int, session: str) -> Answer | None:
        return self._faults.next(number, session, self.lookup.entry, self._serving.answer)
