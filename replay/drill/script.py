"""One run of a drill as the application meets it: recorded answers by position, one of them with another call.

Whatever the application sends, the next answer of that conversation comes: a drill changes it, so no request after the
changed answer is one that was recorded. What is no generateContent is answered as a replay does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from ...cassettes.answers import Answer, error_answer, recorded_answer, whole_answer
from ...cassettes.entry import Entry
from ...cassettes.models import Request
from ...cassettes.routes import parse_route, split_prefix
from ...checks.chat import as_generate
from ...checks.proposals import Proposal, Proposed
from ...checks.results import is_error_result
from ...checks.strict import Rejection, Strict
from ..answering import Reply, Verdict
from ..deck import Asked, Deck
from .asked import calling, responses
from .composing import only_call, only_text, with_call
from .places import Place, Places
from .recording import Recording
from .run import Run
from .targets import Target

_NO_CALL: Final = "I answer without calling a function."
_CONSTRAINING: Final = ("ANY", "VALIDATED")
"""Modes in which a list of allowed names has an effect."""
_GIVEN_UP: Final = "The call was refused, and I cannot repair it."


class _Given(NamedTuple):
    """An answer: the match key of the request, and its position in the recording, None where it was made up."""

    key: bytes
    answer: Answer
    position: int | None


class Script:
    """Answers the requests of one run. Safe for use by several threads at once."""

    def __init__(
        self,
        recording: Recording,
        deck: Deck,
        target: Target,
        proposed: Proposed,
        *,
        repairs: int = 1,
        error_results: tuple[str, ...] = (),
        strict: Strict | None = None,
    ) -> None:
        """Begin a run.

        Args:
            recording: what is played; used by this run alone while it lasts.
            deck: answers what is no generateContent.
            target: the recorded call that is replaced.
            proposed: what is proposed in its place.
            repairs: turns in which the valid call may follow an error result.
            error_results: further pointers at what makes a result an error.
            strict: answers as the API would to what it is known to refuse; None: nothing is refused.
        """
        self.run: Final = Run(proposed)
        self.lost = 0
        self.asked = 0
        """How many requests came."""
        self.heard_at = time.monotonic()
        """When the last request came, on the monotonic clock."""
        self._recording = recording
        self._places = Places(recording)
        self._deck = deck
        self._target = target
        self._repairs = repairs
        self._error_results = error_results
        self._strict = strict
        self._lock = threading.Lock()
        self._awaits: tuple[str | None, int] | None = None
        """Id and index of the call whose result the next request of its conversation should bring."""
        self._proposed_at = 0
        """The number in this run of the exchange that made that call."""
        self._given_up = False
        self._last: dict[int, _Given] = {}
        """What was answered last in each conversation."""

    def answer(self, asked: Asked, request: Callable[[], Request]) -> Reply:
        """The answer to a request."""
        path = split_prefix(asked.path)[1]
        with self._lock:
            self.heard_at = time.monotonic()
            self.asked += 1
            if not parse_route(path).generates:
                return self._deck.answer(asked, request)
            entry = self._recording.cassette.request_entry(replace(request(), path=path))
            key = self._recording.cassette.key(entry)
            rejection = self._strict.rejection(entry) if self._strict else None
            if rejection is not None:
                return self._refusal(rejection, self._places.find(as_generate(entry), key))
            again = self._given(key)
            if again is not None:
                return Reply(again.answer, Verdict.REPEAT)
            form = as_generate(entry)
            answer = self._placed(form, key, self._places.find(form, key))
            return Reply(answer, Verdict.HIT if answer.status == 200 else Verdict.MISS)

    def _refusal(self, rejection: Rejection, place: Place) -> Reply:
        """What the API would answer; the verdict minds only what becomes of the drilled conversation."""
        if self._is_drilled(place):
            self.run.refused = rejection.message
        self.run.trace.add("refusal", f"the API would refuse this request: {rejection.message}")
        refusal = whole_answer(rejection.status, rejection.headers, rejection.body)
        return Reply(refusal, Verdict.REJECTED, 0, rejection.message)

    def _given(self, key: bytes) -> _Given | None:
        """What a client got that sends its last request once more, unless that was done while this was recorded, too.

        Behind the changed answer no request is a recorded one; where the recorded ones were equal, so may these be.
        """
        last = next((given for given in self._last.values() if given.key == key), None)
        if last is None or last.position is None:
            return last
        return None if self._places.is_free(self._recording.keys[last.position]) else last

    def _placed(self, asked: Entry, key: bytes, place: Place) -> Answer:
        """The answer to a request at its place; from there its conversation goes on."""
        self._note_doubt(key, place)
        answer, position = self._next(asked, place)
        at = position
        if at is None:
            at = self._places.played(place.after) if place.after else self._target.position
        number = self._places.note(asked, answer, at)
        if self._awaits is not None and not self._proposed_at:
            self._proposed_at = number
        self._last[self._recording.begins[at]] = _Given(key, answer, position)
        return answer

    def _note_doubt(self, key: bytes, place: Place) -> None:
        """Note a request up to the result of the call that may stand elsewhere: positions are mixed then."""
        if self.run.results or place.keyed or place.position is None:
            return
        number, keys = self._recording.played[place.position].number, self._recording.keys
        mixed = ""
        if self._awaits is None and keys[place.position] != key and key in keys:
            other = self._recording.played[keys.index(key)].number
            mixed = f"exchange {other} was asked for in place of {number}"
        elif place.rivals:
            mixed = f"exchange {number} answered a request that may belong to another conversation"
        if mixed and not self.run.mixed:
            self.run.mixed = mixed
            self.run.trace.add("order", mixed)

    def close(self) -> None:
        """Nothing: cassette and deck serve the next run too."""

    def _next(self, asked: Entry, place: Place) -> tuple[Answer, int | None]:
        """The answer to a request, and the position that it is recorded at; None for one that was made up."""
        if self._awaits is not None and self._places.goes_on(asked, place, self._proposed_at):
            turn = self._after_result(asked, *self._awaits)
            if turn is not None:
                return turn, None
        elif self._awaits is not None and not place.after and not place.keyed:
            self.run.improvised = True
            self.run.astray |= self._places.is_alike(asked, self._target.position)
        if self._given_up and not place.keyed and self._is_drilled(place):
            return self._in_words(_GIVEN_UP), None
        if place.position is None:
            self.run.trace.add("end", "a request came after the end of the recording")
            return error_answer(412, "gemtape: the recording has no further answer for this drill"), None
        entry = self._recording.played[place.position]
        if place.position == self._target.position:
            return self._proposal(asked, entry), place.position
        self.run.trace.add("answer", f"exchange {entry.number} answers as recorded", exchange=entry.number)
        return recorded_answer(entry), place.position

    def _is_drilled(self, place: Place) -> bool:
        """Whether a place is in the conversation of the changed answer, or may be."""
        begins, at = self._recording.begins, place.position
        if place.after:
            at = self._places.played(place.after)
        return at is None or begins[at] == begins[self._target.position]

    def _proposal(self, asked: Entry, entry: Entry) -> Answer:
        proposed = self.run.proposed
        name, args = proposed.name, proposed.args
        mode, allowed = calling(asked)
        if mode == "NONE":
            self.run.constrained = "mode NONE allows no call"
            self.run.trace.add("answer", self.run.constrained)
            self._given_up = True
            return self._in_words(_NO_CALL)
        if mode in _CONSTRAINING and allowed and name not in allowed:
            self.run.constrained = f"mode {mode} allows {', '.join(allowed)} only"
            self.run.trace.add("constraint", self.run.constrained)
            name = self._target.function
        answer = recorded_answer(entry)
        if proposed.proposal is not Proposal.VALID:
            answer = with_call(entry, answer, self._target.part, name, args)
        self.run.calls += 1
        self.run.trace.add("call", f"the model proposes {name}", name=name, args=args, exchange=entry.number)
        recorded = entry.answer.parts[self._target.part]["functionCall"]
        self._awaits = recorded.get("id"), self._target.call
        return answer

    def _after_result(self, asked: Entry, call_id: str | None, index: int) -> Answer | None:
        """Look at the result of the proposed call; the turn that follows an error, None where the recording goes on."""
        found = responses(asked, call_id, index)
        self._awaits, self._proposed_at = None, 0
        if not found:
            self.run.trace.add("result", "the application went on without a result")
            self.run.results.append(None)
            return None
        value = found[-1].value.get("response", {})
        failed = is_error_result(value, self._error_results)
        self.run.results.append((failed, value))
        self.run.trace.add(
            "result", "an error result comes back" if failed else "a result comes back", response=value
        )
        if not failed:
            return None
        self.run.errors_returned += 1
        if self.run.repair_turns == self._repairs:
            self._given_up = True
            return None
        return self._repair()

    def _repair(self) -> Answer:
        entry = self._recording.played[self._target.position]
        self.run.repair_turns += 1
        self.run.calls += 1
        answer = only_call(entry, recorded_answer(entry), self._target.part, self.run.repair_turns)
        recorded = entry.answer.parts[self._target.part]["functionCall"]
        valid = recorded.get("args", {})
        self.run.trace.add(
            "call", f"the model proposes the valid call of {self._target.function}", args=valid
        )
        known = recorded.get("id")
        self._awaits = f"{known}-{self.run.repair_turns}" if isinstance(known, str) else None, 0
        return answer

    def _in_words(self, text: str) -> Answer:
        entry = self._recording.played[self._target.position]
        return only_text(entry, recorded_answer(entry), text)
