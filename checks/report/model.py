"""What a report says, whatever its format: the cassettes, their violations, and the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...cassettes.entry import Entry
from ...cassettes.models import Violation
from ..finding import Severity
from ..judge import Judge
from ..selection import Selection


@dataclass(frozen=True)
class CassetteReport:
    """One judged cassette.

    `calls` names each exchange that has violations: method, model and action. `suppressed` counts the violations that
    the selection left out.
    """

    path: str
    exchanges: int
    conversations: int
    violations: tuple[Violation, ...]
    calls: dict[int, str] = field(default_factory=dict)
    suppressed: int = 0


@dataclass(frozen=True)
class Report:
    """All judged cassettes."""

    cassettes: tuple[CassetteReport, ...]

    @property
    def suppressed(self) -> int:
        """How many violations the selection left out."""
        return sum(cassette.suppressed for cassette in self.cassettes)

    def count(self, severity: Severity) -> int:
        """How many violations of one severity there are."""
        counts = Counter(item.severity for cassette in self.cassettes for item in cassette.violations)
        return counts[severity]

    def fails(self, threshold: Severity | None) -> bool:
        """Whether there is a violation of this severity or worse; None: never."""
        if threshold is None:
            return False
        order = list(Severity)
        return any(self.count(severity) for severity in order[order.index(threshold) :])


def judge_cassette(
    path: str, entries: Iterable[Entry], judge: Judge, selection: Selection | None = None
) -> CassetteReport:
    """Judge all exchanges of a cassette, in recorded order, and keep what the selection keeps."""
    violations: list[Violation] = []
    calls: dict[int, str] = {}
    exchanges = 0
    for entry in entries:
        exchanges += 1
        found = judge.judge(entry)
        if found:
            violations.extend(found)
            calls[entry.number] = describe_call(entry)
    kept, suppressed = (selection or Selection()).apply(violations, path)
    return CassetteReport(path, exchanges, judge.ledger.conversations, tuple(kept), calls, suppressed)


def describe_call(entry: Entry) -> str:
    """What was asked, in a few words: ``gemini-3-pro:generateContent``, or method and resource."""
    if entry.route.action:
        return f"{entry.model or entry.route.resource}:{entry.route.action}"
    return f"{entry.method} {entry.route.resource or entry.path}"
