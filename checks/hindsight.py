"""How severe a finding is once it is known what the API made of the request, or that the API may read it otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from .finding import Finding, Severity

_LESS: Final = {
    Severity.ERROR: Severity.WARNING,
    Severity.WARNING: Severity.INFO,
    Severity.INFO: Severity.INFO,
}


def less_certain(finding: Finding) -> Finding:
    """A finding that holds only if the API reads the history in one of two ways: a step less severe."""
    return replace(finding, severity=_LESS[finding.severity], rejection="", suspect=True)


def in_hindsight(findings: Sequence[Finding], status: int) -> list[Finding]:
    """The findings of a request that was answered with this HTTP status (0: not yet)."""
    known = findings
    if status == 400:
        known = _refused(findings)
    elif status == 200:
        known = _accepted(findings)
    return [finding for finding in known if not (finding.kept_back and finding.severity is Severity.INFO)]


def _accepted(findings: Sequence[Finding]) -> list[Finding]:
    """The API answered 200: what was only presumed to be refused is not."""
    return [
        replace(finding, severity=Severity.INFO, rejection="") if finding.presumed else finding
        for finding in findings
    ]


def _refused(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The API answered 400: where nothing that it is known to refuse was found, what is suspect must be it."""
    if any(finding.rejection for finding in findings):
        return findings
    return [replace(finding, severity=Severity.ERROR) if finding.suspect else finding for finding in findings]
