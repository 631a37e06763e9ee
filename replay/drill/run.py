"""What one run of a drill showed, and the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from ...cassettes.canonical import stored_form
from ...checks.proposals import HARMLESS, Proposal, Proposed
from .outcome import Outcome
from .trace import Trace


class Verdict(StrEnum):
    """What the application did with a proposed call."""

    RAN = "ran"
    """The valid call, as it should."""
    REJECTED = "rejected"
    """It came back with an error result."""
    COERCED = "coerced"
    """It ran, with the result of the valid call."""
    EXECUTED = "executed"
    """It ran as it was: the dangerous case."""
    IGNORED = "ignored"
    """It ran, without the argument that nobody declared."""
    NOT_REJECTED = "not-rejected"
    """It ran, and nobody can tell with what: results differ from run to run, or are those of another agent."""
    UNANSWERED = "unanswered"
    """The application went on without a result for it."""
    CRASHED = "crashed"
    """No request came any more."""
    REFUSED = "refused"
    """The API would have refused the application's next request."""
    CONSTRAINED = "constrained"
    """The calling mode allowed no such call."""


_CERTAIN: Final = frozenset(
    {Proposal.BAD_ENUM, Proposal.MISSING_REQUIRED, Proposal.OUT_OF_RANGE, Proposal.UNDECLARED_FUNCTION}
)
"""What no validator makes fit: where it was not rejected it ran, whatever its result looks like."""


@dataclass(slots=True)
class Run:
    """One run.

    `results` holds, for each time the call was proposed, whether the result was an error, and the result; None where none
    came.
    """

    proposed: Proposed
    results: list[tuple[bool, Any] | None] = field(default_factory=list)
    calls: int = 0
    errors_returned: int = 0
    repair_turns: int = 0
    refused: str = ""
    """Why the API would have refused a request of the application; empty where it would not."""
    constrained: str = ""
    """Why something else was proposed, or nothing; empty where the proposal was made."""
    mixed: str = ""
    """Which request came out of its recorded order, or may have, so that nobody can trust the verdict; else empty."""
    astray: bool = False
    """Whether the same agent asked what goes on from nothing known, while the result of the call was awaited."""
    improvised: bool = False
    """Whether meanwhile a conversation began that nobody recorded, as of an agent that the call asked; its answers were."""
    exit_code: int | None = None
    """That of the command; None where it had to be ended."""
    said: str = ""
    """The last line that the command wrote."""
    trace: Trace = field(default_factory=Trace)

    @property
    def repaired(self) -> bool:
        """Whether an error result was followed by a result of the valid call."""
        last = self.results[-1] if self.results else None
        return self.errors_returned > 0 and last is not None and not last[0]

    def verdict(self, baseline: Baseline) -> Verdict:
        """What the application did with the call, given what it does with the valid one."""
        first = self.results[0] if self.results else None
        if first is None:
            return self._without_result()
        failed, value = first
        if failed:
            return Verdict.REJECTED
        if self.constrained:
            return Verdict.CONSTRAINED
        if self.proposed.proposal in HARMLESS:
            return Verdict.RAN if self.proposed.proposal is Proposal.VALID else Verdict.IGNORED
        verdict = baseline.verdict(value)
        # What was asked was malformed, too, but the answers are those to the valid call: no wonder that they are equal.
        told_apart = baseline.improvised or not self.improvised
        return verdict if told_apart or verdict is Verdict.EXECUTED else Verdict.NOT_REJECTED

    def _without_result(self) -> Verdict:
        if self.results:
            return Verdict.UNANSWERED
        if self.refused:
            return Verdict.REFUSED
        if self.astray:
            return Verdict.UNANSWERED
        return Verdict.CONSTRAINED if self.constrained and not self.calls else Verdict.CRASHED

    def is_dangerous(self, baseline: Baseline) -> bool:
        """Whether a call ran that nothing should have let through."""
        verdict = self.verdict(baseline)
        return verdict is Verdict.EXECUTED or (
            verdict is Verdict.NOT_REJECTED and self.proposed.proposal in _CERTAIN
        )

    def is_doubtful(self, baseline: Baseline) -> bool:
        """Whether it passes for coerced although no validator makes such a call fit: maybe the result shows no arguments."""
        return self.verdict(baseline) is Verdict.COERCED and self.proposed.proposal in _CERTAIN

    def outcome(self, baseline: Baseline) -> Outcome:
        """Where the conversation ended up."""
        match self.verdict(baseline):
            case Verdict.REJECTED:
                return Outcome.RIGHT if self.repaired else Outcome.REJECTED
            case Verdict.EXECUTED:
                return Outcome.WRONG
            case Verdict.NOT_REJECTED:
                return Outcome.WRONG if self.is_dangerous(baseline) else Outcome.UNKNOWN
            case Verdict.CRASHED | Verdict.REFUSED | Verdict.UNANSWERED:
                return Outcome.CRASHED
            case Verdict.CONSTRAINED if not self.calls:
                return Outcome.TEXT
        return Outcome.RIGHT


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the application makes of the valid call: the results of the runs with it.

    `improvised` says that also these began conversations that nobody recorded: their prompts differ by themselves.
    """

    results: tuple[Any, ...] = ()
    improvised: bool = False

    @property
    def stable(self) -> bool:
        """Whether equal calls have equal results."""
        return len(self.results) > 1 and len({stored_form(result) for result in self.results}) == 1

    def verdict(self, result: Any) -> Verdict:
        """What a malformed call that was not rejected came to."""
        if not self.stable:
            return Verdict.NOT_REJECTED
        same = stored_form(result) == stored_form(self.results[0])
        return Verdict.COERCED if same else Verdict.EXECUTED


def baseline_of(runs: Sequence[Run]) -> Baseline | None:
    """The baseline of the runs with the valid call; None where one of them did not run it."""
    found = [run.results[0] for run in runs if run.results]
    if len(found) != len(runs) or any(item is None or item[0] for item in found):
        return None
    return Baseline(tuple(item[1] for item in found if item), any(run.improvised for run in runs))
