"""Judging: each request of a cassette, in recorded order, against the rules and against what was issued before it.

What is known of a history is kept per run, so a request costs what is new in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ..cassettes.entry import Entry
from ..cassettes.models import Violation
from ..cassettes.turns import Turn
from .conversation import Run, run_of
from .executions import Executions
from .finding import Finding, Place, Scope, Severity, pointer
from .ledger import Ledger, Record
from .registry import RULES
from .returned import Returned
from .rule import RequestContext, Rule, RunContext
from .settings import Settings
from .target import Target, target_of


@dataclass(frozen=True)
class _State:
    """What is known of a history up to the end of a complete run.

    `turn` holds the findings that count only within the current turn; `wide` those of the current turn if the API reads
    neighbouring user contents as one and so looks further back. `record` is the newest answer in the history; `returned`
    the one that the run itself should be.
    """

    always: tuple[Finding, ...] = ()
    turn: tuple[Finding, ...] = ()
    wide: tuple[Finding, ...] = ()
    record: Record | None = None
    returned: Returned | None = None


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
        self._seen: set[Turn] = set()

    def judge(self, entry: Entry) -> list[Violation]:
        """The violations of an exchange; what its answer issued counts for those that follow."""
        if not entry.route.generates:
            return []
        context, findings = self._examine(entry)
        for rule in self._rules:
            if rule.on_answer:
                findings.extend(rule.on_answer(context))
        conversation = context.continues.conversation if context.continues else 0
        self._seen.update(self._unseen(entry))
        self.ledger.remember(entry, conversation, context.continues, context.calling_mode)
        return [
            Violation(
                rule=finding.rule,
                severity=finding.severity,
                exchange=entry.number,
                at=finding.at,
                pointer=pointer(finding.place, _wrapping(entry, finding)),
                message=finding.message,
                model=entry.model,
                status=entry.status,
            )
            for finding in findings
        ]

    def findings(self, entry: Entry) -> list[Finding]:
        """What is wrong with a request, without taking note of it."""
        return self._examine(entry)[1] if entry.route.generates else []

    def _examine(self, entry: Entry) -> tuple[RequestContext, list[Finding]]:
        target = target_of(entry, self._as_model)
        run = run_of(entry.layout.history)
        state = _State()
        findings: list[Finding] = []
        if run is not None:
            once: list[Finding] = []
            before = self._state(run.before, target, entry.started_at, once)
            state = self._advance(before, run, target, entry.started_at, once, final=True)
            known = entry.layout.history.depth - len(self._unseen(entry))
            fresh = (finding for finding in once if _content_of(finding) >= known)
            findings = [*state.always, *_of_current_turn(state), *fresh]
        context = RequestContext(entry, target, self.ledger, run, state.record, findings)
        for rule in self._rules:
            if rule.on_request:
                findings.extend(rule.on_request(context))
        if entry.status == 400:
            findings[:] = _refused(findings)
        elif entry.status == 200:
            findings[:] = _accepted(findings)
        return context, findings

    def _unseen(self, entry: Entry) -> list[Turn]:
        """The contents of a request that no earlier one held."""
        return list(takewhile(lambda turn: turn not in self._seen, entry.layout.history.back()))

    def _state(self, run: Run | None, target: Target, now: float, once: list[Finding]) -> _State:
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
            state = self._states[step, target] = self._advance(state, step, target, now, once, final=False)
        return state

    def _advance(
        self, state: _State, run: Run, target: Target, now: float, once: list[Finding], *, final: bool
    ) -> _State:
        """What is known up to the end of a run; what counts only once goes to `once`."""
        issuer = self.ledger.issuer(run, now) if run.role == "model" else None
        dropped = tuple(self._dropped(run, now)) if run.role == "user" else ()
        returned = Returned(issuer, run) if issuer else None
        self._executions.note(run, state.record.conversation if state.record else 0)
        context = RunContext(
            run,
            target,
            self.ledger,
            returned=returned,
            dropped=dropped,
            final=final,
            now=now,
            answered=state.returned,
            continues=state.record,
            settings=self._settings,
            executions=self._executions,
        )
        found = [finding for rule in self._rules if rule.on_run for finding in rule.on_run(context)]
        once.extend(finding for finding in found if finding.scope is Scope.ONCE)
        always = tuple(finding for finding in found if finding.scope is Scope.ALWAYS)
        turn = tuple(finding for finding in found if finding.scope is Scope.CURRENT_TURN)
        record = issuer or (dropped[-1][1] if dropped else state.record)
        return _State(
            always=state.always + always if always else state.always,
            turn=(() if run.prompts else state.turn) + turn,
            wide=(() if run.plainly_prompts else state.wide) + turn,
            record=record,
            returned=returned,
        )

    def _dropped(self, run: Run, now: float) -> Iterator[tuple[Turn, Record]]:
        """The contents of a user run before which a recorded answer is missing."""
        for turn in run.contents[1:]:
            answers = self.ledger.answers_after(turn.parent, now) if turn.parent else []
            if answers:
                yield turn, answers[-1]


def _wrapping(entry: Entry, finding: Finding) -> Place:
    """Where the place of a finding begins in the body as sent; Code Assist wraps requests and answers, not errors."""
    if not entry.layout.wrapped or finding.place[:1] == ("error",):
        return ()
    return (finding.at,)


def _content_of(finding: Finding) -> int:
    """The index of the content that a finding in a history stands in."""
    index = finding.place[1] if len(finding.place) > 1 else 0
    return index if isinstance(index, int) else 0


def _of_current_turn(state: _State) -> list[Finding]:
    """Findings of the current turn; those that lie in it only on the wider reading become warnings."""
    certain = set(map(id, state.turn))
    return [
        finding
        if id(finding) in certain
        else replace(
            finding,
            severity=min(finding.severity, Severity.WARNING, key=_RANK.index),
            rejection="",
            suspect=True,
        )
        for finding in state.wide
    ]


_RANK = (Severity.INFO, Severity.WARNING, Severity.ERROR)


def _accepted(findings: list[Finding]) -> list[Finding]:
    """The API answered 200: what was only presumed to be refused is not."""
    return [
        replace(finding, severity=Severity.INFO, rejection="") if finding.presumed else finding
        for finding in findings
    ]


def _refused(findings: list[Finding]) -> list[Finding]:
    """The API answered 400: where nothing that it is known to refuse was found, what is suspect must be it."""
    if any(finding.rejection for finding in findings):
        return findings
    return [replace(finding, severity=Severity.ERROR) if finding.suspect else finding for finding in findings]
