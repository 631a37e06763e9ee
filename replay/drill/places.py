"""Where in the recording the requests of one run stand, each conversation at a place of its own.

A request that was recorded stands where it was. Any other one, as all are behind the changed answer, stands behind the
exchange of this run that it goes on from; and where it goes on from none, at the beginning of a conversation that was not
begun yet, of the same agent if there is one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...cassettes.answers import Answer
from ...cassettes.entry import Entry
from ...checks.asker import asker_of
from ...checks.following import Following
from ...checks.hearing import as_recorded
from .recording import Recording


class Place(NamedTuple):
    """Where a request stands.

    `position` is that of the recorded exchange that answers it, None where the conversation was not recorded further.
    `after` is the number in this run, from 1, of the exchange that it goes on from; 0 where it goes on from none. `keyed`
    says whether it is the recorded request, `rivals` whether it might as well stand in another conversation of the same time.
    """

    position: int | None
    after: int = 0
    keyed: bool = False
    rivals: bool = False


class Places:
    """The places of one run. Not safe for use by several threads at once."""

    def __init__(self, recording: Recording) -> None:
        """Begin a run: nothing of the recording was played."""
        self._recording = recording
        self._free = dict.fromkeys(range(len(recording.played)))
        self._played: list[int] = []
        """The position of each exchange of this run; that of the drilled call for one that was made up behind it."""
        self._following = Following()

    def find(self, asked: Entry, key: bytes) -> Place:
        """Where a request stands, given in the form of generateContent and by its match key."""
        if self._recording.is_one:
            return Place(next(iter(self._free), None), len(self._played))
        keyed = [at for at in self._free if self._recording.keys[at] == key]
        if len(keyed) == 1:
            return self._recorded(keyed[0], 0)
        record = self._following.goes_on_from(asked)
        after = record.number if record else 0
        if keyed:
            return self._recorded(min(keyed, key=lambda at: self._distance(at, asked, after)), after)
        begins = self._recording.begins
        root = begins[self._played[after - 1]] if after else None
        free = [at for at in self._free if root in (None, begins[at])]
        if not free:
            return Place(None, after)
        nearest, *others = sorted(self._distance(at, asked, after) for at in free)
        alike = [other[-1] for other in others if not after and other[:-1] == nearest[:-1]]
        return Place(nearest[-1], after, rivals=any(self._are_rivals(nearest[-1], at) for at in alike))

    def goes_on(self, asked: Entry, place: Place, number: int) -> bool:
        """Whether a request is the next one of the conversation of an exchange of this run.

        Another agent may be asked for a summary of what was said so far: that is none, where there is such a next one.
        """
        if place.after != number or self._recording.is_one:
            return place.after == number
        at, askers = self._played[number - 1], self._recording.askers
        following = [behind for behind, before in enumerate(self._recording.before) if before == at]
        return self.is_alike(asked, at) or not any(askers[behind].is_like(askers[at]) for behind in following)

    def is_alike(self, asked: Entry, position: int) -> bool:
        """Whether a request may well be of the agent that asked at a position."""
        return asker_of(asked).is_like(self._recording.askers[position])

    def is_free(self, key: bytes) -> bool:
        """Whether a recorded request with this match key was not played yet."""
        return any(self._recording.keys[at] == key for at in self._free)

    def note(self, asked: Entry, answer: Answer, position: int) -> int:
        """Note that a request got an answer: that at a position, or one that was made up behind it.

        Returns:
            The number of the exchange in this run.
        """
        self._free.pop(position, None)
        self._played.append(position)
        number = len(self._played)
        if not self._recording.is_one:
            response, failure = as_recorded(answer)
            self._following.note(replace(asked, response=response, failure=failure, number=number))
        return number

    def played(self, number: int) -> int:
        """The position of an exchange of this run."""
        return self._played[number - 1]

    def _recorded(self, position: int, after: int) -> Place:
        """The place of a recorded request; of equal ones, what was recorded knows better which one it goes on from."""
        before = self._recording.before[position]
        if before is not None and (not after or self._played[after - 1] != before):
            after = self._newest(before)
        return Place(position, after, keyed=True)

    def _are_rivals(self, first: int, second: int) -> bool:
        """Whether it matters which of two beginnings answers."""
        keys = self._recording.keys
        return keys[first] != keys[second] and self._recording.at_once(first, second)

    def _newest(self, position: int) -> int:
        """The last exchange of this run that played a position; 0 where none did."""
        return max((at for at, played in enumerate(self._played, 1) if played == position), default=0)

    def _distance(self, at: int, asked: Entry, after: int) -> tuple[bool, bool, bool, int]:
        """How far a position is from the place of a request; less is nearer."""
        recording = self._recording
        before = self._played[after - 1] if after else None
        return (
            recording.before[at] != before,
            before is not None and recording.begins[at] != recording.begins[before],
            not self.is_alike(asked, at),
            at,
        )
