"""What a request brings that no earlier one of the cassette held.

A history comes again with every request, and a client that trims its history sends the same step at other places: what
is said once of a content is not said of it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from ..cassettes.turns import Turn
from .finding import Finding, Place, Scope

_Told = tuple[str, bytes, bytes, Place]


class News:
    """The contents and the findings that earlier requests had."""

    def __init__(self) -> None:
        self._seen: set[Turn] = set()
        self._told: set[_Told] = set()

    def among(self, history: Turn, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Those of the findings that stand in new contents; nothing is noted."""
        unseen = self._unseen(history)
        for finding in findings:
            back = _steps_back(finding, history)
            if back < len(unseen) and _told(finding, unseen[back]) not in self._told:
                yield finding

    def note(self, history: Turn, findings: Iterable[Finding]) -> None:
        """Take note of a request and of what was said of it."""
        unseen = self._unseen(history)
        for finding in findings:
            back = _steps_back(finding, history)
            if finding.scope in (Scope.ONCE, Scope.RETURN) and back < len(unseen):
                self._told.add(_told(finding, unseen[back]))
        self._seen.update(unseen)

    def _unseen(self, history: Turn) -> list[Turn]:
        """The contents that no earlier request held, newest first."""
        return list(takewhile(lambda turn: turn not in self._seen, history.back()))


def _steps_back(finding: Finding, history: Turn) -> int:
    """How many contents stand behind the one that a finding points at; one that is missing at the end counts as last."""
    index = finding.place[1] if len(finding.place) > 1 else 0
    return max(history.depth - 1 - index, 0) if isinstance(index, int) else history.depth


def _told(finding: Finding, turn: Turn) -> _Told:
    """What a finding is known by wherever its content comes: the content itself, and the one before it."""
    before = turn.parent.piece if turn.parent else None
    own = turn.piece.digest if turn.piece else b""
    return finding.rule, own, before.digest if before else b"", finding.place[2:]
