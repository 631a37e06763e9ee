"""Judging requests that are answered from a cassette, each together with the answer it got, as a recorder would.

What such a request lost or changed of what an answer gave its client counts, whatever the cassette was recorded with.
"""

from __future__ import annotations

from ..cassettes.answers import Answer
from ..cassettes.models import Exchange, Failure, Request, Response, Violation
from ..cassettes.preparing import entry_of
from ..cassettes.redaction import Redactor
from ..cassettes.turns import TurnTree
from .judge import Judge
from .selection import Selection
from .settings import Settings


class Hearing:
    """The requests of one session, in the order in which they are asked. Not safe for use by several threads at once."""

    def __init__(
        self, redactor: Redactor, selection: Selection | None = None, settings: Settings | None = None
    ) -> None:
        """Judge with the rules that a selection leaves, all of them by default.

        Args:
            redactor: the one that the cassette was recorded with.
            selection: the rules that count, and their severities.
            settings: what some rules have to be told.
        """
        self._redactor = redactor
        self._selection = selection or Selection()
        self._judge = Judge(settings=settings)
        self._turns = TurnTree()
        self._asked = 0

    def violations(self, request: Request, answer: Answer, cassette: str = "") -> tuple[list[Violation], int]:
        """What is wrong with a request.

        Of its answer nothing is said: that is the recording's doing, and not the client's.

        Args:
            request: what was asked; its path is the API's.
            answer: what it got.
            cassette: the path of the cassette, by which a selection may make a difference.

        Returns:
            The violations, and how many the selection left out.
        """
        self._asked += 1
        exchange = Exchange(request, *as_recorded(answer))
        entry = entry_of(exchange, self._redactor, self._turns).numbered(self._asked)
        found = [item for item in self._judge.judge(entry) if item.at == "request"]
        return self._selection.apply(found, cassette)


def as_recorded(answer: Answer) -> tuple[Response | None, Failure | None]:
    """An answer as a recorder would have seen it."""
    if not answer.status:
        return None, Failure.RESET
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers)
    response = Response(answer.status, headers, answer.chunks, answer.cut)
    return response, Failure.RESET if answer.cut else None
