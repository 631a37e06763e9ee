"""The recording that is drilled: its exchanges by position, and which conversation each of them belongs to."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from ...cassettes.store import Cassette
from ...checks.asker import Asker, asker_of
from ...checks.chat import as_generate
from ...checks.judge import Judge
from .targets import generating


class Recording:
    """The exchanges of a cassette that generate, numbered from 0 as positions. One run at a time may use it."""

    def __init__(self, cassette: Cassette) -> None:
        """Read them.

        Raises:
            CassetteError: the cassette is damaged.
        """
        self.cassette: Final = cassette
        self.played: Final = generating(cassette.entries())

    @cached_property
    def keys(self) -> list[bytes]:
        """The match key of each request."""
        return [self.cassette.key(entry) for entry in self.played]

    @cached_property
    def askers(self) -> list[Asker]:
        """Who asked each time."""
        return [asker_of(as_generate(entry)) for entry in self.played]

    @cached_property
    def before(self) -> list[int | None]:
        """For each position the one that its request goes on from; None where it begins a conversation."""
        judge, positions = Judge(rules=()), {entry.number: at for at, entry in enumerate(self.played)}
        found: list[int | None] = []
        for entry in self.played:
            judge.judge(entry)
            record = judge.ledger.records[entry.number].continues
            found.append(self._among_equals(positions[record.number], found) if record else None)
        return found

    def _among_equals(self, before: int, found: list[int | None]) -> int:
        """A position that something goes on from already may stand for one with an equal request and an equal answer."""
        if before not in found:
            return before
        equal = (
            at
            for at in reversed(range(len(found)))
            if self.keys[at] == self.keys[before]
            and self.played[at].answer.normal == self.played[before].answer.normal
        )
        return next((at for at in equal if at not in found), before)

    @cached_property
    def begins(self) -> list[int]:
        """For each position the one that its conversation begins with."""
        found: list[int] = []
        for at, before in enumerate(self.before):
            found.append(at if before is None else found[before])
        return found

    def at_once(self, first: int, second: int) -> bool:
        """Whether two positions are in two conversations, the later of which began before the other had ended."""
        begins = self.begins
        if begins[first] == begins[second]:
            return False
        one, other = (
            [entry for at, entry in enumerate(self.played) if begins[at] == begins[position]]
            for position in (first, second)
        )
        began = max(min(entry.started_at for entry in span) for span in (one, other))
        return began < min(max(entry.ended_at for entry in span) for span in (one, other))

    def twin(self, position: int) -> int | None:
        """A position with an equal request in another conversation of the same time; None where there is none."""
        equal = (at for at, key in enumerate(self.keys) if key == self.keys[position])
        return next((at for at in equal if self.at_once(at, position)), None)

    @cached_property
    def is_one(self) -> bool:
        """Whether it is a single conversation of a single agent: then positions alone say what answers."""
        return not any(self.begins) and all(asker.is_like(self.askers[0]) for asker in self.askers)
