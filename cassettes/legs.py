"""The legs of uploads among equal requests: each gets the answer of its own upload where that was recorded for it.

Bytes decide first, since two uploads that are begun alike may come in another order than they were recorded in. Among
equal legs the one of the same upload is preferred; and a leg that was answered by another upload takes the legs after it
along, so that an upload ends in one answer.
"""

from __future__ import annotations

from typing import Final

from .bounded import Bounded
from .entry import Entry
from .lookup import Accepts, Lookup, Taken
from .uploads import stand_in, upload_id

_MOST: Final = 10_000
"""Uploads that are followed at a time in one session."""


class Legs:
    """A look-up that knows of uploads. Not safe for use by several threads at once."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._answered_by: dict[str, Bounded[str, str]] = {}

    def take(
        self, request: Entry, key: bytes, session: str, accepts: Accepts | None, stays: Accepts | None
    ) -> Taken | None:
        """The exchange that answers a request, taken out of its queue.

        The arguments are those of `Lookup.take`, with the request itself in front.

        Raises:
            CassetteError: the cassette is damaged.
        """
        asked = upload_id(request.query)
        if not asked:
            return self._lookup.take(key, session, accepts, stays)
        followed = self._answered_by.setdefault(session, Bounded(_MOST))
        wanted = followed.get(asked) or asked

        def own(number: int) -> bool:
            return self._upload_of(number) == wanted and (accepts is None or accepts(number))

        taken = self._lookup.take(key, session, own, stays) or self._lookup.take(key, session, accepts, stays)
        if taken is not None:
            followed.put(asked, self._upload_of(taken.number), 1)
        return taken

    def reset(self, session: str) -> None:
        """Forget which uploads answered which in a session."""
        self._answered_by.pop(session, None)

    def _upload_of(self, number: int) -> str:
        return stand_in(upload_id(self._lookup.entry(number).query))
