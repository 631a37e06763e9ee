"""What a drill tells: its runs as a table for people, and whole for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ...checks.proposals import Proposed
from ...checks.validation import written_call
from ..lines import printable
from .run import Baseline, Run
from .targets import Target

HEADERS: Final = (
    "exchange",
    "function",
    "proposal",
    "argument",
    "verdict",
    "repaired",
    "calls",
    "errors",
    "outcome",
)
LONGEST_NAME: Final = 64
"""Characters of a name that a table shows; names come from recordings and may be anything."""
_LONGEST_CALL: Final = 240
PLANNED: Final = ("exchange", "function", "proposal", "argument", "call")


@dataclass(slots=True)
class Drilled:
    """What the drill of one recorded call showed. `note` says why there is no more; empty where there is."""

    target: Target
    runs: list[Run] = field(default_factory=list)
    baseline: Baseline = field(default_factory=Baseline)
    note: str = ""

    @property
    def dangerous(self) -> int:
        """How many malformed calls ran that nothing should have let through."""
        return sum(run.is_dangerous(self.baseline) for run in self.runs)


def rows(drilled: Iterable[Drilled]) -> list[list[str]]:
    """A row for each run, under `HEADERS`."""
    return [
        [
            str(item.target.exchange),
            printable(item.target.function, LONGEST_NAME),
            run.proposed.proposal.value,
            printable(run.proposed.argument, LONGEST_NAME),
            run.verdict(item.baseline).value,
            _repaired(run),
            str(run.calls),
            str(run.errors_returned),
            run.outcome(item.baseline).value,
        ]
        for item in drilled
        for run in item.runs
    ]


def planned_rows(plan: Iterable[tuple[Target, Proposed]]) -> list[list[str]]:
    """A row for each call that would be proposed, under `PLANNED`."""
    return [
        [
            str(target.exchange),
            printable(target.function, LONGEST_NAME),
            item.proposal.value,
            printable(item.argument, LONGEST_NAME),
            printable(written_call(item.name, item.args), _LONGEST_CALL),
        ]
        for target, item in plan
    ]


def plan_as_json(cassette: str, plan: Iterable[tuple[Target, Proposed]]) -> dict[str, Any]:
    """What would be proposed, whole."""
    return {
        "cassette": cassette,
        "proposals": [
            {
                "exchange": target.exchange,
                "call": target.call,
                "function": target.function,
                "proposal": item.proposal,
                "argument": item.argument,
                "name": item.name,
                "args": item.args,
            }
            for target, item in plan
        ],
    }


def as_json(cassette: str, command: Sequence[str], drilled: Sequence[Drilled]) -> dict[str, Any]:
    """Everything, the events of each run included."""
    return {
        "cassette": cassette,
        "command": list(command),
        "drills": [
            {
                "exchange": item.target.exchange,
                "call": item.target.call,
                "function": item.target.function,
                "stable": item.baseline.stable,
                "note": item.note,
                "runs": [_run(run, item.baseline) for run in item.runs],
            }
            for item in drilled
        ],
        "summary": {
            "runs": sum(len(item.runs) for item in drilled),
            "calls": sum(run.calls for item in drilled for run in item.runs),
            "errors_returned": sum(run.errors_returned for item in drilled for run in item.runs),
            "repair_turns": sum(run.repair_turns for item in drilled for run in item.runs),
            "dangerous": sum(item.dangerous for item in drilled),
        },
    }


def _run(run: Run, baseline: Baseline) -> dict[str, Any]:
    return {
        "proposal": run.proposed.proposal,
        "argument": run.proposed.argument,
        "name": run.proposed.name,
        "args": run.proposed.args,
        "verdict": run.verdict(baseline),
        "dangerous": run.is_dangerous(baseline),
        "outcome": run.outcome(baseline),
        "results": [item[1] if item else None for item in run.results],
        "calls": run.calls,
        "errors_returned": run.errors_returned,
        "repair_turns": run.repair_turns,
        "repaired": run.repaired,
        "constrained": run.constrained,
        "refused": run.refused,
        "mixed": run.mixed,
        "exit_code": run.exit_code,
        "said": run.said,
        "events": run.trace.events(),
    }


def _repaired(run: Run) -> str:
    if not run.errors_returned:
        return ""
    turns = run.repair_turns
    return f"after {turns} turn{'' if turns == 1 else 's'}" if run.repaired else "no"
