"""What the API is known to refuse, asked of single requests: a replay that is kinder than the API proves nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..cassettes.entry import Entry
from ..cassettes.models import Headers
from .apierrors import error_body
from .chat import as_generate
from .finding import Finding, Severity
from .judge import Judge
from .selection import Selection
from .settings import Settings
from .spelling import pointer_as_sent, words_as_sent

_RENEWED_AFTER: Final = 256
"""Requests after which the judge starts anew: it remembers every history that it met, for as long as it lives."""
_SHOWN: Final = 3
"""Findings that are put into words."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """The answer that the API would give instead of a model's: status, headers, body; and why, for people."""

    status: int
    headers: Headers
    body: bytes
    rule: str
    pointer: str
    message: str

    @property
    def fault(self) -> tuple[str, str]:
        """What two requests have to share to have the same fault: the rule and the place."""
        return self.rule, self.pointer


class Strict:
    """Judges requests by themselves, without what was issued before them: that is what the API goes by.

    Not safe for use by several threads at once.
    """

    def __init__(
        self, cassette: str = "", selection: Selection | None = None, settings: Settings | None = None
    ) -> None:
        """Judge for one cassette.

        Args:
            cassette: its path, which the selection may make a difference by.
            selection: the rules that count, and their severities; all of them by default.
            settings: what some rules have to be told.
        """
        self._cassette = cassette
        self._selection = selection or Selection()
        self._settings = settings
        self._judge = Judge(settings=settings)
        self._asked = 0

    def rejection(self, request: Entry) -> Rejection | None:
        """How the API would refuse a request; None where it is not known to."""
        asked = as_generate(request)
        for finding in self._findings(asked):
            if finding.rejection:
                body = error_body(request.route, request.query, finding.rejection)
                headers = (("content-type", "application/json; charset=UTF-8"),)
                place, told = pointer_as_sent(asked, finding.place), words_as_sent(asked, finding)
                return Rejection(400, headers, body, finding.rule, place, told)
        return None

    def words(self, request: Entry) -> str:
        """The violations of a request in one line, the worst first; empty where there are none to speak of."""
        asked = as_generate(request)
        found = [item for item in self._findings(asked) if self._severity(item) is not Severity.INFO]
        found.sort(key=lambda item: self._severity(item) is not Severity.ERROR)
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        words = [
            f"{item.rule} at {pointer_as_sent(asked, item.place)}: {words_as_sent(asked, item)}"
            for item in found[:_SHOWN]
        ]
        return "; ".join(words) + more

    def _findings(self, request: Entry) -> list[Finding]:
        self._asked += 1
        if self._asked % _RENEWED_AFTER == 0:
            self._judge = Judge(settings=self._settings)
        found = self._judge.findings(request)
        return [item for item in found if self._selection.tells(item.rule, self._cassette)]

    def _severity(self, finding: Finding) -> Severity:
        return self._selection.severity.get(finding.rule, finding.severity)
