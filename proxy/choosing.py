"""Whether a request is answered from the cassette or goes live, where both may be: a conversation is wholly one or the other.

A thought signature is good only for the server that issued it, a file only for the key it was uploaded with. So what goes
on from a recorded answer is answered from the cassette or not at all, and what goes on from a live one goes live, however
well it may match. Only what goes on from neither is free: recorded, it is replayed; else it goes live and is recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..cassettes.answers import Answer
from ..cassettes.entry import Entry
from ..cassettes.issued import names_held, names_issued
from ..cassettes.lookup import Lookup, Repeat
from ..cassettes.models import Request, Violation
from ..cassettes.store import Cassette
from ..cassettes.uploads import is_stand_in, upload_id
from ..checks.chat import is_judged
from ..checks.complaints import Complaints
from ..checks.config import Config
from ..checks.finding import Severity
from ..checks.following import Following
from ..checks.hearing import Hearing
from ..checks.serving import Known, Serving

if TYPE_CHECKING:
    from .errors import Unanswered


class Verdict(StrEnum):
    """What became of a request."""

    HIT = "hit"
    REPEAT = "repeat"
    MISS = "miss"
    REJECTED = "rejected"
    LIVE = "live"


class Replay(NamedTuple):
    """A recorded answer, the exchange that it is from, what is wrong with the request, and what else there is to say."""

    answer: Answer
    entry: Entry
    violations: list[Violation]
    note: str


class _Ties(NamedTuple):
    """What a request goes on from: something live; and, as a predicate, something that only the cassette has."""

    live: bool = False
    only_recorded: str = ""


class Chooser:
    """Chooses for the requests to one cassette, in the order in which they come."""

    def __init__(self, serving: Serving, make_hearing: Callable[[], Hearing]) -> None:
        """Choose.

        Args:
            serving: what there is to answer with; its look-up ends with what was recorded before.
            make_hearing: makes what judges the requests of one session that are answered from the cassette.
        """
        self._serving = serving
        self._lookup: Final = serving.lookup
        self._make_hearing = make_hearing
        self._hearings: dict[str, Hearing] = {}
        self._following: Following | None = None
        self._issued: tuple[set[str], set[str]] | None = None
        self._lacking: dict[bytes, int] = {}
        self._verdicts: Counter[Verdict] = Counter()
        self.complaints: Final = Complaints()
        """Requests that got no answer, and what is wrong with those that were answered from the cassette."""

    @property
    def replayed(self) -> int:
        """How many requests were answered from the cassette."""
        return self._verdicts[Verdict.HIT] + self._verdicts[Verdict.REPEAT]

    def use(self, cassette: Cassette) -> None:
        """Go on with the same cassette, opened anew."""
        self._lookup.cassette = cassette
        self._following = self._issued = None

    def choose(self, request: Request, session: str = "") -> Replay | None:
        """The recorded answer to a request; None where it is to go live.

        Args:
            request: its path is the API's.
            session: any text; each session has queues of its own.

        Raises:
            Unanswered: it may not go live, and nothing that was recorded answers it.
            CassetteError: the cassette is damaged.
        """
        known = self._serving.read(request)
        ties = self._ties(known.entry, request.query)
        found = None if ties.live else self._serving.find(known, session)
        if found is not None:
            self._verdicts[Verdict.REPEAT if found.repeated else Verdict.HIT] += 1
            answer, note = self._serving.served(known, found)
            violations = self._heard(request, known, answer, session)
            return Replay(answer, self._lookup.entry(found.number), violations, note)
        if not ties.only_recorded and (ties.live or not self._is_faulty_twin(known)):
            self._verdicts[Verdict.LIVE] += 1
            return None
        raise self._unanswered(request, known, session, ties)

    def note(self, entry: Entry) -> None:
        """Take note of an exchange that was recorded live."""
        if self._following:
            self._following.note(entry)
        if self._issued:
            self._issued[1].update(names_issued(entry))

    def note_left_out(self, entry: Entry) -> None:
        """Take note of one that went live and failed, and so is not recorded."""
        record = self._followed().goes_on_from(entry)
        if record is not None and record.number > self._lookup.exchanges:
            self._lacking[self._lookup.cassette.key(entry)] = record.number

    @property
    def may_have_broken(self) -> bool:
        """Whether there is a reason to ask what is `broken`."""
        return bool(self._lacking)

    def broken(self) -> set[int]:
        """The exchanges of live conversations that lack an answer: to be played, they would end there in a miss."""
        known, cassette = self._lookup.exchanges, self._lookup.cassette
        lacking = [number for key, number in self._lacking.items() if not cassette.numbers_for(key)]
        talks = [self._followed().conversation_of(number) for number in lacking]
        return {number for talk in talks for number in talk if number > known}

    def status(self) -> dict[str, Any]:
        """What was asked so far, for programs."""
        return {
            "exchanges": self._lookup.exchanges,
            "requests": {verdict.value: self._verdicts[verdict] for verdict in Verdict},
            "unused": list(self._lookup.unused()),
            "errors": self.complaints.count(Severity.ERROR),
            "warnings": self.complaints.count(Severity.WARNING),
            "complaints": list(self.complaints.paragraphs()),
        }

    def _ties(self, entry: Entry, query: str) -> _Ties:
        """What a request goes on from."""
        if upload := upload_id(query):
            if not is_stand_in(upload):
                return _Ties(live=True)
            return _Ties(only_recorded="belongs to an upload that was begun in the cassette")
        live, gone = self._names(entry)
        record = self._followed().goes_on_from(entry)
        if record is not None and record.number <= self._lookup.exchanges:
            return _Ties(live, f"goes on from exchange {record.number} of the cassette")
        words = f"names {min(gone)[:100]}, which was issued in the cassette" if gone else ""
        return _Ties(live or record is not None, words)

    def _names(self, entry: Entry) -> tuple[bool, set[str]]:
        """Whether a request holds a name that was issued live, and those that only recorded answers issued."""
        held = names_held(entry)
        if not held:
            return False, held
        if self._issued is None:
            self._issued = set(), set()
            for known in self._lookup.cassette.entries():
                self._issued[known.number > self._lookup.exchanges].update(names_issued(known))
        recorded, live = self._issued
        return not held.isdisjoint(live), held & recorded - live

    def _followed(self) -> Following:
        if self._following is None:
            self._following = Following()
            for entry in self._lookup.cassette.entries():
                self._following.note(entry)
        return self._following

    def _is_faulty_twin(self, known: Known) -> bool:
        """Whether a request is a recorded one but for a fault that the API is known to refuse."""
        return self._serving.refused(known) is not None and bool(self._lookup.recorded(known.key))

    def _heard(
        self, request: Request, known: Known, answer: Answer, session: str, besides: str = ""
    ) -> list[Violation]:
        """What is wrong with a request that does not go live, besides what it was refused for."""
        if not is_judged(known.entry):
            return []
        if session not in self._hearings:
            self._hearings[session] = self._make_hearing()
        path = str(self._lookup.cassette.path)
        violations, _ = self._hearings[session].violations(request, answer, path)
        found = [item for item in violations if not besides.startswith(f"{item.rule} at {item.pointer}: ")]
        self.complaints.violations(found, self._what(request), session)
        return found

    def _unanswered(self, request: Request, known: Known, session: str, ties: _Ties) -> Unanswered:
        """What a request is told that gets no answer."""
        # Imported here so that a tape can be written where there is no mitmproxy: `gemtape import` does.
        from .errors import Unanswered  # noqa: PLC0415

        refusal = self._serving.refused(known)
        if refusal is not None and known.rejection is not None and not ties.live:
            self._verdicts[Verdict.REJECTED] += 1
            answer, found = refusal, known.rejection
            kind, why = "refused as the API would", f"{found.rule} at {found.pointer}: {found.message}"
        else:
            self._verdicts[Verdict.MISS] += 1
            because = f"It {ties.only_recorded}, so it was not sent: a conversation is wholly recorded or wholly live."
            answer, miss = self._serving.missed(known, session, because)
            kind, why = "miss", f"{because} {miss.why}"
        self._heard(request, known, answer, session, besides=why)
        self.complaints.unanswered(f"{kind}  {self._what(request)}", why)
        return Unanswered(answer, why)

    def _what(self, request: Request) -> str:
        return f"request {self._verdicts.total()}, {request.method} {request.path[:160]}"


def choosers(config: Config, again: str = "") -> Callable[[Cassette], Chooser]:
    """What makes the chooser of a cassette that is about to be answered from, and recorded into.

    Args:
        config: the user's configuration.
        again: the command that records everything again; that of the cassette by default.

    Raises:
        ConfigError: the configured baseline cannot be read.
        PinError: the configured pin cannot be read.
    """
    selection, settings = config.selection(), config.settings

    def chooser_of(cassette: Cassette) -> Chooser:
        command = again or f"gemtape record --replace {quote(str(cassette.path))}"
        serving = Serving(
            Lookup(cassette, config.repeat or Repeat.LAST, last=len(cassette)),
            f"from the start of its conversation, under a new name or with {command}",
            lenient=config.strict is False,
            selection=selection,
            settings=settings,
        )
        return Chooser(serving, lambda: Hearing(cassette.redactor, selection, settings))

    return chooser_of
