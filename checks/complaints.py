"""What a run must not pass with, put into words: requests that got no recorded answer, and violations told once each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..cassettes.models import Violation
from .finding import Severity

_ORDER: Final = list(Severity)
_MOST: Final = 1000
"""Requests, and violations, that are remembered; the others are counted, or met again elsewhere."""


@dataclass(slots=True)
class _Told:
    """A violation, where it was met first, and how many later requests held it too."""

    what: str
    violation: Violation
    again: int = 0


class Complaints:
    """Collects them. Not safe for use by several threads at once."""

    def __init__(self) -> None:
        self._unanswered: list[str] = []
        self._more = 0
        self._violations: dict[tuple[str, str, str, str], _Told] = {}

    def unanswered(self, what: str, why: str) -> None:
        """Remember a request that got no recorded answer."""
        if len(self._unanswered) < _MOST:
            self._unanswered.append(f"{what}: {why}")
        else:
            self._more += 1

    def violations(self, found: Iterable[Violation], what: str, where: str = "") -> None:
        """Remember what is wrong with a request.

        Args:
            found: its violations.
            what: the request, in a few words.
            where: tells apart what is the same violation otherwise, such as the session.
        """
        for violation in found:
            key = (where, violation.rule, violation.pointer, violation.message)
            if key in self._violations:
                self._violations[key].again += 1
            elif len(self._violations) < _MOST:
                self._violations[key] = _Told(what, violation)

    def count(self, severity: Severity) -> int:
        """How many different violations of this severity there are."""
        return sum(told.violation.severity == severity for told in self._violations.values())

    def fails(self, threshold: Severity | None) -> bool:
        """Whether a request got no recorded answer, or there is a violation of this severity or worse; None: never."""
        if threshold is None:
            return False
        return bool(self._unanswered) or any(map(self.count, _ORDER[_ORDER.index(threshold) :]))

    def paragraphs(self, threshold: Severity | None = Severity.ERROR) -> Iterator[str]:
        """Each of them in a paragraph; violations of the given severity or worse, None: of none."""
        yield from self._unanswered
        if self._more:
            yield f"and {self._more} more requests that got no recorded answer"
        least = len(_ORDER) if threshold is None else _ORDER.index(threshold)
        for told in self._violations.values():
            found = told.violation
            if _ORDER.index(Severity(found.severity)) >= least:
                again = f" (again in {told.again} more)" if told.again else ""
                yield f"{found.severity}  {found.rule} at {found.pointer} of {told.what}: {found.message}{again}"
