"""Which recorded exchange may answer a request, and what a request is told that none answers: both doors decide alike.

Decides only: it opens no file and sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from ..cassettes.answers import DROPPED, Answer, error_answer, recorded_answer, whole_answer
from ..cassettes.bounded import Bounded
from ..cassettes.entry import Entry
from ..cassettes.legs import Legs
from ..cassettes.lookup import Accepts, Lookup
from ..cassettes.misses import Miss, explain
from ..cassettes.models import Request
from ..cassettes.resource_names import Nameless
from ..cassettes.routes import Surface
from .apierrors import wraps_errors
from .selection import Selection
from .settings import Settings
from .strict import Rejection, Strict

_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""What the answers at hand may hold together."""
_ITEM_BYTES: Final = 1024
"""What an answer weighs besides its body, roughly."""
_REASON: Final = "CASSETTE_MISS"
_MARK: Final = (b"x-gemtape-match", b"without names")
_NAMELESS: Final = "matched without names of files and caches, which were not issued in this cassette"


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


class Found(NamedTuple):
    """The exchange that answers a request: whether it answered one before, and whether names had to be left out."""

    number: int
    repeated: bool
    nameless: bool


class Serving:
    """Serves the exchanges of one cassette. Not safe for use by several threads at once."""

    def __init__(
        self,
        lookup: Lookup,
        again: str,
        *,
        lenient: bool = False,
        selection: Selection | None = None,
        settings: Settings | None = None,
        delivered: Callable[[Answer, int], Answer] | None = None,
    ) -> None:
        """Use the queues of a cassette.

        Args:
            lookup: its queues.
            again: the command that records it again, for the advice of a miss.
            lenient: serve what the API would refuse.
            selection: the rules that count; all of them by default.
            settings: what some rules have to be told.
            delivered: makes of the answer of the exchange with a number what is to be sent; as recorded by default.
        """
        self.lookup: Final = lookup
        self._again = again
        self._lenient = lenient
        self._strict = Strict(str(lookup.cassette.path), selection, settings)
        self._delivered = delivered
        self._answers: Bounded[int, Answer] = Bounded(_ANSWER_BYTES)
        self._newest: tuple[int, Answer] = 0, DROPPED
        self._refused: dict[int, tuple[str, str] | None] = {}
        self._nameless = Nameless(lookup)
        self._legs = Legs(lookup)

    def read(self, request: Request) -> Known:
        """Take a request apart and judge it; its path is the API's."""
        entry = self.lookup.cassette.request_entry(request)
        return Known(entry, self.lookup.cassette.key(entry), self._strict.rejection(entry))

    def find(self, known: Known, session: str = "", stays: Accepts | None = None) -> Found | None:
        """The exchange that answers a request, which takes it out of its queue in this session.

        Args:
            known: the request.
            session: any text; each session has queues of its own.
            stays: whether an exchange stays in its queue for an equal request, although it counts as used.

        Raises:
            CassetteError: the cassette is damaged.
        """
        accepts = self._accepts(known, session)
        taken = self._legs.take(known.entry, known.key, session, accepts, stays)
        if taken is not None:
            return Found(taken.number, taken.repeated, False)
        taken = self._nameless.take(known.entry, known.key, session, accepts, stays)
        return taken and Found(taken.number, taken.repeated, True)

    def reset(self, session: str) -> None:
        """Rewind a session: its queues are full again."""
        self.lookup.reset(session)
        self._legs.reset(session)

    def served(self, known: Known, found: Found) -> tuple[Answer, str]:
        """The answer of the exchange that was found, and what has to be said of it in one sentence, or nothing."""
        note = f"the API would refuse this: {known.rejection.message}" if known.rejection else ""
        answer = self.answer(found.number)
        if not found.nameless:
            return answer, note
        return replace(answer, headers=(*answer.headers, _MARK)), "; ".join(filter(None, (note, _NAMELESS)))

    def refused(self, known: Known) -> Answer | None:
        """The API's refusal of a request that nothing was recorded for; None where it is not known to refuse it."""
        rejection = None if self._lenient else known.rejection
        return rejection and whole_answer(rejection.status, rejection.headers, rejection.body)

    def missed(self, known: Known, session: str = "", because: str = "") -> tuple[Answer, Miss]:
        """What a request without an answer is told, and the same for programs.

        Args:
            known: the request.
            session: the session whose queues were asked.
            because: a sentence that says why a recorded answer is all that it could get.

        Raises:
            CassetteError: the cassette is damaged.
        """
        entry = known.entry
        miss = explain(self.lookup, entry, known.key, session, self._again)
        path = str(self.lookup.cassette.path)
        words = [f"gemtape: no recorded answer for {entry.method} {entry.path[:200]} in {path}."]
        if because:
            words.append(because)
        if violations := self._strict.words(entry):
            words.append(f"Violations of this request: {violations}.")
        words.append(miss.why)  # last, since it ends in a command to copy
        # An OpenAI client shows nothing of an error in a list, and the advice is for the person who sees it fail.
        in_list = wraps_errors(entry.route, entry.query) and entry.route.surface is not Surface.OPENAI
        return error_answer(412, " ".join(words), [_details(miss, path)], in_list=in_list), miss

    def answer(self, number: int) -> Answer:
        """The answer of an exchange, as it is to be sent."""
        if number == self._newest[0]:
            return self._newest[1]
        answer = self._answers.get(number)
        if answer is None:
            answer = recorded_answer(self.lookup.entry(number))
            if self._delivered:
                answer = self._delivered(answer, number)
            self._answers.put(number, answer, sum(len(chunk.data) for chunk in answer.chunks) + _ITEM_BYTES)
        self._newest = number, answer
        return answer

    def _accepts(self, known: Known, session: str) -> Accepts:
        """Which recorded exchanges may answer: the recording is ground truth, but only for requests like its own.

        A request with a fault gets what was recorded for the same fault, or an error that came anyhow; a sound one does
        not get the refusal of a faulty one.
        """
        if known.rejection is None:
            return self._sound
        if self._lenient:
            return lambda _: True
        fault = known.rejection.fault

        def accepts(number: int) -> bool:
            failed = self.answer(number).status >= 400 and not self.lookup.used(number, session)
            return failed or self._fault(number) == fault

        return accepts

    def _sound(self, number: int) -> bool:
        return self.answer(number).status != 400 or self._fault(number) is None

    def _fault(self, number: int) -> tuple[str, str] | None:
        if number not in self._refused:
            rejection = self._strict.rejection(self.lookup.entry(number))
            self._refused[number] = rejection.fault if rejection else None
        return self._refused[number]


def _details(miss: Miss, path: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": _REASON,
        "domain": "gemtape",
        "metadata": {"cassette": path, **miss.facts},
    }
