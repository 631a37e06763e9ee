"""Which answer a request gets from one cassette: the recorded one, the API's refusal, or an explained miss.

Decides only: files are opened by `player`, bytes carried by the server and the transports. Not safe for use by several
threads at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from ..cassettes.answers import DROPPED, Answer, error_answer, recorded_answer, whole_answer
from ..cassettes.bounded import Bounded
from ..cassettes.entry import Entry
from ..cassettes.lookup import Accepts, Lookup, Repeat
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.misses import Miss, explain
from ..cassettes.models import Request
from ..cassettes.redaction import Redactor
from ..cassettes.resource_names import Nameless
from ..cassettes.routes import Surface
from ..checks.apierrors import wraps_errors
from ..checks.selection import Selection
from ..checks.settings import Settings
from ..checks.strict import Rejection, Strict
from .delivery import AS_RECORDED, Delivery
from .faults import Fault, Faults

_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""What the answers at hand may hold together."""
_ITEM_BYTES: Final = 1024
"""What an answer weighs besides its body, roughly."""
_REASON: Final = "CASSETTE_MISS"
_MARK: Final = (b"x-gemtape-match", b"without names")
_NAMELESS: Final = "matched without names of files and caches, which were not issued in this cassette"


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


@dataclass(frozen=True, slots=True)
class Known:
    """A request once it was read: all that its answer depends on besides the queues. The same for every cassette."""

    entry: Entry
    key: bytes
    rejection: Rejection | None

    def let_go(self) -> None:
        """Take it out of its cassette's histories: clients that invent ids never send the same content twice."""
        self.entry.layout.history.detach()
        self.entry.layout.tools.detach()


class Answering:
    """Answers from one cassette."""

    def __init__(self, lookup: Lookup, options: Options, again: str) -> None:
        """Use the queues of a cassette; `again` is the command that records it again, for the advice of a miss."""
        self.lookup: Final = lookup
        self._options = options
        self._again = again
        self._strict = Strict(str(lookup.cassette.path), options.selection, options.settings)
        self._verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
        self._all: Counter[Verdict] = Counter()
        self._answers: Bounded[int, Answer] = Bounded(_ANSWER_BYTES)
        self._newest: tuple[int, Answer] = 0, DROPPED
        self._refused: dict[int, tuple[str, str] | None] = {}
        self._faults = Faults(options.faults)
        self._nameless = Nameless(lookup)

    def read(self, request: Request) -> Known:
        """Take a request apart and judge it; its path is the API's."""
        entry = self.lookup.cassette.request_entry(request)
        return Known(entry, self.lookup.cassette.key(entry), self._strict.rejection(entry))

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
        self.lookup.reset(session)
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
        stays = self._stays(session) if self._faults else None
        accepts = self._accepts(known, session)
        taken = self.lookup.take(known.key, session, accepts, stays)
        nameless = taken is None
        if taken is None:
            taken = self._nameless.take(known.entry, known.key, session, accepts, stays)
        if taken is None:
            if known.rejection and not self._options.lenient:
                return _refusal(known.rejection), Verdict.REJECTED
            return self._miss(known, session), Verdict.MISS
        if self._faults and (faulty := self._next_fault(taken.number, session)):
            self._faults.note(taken.number, session)
            return Reply(faulty, Verdict.FAULT, taken.number, "a fault on demand"), Verdict.FAULT
        verdict = Verdict.REPEAT if taken.repeated else Verdict.HIT
        note = f"the API would refuse this: {known.rejection.message}" if known.rejection else ""
        answer = self._answer(taken.number)
        if nameless:
            note = "; ".join(filter(None, (note, _NAMELESS)))
            answer = replace(answer, headers=(*answer.headers, _MARK))
        return Reply(answer, verdict, taken.number, note), verdict

    def _accepts(self, known: Known, session: str) -> Accepts:
        """Which recorded exchanges may answer: the recording is ground truth, but only for requests like its own.

        A request with a fault gets what was recorded for the same fault, or an error that came anyhow; a sound one does
        not get the refusal of a faulty one.
        """
        if known.rejection is None:
            return self._sound
        if self._options.lenient:
            return lambda _: True
        fault = known.rejection.fault

        def accepts(number: int) -> bool:
            failed = self._answer(number).status >= 400 and not self.lookup.used(number, session)
            return failed or self._fault(number) == fault

        return accepts

    def _stays(self, session: str) -> Accepts:
        """Whether an exchange is still there for the request sent again: a fault comes before its answer."""
        return lambda number: self._next_fault(number, session) is not None

    def _next_fault(self, number: int, session: str) -> Answer | None:
        return self._faults.next(number, session, self.lookup.entry, self._answer)

    def _sound(self, number: int) -> bool:
        return self._answer(number).status != 400 or self._fault(number) is None

    def _answer(self, number: int) -> Answer:
        if number == self._newest[0]:
            return self._newest[1]
        answer = self._answers.get(number)
        if answer is None:
            answer = self._options.delivery.of(recorded_answer(self.lookup.entry(number)), number)
            self._answers.put(number, answer, sum(len(chunk.data) for chunk in answer.chunks) + _ITEM_BYTES)
        self._newest = number, answer
        return answer

    def _fault(self, number: int) -> tuple[str, str] | None:
        if number not in self._refused:
            rejection = self._strict.rejection(self.lookup.entry(number))
            self._refused[number] = rejection.fault if rejection else None
        return self._refused[number]

    def _miss(self, known: Known, session: str) -> Reply:
        entry = known.entry
        miss = explain(self.lookup, entry, known.key, session, self._again)
        path = self.lookup.cassette.path
        words = f"gemtape: no recorded answer for {entry.method} {entry.path[:200]} in {path}."
        if violations := self._strict.words(entry):
            words += f" Violations of this request: {violations}."
        words += f" {miss.why}"  # last, since it ends in a command to copy
        # An OpenAI client shows nothing of an error in a list, and the advice is for the person who sees it fail.
        in_list = wraps_errors(entry.route, entry.query) and entry.route.surface is not Surface.OPENAI
        answer = error_answer(412, words, [_details(miss, str(path))], in_list=in_list)
        return Reply(answer, Verdict.MISS, 0, miss.why)


def _refusal(rejection: Rejection) -> Reply:
    answer = whole_answer(rejection.status, rejection.headers, rejection.body)
    return Reply(answer, Verdict.REJECTED, 0, f"{rejection.rule} at {rejection.pointer}: {rejection.message}")


def _details(miss: Miss, path: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": _REASON,
        "domain": "gemtape",
        "metadata": {"cassette": path, **miss.facts},
    }
