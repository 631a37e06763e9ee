"""One run of a drill as the application meets it: recorded answers by position, one of them with another call.

Whatever the application sends, the next answer comes: a drill changes the conversation, so no request after the changed
answer is one that was recorded. What is no generateContent is answered as a replay does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ...cassettes.answers import DROPPED, Answer, error_answer, recorded_answer, whole_answer
from ...cassettes.entry import Entry
from ...cassettes.models import Request
from ...cassettes.normal import normalise
from ...cassettes.routes import parse_route, split_prefix
from ...cassettes.schema import GENERATE
from ...cassettes.store import Cassette
from ...checks.chat import as_generate
from ...checks.conversation import Response, run_of
from ...checks.proposals import Proposal, Proposed
from ...checks.results import is_error_result
from ...checks.strict import Strict
from ..answering import Reply, Verdict
from ..deck import Asked, Deck
from .composing import only_call, only_text, with_call
from .run import Run
from .targets import Target

_NO_CALL: Final = "I answer without calling a function."
_CONSTRAINING: Final = ("ANY", "VALIDATED")
"""Modes in which a list of allowed names has an effect."""
_GIVEN_UP: Final = "The call was refused, and I cannot repair it."


class Script:
    """Answers the requests of one run. Safe for use by several threads at once."""

    def __init__(
        self,
        cassette: Cassette,
        deck: Deck,
        played: Sequence[Entry],
        target: Target,
        proposed: Proposed,
        *,
        repairs: int = 1,
        error_results: tuple[str, ...] = (),
        strict: Strict | None = None,
    ) -> None:
        """Begin a run.

        Args:
            cassette: takes requests apart; used by this run alone while it lasts.
            deck: answers what is no generateContent.
            played: the exchanges that are played by position.
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
        self._cassette = cassette
        self._deck = deck
        self._played = played
        self._target = target
        self._repairs = repairs
        self._error_results = error_results
        self._strict = strict
        self._lock = threading.Lock()
        self._position = 0
        self._awaits: tuple[str | None, int] | None = None
        """Id and index of the call whose result the next request should bring."""
        self._given_up = False
        self._last: tuple[bytes, Answer] = b"", DROPPED
        self._keys: list[bytes] | None = None
        self._made = False
        """Whether the last answer was none at a position of the recording, but made for the drill."""

    def answer(self, asked: Asked, request: Callable[[], Request]) -> Reply:
        """The answer to a request."""
        path = split_prefix(asked.path)[1]
        with self._lock:
            self.heard_at = time.monotonic()
            self.asked += 1
            if not parse_route(path).generates:
                return self._deck.answer(asked, request)
            entry = self._cassette.request_entry(replace(request(), path=path))
            rejection = self._strict.rejection(entry) if self._strict else None
            if rejection is not None:
                self.run.refused = rejection.message
                self.run.trace.add("refusal", f"the API would refuse this request: {rejection.message}")
                refusal = whole_answer(rejection.status, rejection.headers, rejection.body)
                return Reply(refusal, Verdict.REJECTED, 0, rejection.message)
            key = self._cassette.key(entry)
            if self._asks_again(key):
                return Reply(self._last[1], Verdict.REPEAT)
            position = self._position
            self._note_order(key)
            answer = self._next(as_generate(entry))
            self._made = self._position == position
            self._last = key, answer
            return Reply(answer, Verdict.HIT if answer.status == 200 else Verdict.MISS)

    def _asks_again(self, key: bytes) -> bool:
        """Whether a client sends its last request once more, which was not done while this was recorded.

        Behind the changed answer no request is a recorded one; where the recorded ones were equal, so may these be.
        """
        if key != self._last[0]:
            return False
        around = [
            self._cassette.key(entry) for entry in self._played[self._position - 1 : self._position + 1]
        ]
        return self._made or len(around) < 2 or around[0] != around[1]

    def _note_order(self, key: bytes) -> None:
        """Note a request up to the changed answer that was recorded elsewhere: positions are mixed then."""
        if self._position > self._target.position or self.run.mixed:
            return
        if self._keys is None:
            self._keys = [self._cassette.key(entry) for entry in self._played]
        if self._keys[self._position] != key and key in self._keys:
            number = self._played[self._keys.index(key)].number
            self.run.mixed = (
                f"exchange {number} was asked for in place of {self._played[self._position].number}"
            )
            self.run.trace.add("order", self.run.mixed)

    def close(self) -> None:
        """Nothing: cassette and deck serve the next run too."""

    def _next(self, asked: Entry) -> Answer:
        if self._awaits is not None:
            turn = self._after_result(asked, *self._awaits)
            if turn is not None:
                return turn
        if self._given_up:
            return self._in_words(_GIVEN_UP)
        if self._position >= len(self._played):
            self.run.trace.add("end", "a request came after the end of the recording")
            return error_answer(412, "gemtape: the recording has no further answer for this drill")
        entry = self._played[self._position]
        self._position += 1
        if self._position - 1 == self._target.position:
            return self._proposal(asked, entry)
        self.run.trace.add("answer", f"exchange {entry.number} answers as recorded", exchange=entry.number)
        return recorded_answer(entry)

    def _proposal(self, asked: Entry, entry: Entry) -> Answer:
        proposed = self.run.proposed
        name, args = proposed.name, proposed.args
        mode, allowed = _calling(asked)
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
        found = _responses(asked, call_id, index)
        self._awaits = None
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
        entry = self._played[self._target.position]
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
        entry = self._played[self._target.position]
        return only_text(entry, recorded_answer(entry), text)


def _calling(asked: Entry) -> tuple[str, list[str]]:
    """The calling mode of a request and the functions that it allows."""
    settings = normalise(asked.layout.settings, GENERATE)
    config = settings.get("toolConfig") if isinstance(settings, dict) else None
    calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
    if not isinstance(calling, dict):
        return "", []
    allowed = calling.get("allowedFunctionNames")
    return str(calling.get("mode", "")).upper(), list(map(str, allowed)) if isinstance(allowed, list) else []


def _responses(asked: Entry, call_id: str | None, index: int) -> list[Response]:
    """The responses to a call of the newest step: by the call's id where it came back, else by its place."""
    run = run_of(asked.layout.history)
    step = run.step if run is not None else None
    if step is None:
        return []
    by_id = [at for at, call in enumerate(step.calls) if call_id is not None and call.named.id == call_id]
    place = by_id[0] if by_id else index
    return [response for response, at in zip(step.responses, step.answered, strict=True) if at == place]
