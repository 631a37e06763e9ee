"""Which recorded exchange a request goes on from, told before it is sent: the linking of the checks, without the rules."""

from __future__ import annotations

from ..cassettes.entry import Entry
from .chat import as_generate, is_judged
from .judge import Judge
from .ledger import Ledger, Record


class Following:
    """Follows the conversations of one cassette. Not safe for use by several threads at once."""

    def __init__(self) -> None:
        self._told = Judge(rules=())
        self._told.ledger = _Expecting()

    def note(self, entry: Entry) -> None:
        """Take note of a recorded exchange; hand them over in recorded order."""
        self._told.judge(entry)

    def goes_on_from(self, request: Entry) -> Record | None:
        """The noted exchange that a request goes on from; None for what begins a conversation, or is none.

        It costs time in proportion to the request: what was found for a history before may not hold any more once
        another exchange gave the same answer.
        """
        return _Look(self._told.ledger).goes_on_from(request)


class _Expecting(Ledger):
    """A ledger of answers that every request has to bring back: that one did in an earlier run says nothing of this one."""

    def note_return(self, record: Record) -> None:
        """Take no note."""


class _Look(Judge):
    """One look at what was noted, with nothing kept of it."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(rules=())
        self.ledger = ledger

    def goes_on_from(self, request: Entry) -> Record | None:
        return self._examine(as_generate(request))[0].continues if is_judged(request) else None
