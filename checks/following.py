"""Which recorded exchange a request goes on from, told before it is sent: the linking of the checks, without the rules."""

from __future__ import annotations

from typing import Any, Final

from ..cassettes.entry import Entry
from .asker import asker_of
from .chat import as_generate, is_judged
from .judge import Judge
from .ledger import Ledger, Record

_MOST: Final = 64
"""Agents whose histories are at hand; more of them only where an instruction holds the time."""


class Following:
    """Follows the conversations of one cassette. Not safe for use by several threads at once."""

    def __init__(self) -> None:
        self._told = Judge(rules=())
        self._told.ledger = _Expecting()
        self._looks: dict[Any, _Look] = {}

    def note(self, entry: Entry) -> None:
        """Take note of a recorded exchange; hand them over in recorded order."""
        self._told.judge(entry)
        self._looks.clear()

    def conversation_of(self, number: int) -> set[int]:
        """The noted exchanges that are of one conversation with this one; none where this one was not noted."""
        records = self._told.ledger.records
        if number not in records:
            return set()
        talk = records[number].conversation
        return {other for other, found in records.items() if found.conversation == talk}

    def goes_on_from(self, request: Entry) -> Record | None:
        """The noted exchange that a request goes on from; None for what begins a conversation, or is none.

        What was found for a history holds for the same agent until another exchange is noted: that one may have given the
        same answer. So a request costs what is new in it, and the first one after that costs all that is in it.
        """
        if not is_judged(request):
            return None
        form = as_generate(request)
        key = asker_of(form).key
        if key not in self._looks:
            if len(self._looks) >= _MOST:
                self._looks.clear()
            self._looks[key] = _Look(self._told.ledger)
        return self._looks[key].goes_on_from(form)


class _Expecting(Ledger):
    """A ledger of answers that every request has to bring back: that one did in an earlier run says nothing of this one."""

    def note_return(self, record: Record) -> None:
        """Take no note."""


class _Look(Judge):
    """What the requests of one agent go on from, with nothing kept of them but their histories."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(rules=())
        self.ledger = ledger

    def goes_on_from(self, request: Entry) -> Record | None:
        """The exchange that a request goes on from, given in the form of generateContent."""
        return self._examine(request)[0].continues
