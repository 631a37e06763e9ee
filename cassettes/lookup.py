"""Which recorded exchange answers a request: queues per match key and session, served in recorded order.

Decides and counts; opens nothing and sends nothing. Both doors ask it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from itertools import takewhile
from math import inf
from typing import Final, NamedTuple

from .bounded import Bounded
from .entry import Entry
from .models import Failure
from .store import Cassette

Accepts = Callable[[int], bool]
"""Whether the exchange with a number may answer; one that may not stays in its queue."""

CACHED_BYTES: Final = 64 * 1024 * 1024
"""What the answers of the exchanges that are kept at hand may hold together."""
_ENTRY_BYTES: Final = 2048
"""What an entry weighs besides its answer and an uploaded file, roughly."""


class Repeat(StrEnum):
    """What equal requests get once all recorded answers were served."""

    LAST = "last"
    """The last answer again."""
    CYCLE = "cycle"
    """All of them again, from the first."""
    ONCE = "once"
    """Nothing: one request too many is a miss."""


class Taken(NamedTuple):
    """The number of the exchange that answers a request, and whether it answered one before, in this session."""

    number: int
    repeated: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests answered with an exchange for the first time, and again; exchanges that answered none."""

    served: int
    repeated: int
    unused: tuple[int, ...]


class _Queue:
    """The exchanges of one match key in one session; places are indices into `numbers`, in recorded order."""

    __slots__ = ("_fresh", "_last", "numbers")

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self._fresh = deque(range(len(numbers)))
        self._last = -1

    def take(self, repeat: Repeat, accepts: Accepts | None, stays: Accepts | None) -> Taken | None:
        """The exchange that answers next; `accepts` is asked about the best one first."""
        for at, place in enumerate(self._fresh):
            if accepts is None or accepts(self.numbers[place]):
                if stays is None or not stays(self.numbers[place]):
                    del self._fresh[at]
                    self._last = place
                return Taken(self.numbers[place], False)
        if repeat is Repeat.LAST and not self._fresh and (accepts is None or accepts(self.numbers[-1])):
            return Taken(self.numbers[-1], True)  # the common case, without looking further
        for place in self._again(repeat):
            if accepts is None or accepts(self.numbers[place]):
                self._last = place
                return Taken(self.numbers[place], True)
        return None

    def _again(self, repeat: Repeat) -> Iterator[int]:
        """The places that were served, in the order in which they may be served again."""
        if repeat is Repeat.ONCE:
            return
        count = len(self.numbers)
        start = count - 1 if repeat is Repeat.LAST else self._last + 1
        way = -1 if repeat is Repeat.LAST else 1
        for step in range(count):
            place = (start + way * step) % count
            if not self._fresh or place not in self._fresh:
                yield place


@dataclass(slots=True)
class _Session:
    queues: dict[bytes, _Queue] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    repeated: int = 0


