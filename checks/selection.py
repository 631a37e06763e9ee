"""Which violations are told, and how severe they are: rules chosen and left out, severities, and a baseline.

The same selection holds in reports, in strict replay and live. It opens nothing; what it left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from ..cassettes.models import Violation
from .baseline import fingerprint
from .finding import Severity


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of violations.

    `select` names the rules that are told, all where it is empty; `ignore` those that are not; `severity` gives rules
    another severity; `per_cassette_ignore` gives the rules to ignore in cassettes whose name or path fits a pattern;
    `baseline` holds the fingerprints of violations that are known.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_cassette_ignore: Mapping[str, frozenset[str]] = field(default_factory=dict)
    baseline: frozenset[str] = frozenset()

    def apply(self, violations: Iterable[Violation], cassette: str = "") -> tuple[list[Violation], int]:
        """What is left of a cassette's violations.

        Args:
            violations: What was found.
            cassette: The name or path of the cassette.

        Returns:
            The violations that stay, with the severities that were asked for, and how many were suppressed.
        """
        found = list(violations)
        ignored = self.ignored_in(cassette)
        kept = [
            replace(item, severity=self.severity.get(item.rule, item.severity))
            for item in found
            if self._is_selected(item.rule, ignored)
            and not (self.baseline and fingerprint(item, cassette) in self.baseline)
        ]
        return kept, len(found) - len(kept)

    def ignored_in(self, cassette: str) -> frozenset[str]:
        """The rules that are not told of a cassette."""
        return self.ignore.union(
            *(rules for pattern, rules in self.per_cassette_ignore.items() if _fits(cassette, pattern))
        )

    def tells(self, rule: str, cassette: str = "") -> bool:
        """Whether the findings of a rule are told of a cassette, its baseline aside."""
        return self._is_selected(rule, self.ignored_in(cassette))

    def _is_selected(self, rule: str, ignored: frozenset[str]) -> bool:
        return rule not in ignored and (not self.select or rule in self.select)


def _fits(cassette: str, pattern: str) -> bool:
    """Whether a pattern fits a path as given, its file name, or its end: ``refunds/*`` fits ``tapes/refunds/happy.db``."""
    path = cassette.replace("\\", "/")
    name = path.removesuffix(".db")
    names = {path, name, f"{name}.db"}
    return any(fnmatchcase(known, form) for known in names for form in (pattern, f"*/{pattern}"))
