"""Judging: each request of a cassette, in recorded order, against the rules and against what was issued before it.

What is known of a history is kept per run, so a request costs what is new in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from typing import Final

from ..cassettes.entry import Entry
from ..cassettes.models import Violation
from .asker import asker_of
from .chat import as_generate, is_judged
from .clientside import note_sent
from .conversation import Run, run_of
from .executions import Executions
from .finding import Finding, Scope, content_place
from .hindsight import in_hindsight, less_certain
from .ledger import Ledger, Record
from .linking import Asking, Link, chain, link, went_on
from .lost import Lost, lost_in
from .news import News
from .registry import RULES
from .returned import Returned
from .rule import RequestContext, Rule, RunContext
from .settings import Settings
from .spelling import pointer_as_sent, words_as_sent
from .target import Target, target_of

_LONGEST_MESSAGE: Final = 1_000
_NEWS: Final = frozenset({Scope.ONCE, Scope.RETURN})


@dataclass(frozen=True)
class _State:
    """What is known of a history up to the end of a complete run.

    `turn` holds the findings that count only within the current turn; `wide` those of the current turn if the API reads
    neighbouring user contents as one and so looks further back. `record` is the exchange that the history goes on from;
    `returned` the answer that the run itself should be, `newest` the newest answer in the history, and `open` the one that
    a later run may hold more of.
    """

    always: tuple[Finding, ...] = ()
    turn: tuple[Finding, ...] = ()
    wide: tuple[Finding, ...] = ()
    record: Record | None = None
    returned: Returned | None = None
    newest: Returned | None = None
    open: Returned | None = None


class Judge:
    """Judges the exchanges of one cassette; hand them over in recorded order.

    `as_model` judges them as if they had been sent to that model; `settings` are what some rules can only be told.
    """

    def __init__(
        self, rules: Sequence[Rule] = RULES, as_model: str = "", settings: Settings | None = None
    ) -> None:
        self.ledger = Ledger()
        self._settings = settings or Settings()
        self._executions = Executions(self._settings)
        self._rules = rules
        self._as_model = as_model
        self._states: dict[tuple[Run, Target], _State] = {}
        self._news = News()
        self._told: set[tuple[int, str, str]] = set()

    def judge(self, entry: Entry) -> list[Violation]:
        """The violations of an exchange; what its answer issued counts for those that follow."""
        if not is_judged(entry):
            return []
        entry = as_generate(entry)
        context, findings, newest = self._examine(entry)
        for rule in self._rules:
            if rule.on_answer:
                findings.extend(rule.on_answer(context))
        conversation = context.continues.conversation if context.continues else 0
        self._news.note(entry.layout.history, findings)
        record = self.ledger.remember(entry, conversation, context.continues, context.calling_mode)
        for answer in takewhile(lambda answer: not self.ledger.came_back(answer.record), chain(newest)):
            self.ledger.note_return(answer.record)
        return [
            Violation(
                rule=finding.rule,
                severity=finding.severity,
                exchange=entry.number,
                at=finding.at,
                pointer=pointer_as_sent(entry, finding.place, finding.at),
                message=_clipped(words_as_sent(entry, finding)),
                model=entry.model,
                status=entry.status,
            )
            for finding in findings
            if self._is_news(finding, record.conversation)
        ]

    def findings(self, entry: Entry) -> list[Finding]:
        """What is wrong with a request, without taking note of it."""
        return self._examine(as_generate(entry))[1] if is_judged(entry) else []

    def _is_news(self, finding: Finding, conversation: int) -> bool:
        """Whether a finding was not said yet, where once a conversation is enough."""
        if finding.scope is not Scope.CONVERSATION:
            return True
        telling = (conversation, finding.rule, finding.message)
        known = telling in self._told
        self._told.add(telling)
        return not known

    def _examine(self, entry: Entry) -> tuple[RequestContext, list[Finding], Returned | None]:
        target = target_of(entry, self._as_model)
        asking = Asking(asker_of(entry), entry.started_at or inf)
        if entry.started_at:
            note_sent(entry.layout.history, entry.started_at)
        run = run_of(entry.layout.history)
        state = _State()
        findings: list[Finding] = []
        if run is not None:
            once: list[Finding] = []
            before = self._state(run.before, target, asking, once)
            state = self._advance(before, run, target, asking, once, final=True)
            findings = [*state.always, *_of_current_turn(state)]
            told = {(item.rule, item.place) for item in findings}
            news = (item for item in once if item.scope in _NEWS and (item.rule, item.place) not in told)
            findings += self._news.among(entry.layout.history, news)
            findings += (item for item in once if item.scope is Scope.CONVERSATION)
        context = RequestContext(entry, target, self.ledger, run, state.record, findings, self._settings.pin)
        for rule in self._rules:
            if rule.on_request:
                findings.extend(rule.on_request(context))
        findings[:] = in_hindsight(findings, entry.status)
        return context, findings, state.newest

    def _state(self, run: Run | None, target: Target, asking: Asking, once: list[Finding]) -> _State:
        """What is known up to the end of a complete run; only runs that were never met are looked at."""
        missing: list[Run] = []
        state = _State()
        while run is not None:
            known = self._states.get((run, target))
            if known is not None:
                state = known
                break
            missing.append(run)
            run = run.before
        for step in reversed(missing):
            state = self._states[step, target] = self._advance(state, step, target, asking, once, final=False)
        return state

    def _advance(
        self, state: _State, run: Run, target: Target, asking: Asking, once: list[Finding], *, final: bool
    ) -> _State:
        """What is known up to the end of a run; what counts only once goes to `once`."""
        found_link = link(self.ledger, run, asking, state.newest) if run.role == "model" else None
        returned = found_link.returned if found_link else None
        lost = tuple(self._lost(run, asking, state.newest, found_link))
        still_open, closed = self._open_and_closed(state, run, returned, final=final)
        self._executions.note(run, state.record.conversation if state.record else 0)
        context = RunContext(
            run,
            target,
            self.ledger,
            returned=returned,
            closed=closed,
            lost=lost,
            final=final,
            now=asking.now,
            answered=state.returned,
            newest=state.newest,
            continues=state.record,
            settings=self._settings,
            executions=self._executions,
        )
        found = [finding for rule in self._rules if rule.on_run for finding in rule.on_run(context)]
        once.extend(item for item in found if item.scope in _NEWS or item.scope is Scope.CONVERSATION)
        always = tuple(finding for finding in found if finding.scope is Scope.ALWAYS)
        turn = tuple(item for item in found if item.scope in (Scope.CURRENT_TURN, Scope.RETURN))
        record = found_link.record if found_link else lost[-1].record if lost else state.record
        return _State(
            always=state.always + always if always else state.always,
            turn=(() if run.prompts else state.turn) + turn,
            wide=(() if run.plainly_prompts else state.wide) + turn,
            record=record,
            returned=returned,
            newest=returned or state.newest,
            open=still_open,
        )

    def _lost(
        self, run: Run, asking: Asking, newest: Returned | None, found_link: Link | None
    ) -> Iterator[Lost]:
        """The recorded answers that are missing within a user run, or before a model run."""
        if run.role == "user":
            yield from lost_in(self.ledger, run, asking.asker, newest)
        elif found_link is not None and found_link.left_out is not None:
            yield Lost(content_place(run.start), found_link.left_out)

    def _open_and_closed(
        self, state: _State, run: Run, returned: Returned | None, *, final: bool
    ) -> tuple[Returned | None, tuple[Returned, ...]]:
        """The answer that a later run may hold more of, and those that end with this run."""
        still_open, closed = state.open, []
        if run.role == "model":
            still_open = returned
            if state.open is not None and (returned is None or returned.started is not state.open):
                closed.append(state.open)
        if final and still_open is not None:
            closed.append(still_open)
        behind = run.before if run.role == "model" else run
        following = behind.contents if behind else []
        return still_open, tuple(
            answer
            for answer in closed
            if not answer.doubtful or answer.record.number in went_on(self.ledger, following)
        )


def _clipped(message: str) -> str:
    """A message that a report can hold: names and ids in it are the client's, and may be of any length."""
    return message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + "…"


def _of_current_turn(state: _State) -> list[Finding]:
    """Findings of the current turn; those that lie in it only on the wider reading are less certain."""
    certain = set(map(id, state.turn))
    return [finding if id(finding) in certain else less_certain(finding) for finding in state.wide]