class Lookup:
    """The queues of one cassette. Safe for use by several threads at once, with the cassette behind its `lock`."""

    def __init__(
        self,
        cassette: Cassette,
        repeat: Repeat = Repeat.LAST,
        *,
        collapse_retries: bool = False,
        last: int | None = None,
    ) -> None:
        """Start with every exchange in its queue.

        Args:
            cassette: what was recorded.
            repeat: what equal requests get once all recorded answers were served.
            collapse_retries: leave out a recorded 429, 5xx or failure to connect if an equal request that was recorded
                later got a success.
            last: the number of the last exchange that there is to answer with, for a cassette that is recorded into
                meanwhile; all of them by default.
        """
        self.lock: Final = threading.RLock()
        """A cassette can be used by one thread at a time: hold this to use it beside the look-up."""
        self.cassette = cassette
        """May be closed, and later replaced by the same file opened anew; the queues stay as they are."""
        self.repeat: Final = repeat
        self._collapses = collapse_retries
        self._collapsed: set[int] = set()
        self.exchanges: Final = len(cassette) if last is None else last
        """How many there were when the look-up began."""
        self._last: Final = inf if last is None else last
        self._sessions: dict[str, _Session] = {}
        self._ever: set[int] = set()
        self._entries: Bounded[int, Entry] = Bounded(CACHED_BYTES)

    def take(
        self,
        key: bytes,
        session: str = "",
        accepts: Accepts | None = None,
        stays: Accepts | None = None,
        numbers: list[int] | None = None,
    ) -> Taken | None:
        """The exchange that answers the next request with this match key, taken out of its queue.

        Args:
            key: the request's match key.
            session: any text; each session has queues of its own.
            accepts: leaves out recorded exchanges that may not answer this very request.
            stays: whether an exchange stays in its queue for an equal request, although it counts as used.
            numbers: the exchanges of this key, where the cassette does not know it.

        Returns:
            The exchange, or None: nothing was recorded for the key, nothing of it was accepted, or all of it was
            served and nothing is to be repeated.

        Raises:
            CassetteError: the cassette is damaged.
        """
        with self.lock:
            state = self._sessions.get(session)
            if state is None:
                state = self._sessions[session] = _Session()
            queue = state.queues.get(key)
            if queue is None:
                numbers = numbers or self.recorded(key)
                if not numbers:
                    return None
                queue = state.queues[key] = _Queue(self._kept(numbers))
            taken = queue.take(self.repeat, accepts, stays)
            if taken is not None:
                state.used.add(taken.number)
                state.repeated += taken.repeated
                self._ever.add(taken.number)
            return taken

    def _kept(self, numbers: list[int]) -> list[int]:
        """The exchanges of a key that are served."""
        if not self._collapses or len(numbers) < 2:
            return numbers
        entries = [self.entry(number) for number in numbers]
        good = [entry.number for entry in entries if 200 <= entry.status < 300]
        retried = {entry.number for entry in entries if good and entry.number < good[-1] and _passes(entry)}
        self._collapsed |= retried
        return [number for number in numbers if number not in retried]

    def recorded(self, key: bytes) -> list[int]:
        """The exchanges with this match key, in recorded order, served or not."""
        with self.lock:
            return [number for number in self.cassette.numbers_for(key) if number <= self._last]

    def near(self, request: Entry) -> list[int]:
        """A few exchanges worth comparing with a request that has no match, in recorded order."""
        with self.lock:
            return [number for number in self.cassette.near(request) if number <= self._last]

    def entries(self) -> Iterator[Entry]:
        """The exchanges that there are to answer with, in recorded order."""
        return takewhile(lambda entry: entry.number <= self._last, self.cassette.entries())

    def entry(self, number: int) -> Entry:
        """The exchange with this number; those used last are at hand.

        Raises:
            CassetteError: there is none, or it is damaged.
        """
        with self.lock:
            entry = self._entries.get(number)
            if entry is None:
                entry = self.cassette.entry(number)
                size = len(entry.raw_body or b"") + (len(entry.response.body) if entry.response else 0)
                self._entries.put(number, entry, size + _ENTRY_BYTES)
            return entry

    def used(self, number: int, session: str = "") -> bool:
        """Whether an exchange answered a request of this session."""
        with self.lock:
            state = self._sessions.get(session)
            return state is not None and number in state.used

    def reset(self, session: str = "") -> None:
        """Put every exchange of a session back into its queue, and its counts to nothing."""
        with self.lock:
            self._sessions.pop(session, None)

    def counts(self, session: str = "") -> Counts:
        """What a session was served."""
        with self.lock:
            state = self._sessions.get(session) or _Session()
            return Counts(len(state.used), state.repeated, self._without(state.used))

    def unused(self) -> tuple[int, ...]:
        """The exchanges that never answered a request, in no session."""
        with self.lock:
            return self._without(self._ever)

    def _without(self, used: set[int]) -> tuple[int, ...]:
        gone = used | self._collapsed if self._collapsed else used
        return tuple(number for number in range(1, self.exchanges + 1) if number not in gone)


def _passes(entry: Entry) -> bool:
    """Whether it is a failure that clients try again after."""
    if entry.response is None:
        return entry.failure is not Failure.CLIENT_GONE
    return entry.status == HTTPStatus.TOO_MANY_REQUESTS or entry.status >= HTTPStatus.INTERNAL_SERVER_ERROR
