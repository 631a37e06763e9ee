"""Histories as clients sent them, secrets and all: how much of one is known, so that only the rest has to be searched.

Of what was sent only digests are kept, each of a history from its beginning; they lead to the turns that it became when
its secrets were taken out. So a known content costs its digest, wherever its secrets are.
"""

from __future__ import annotations

import hashlib
from typing import Any

from . import canonical
from .layout import Place, history_of
from .schema import CONTENT, Message
from .turns import Turn, TurnTree


class SentHistory:
    """The history in a body as it was sent."""

    def __init__(self, contents: list[Any], place: Place, message: Message, tag: str) -> None:
        """Take its digests.

        Args:
            contents: the history.
            place: where it stands in the body.
            message: what its contents are.
            tag: what tells the redactor from others, to which other things are secret.
        """
        self.contents = contents
        self.place = place
        self._message = message
        self._digests: list[bytes] = []
        digest = f"{tag} {message.name}".encode()
        for content in contents:
            hashed = hashlib.sha256(digest)
            hashed.update(canonical.stored_form(content))
            digest = hashed.digest()
            self._digests.append(digest)

    @classmethod
    def of(cls, body: Any, tag: str) -> SentHistory | None:
        """The history in a parsed body; None where it holds none."""
        found = history_of(body)
        return found and cls(*found, tag)

    def known(self, tree: TurnTree) -> Turn:
        """The turn after which everything has to be searched; the root where all of it has.

        Neighbours of one role are searched together, since a secret may begin in one and end in the next.
        """
        count = len(self.contents)
        while count:
            turn = tree.sent.get(self._digests[count - 1])
            if turn is not None and turn.is_shared:
                return _back(turn, self._begin_of_run(count))
            count -= 1
        return tree.root(self._message)

    def remember(self, head: Turn, tree: TurnTree) -> None:
        """Know from now on what it became: `head` is its last turn, and nothing in it is secret.

        Not where a run of one role is still going on: what a content becomes depends on its neighbours.
        """
        for turn in head.back():
            if tree.sent.get(self._digests[turn.depth - 1]) is turn:
                break
            if turn is head or self._ends_run(turn.depth):
                tree.sent[self._digests[turn.depth - 1]] = turn

    def _begin_of_run(self, count: int) -> int:
        """How many of the first `count` contents stand before the run that the next content goes on with."""
        while 0 < count < len(self.contents) and not self._ends_run(count):
            count -= 1
        return count

    def _ends_run(self, count: int) -> bool:
        before, after = self.contents[count - 1], self.contents[count]
        if self._message is not CONTENT:
            return True
        return (
            isinstance(before, dict) and isinstance(after, dict) and before.get("role") != after.get("role")
        )


def _back(turn: Turn, depth: int) -> Turn:
    while turn.parent is not None and turn.depth > depth:
        turn = turn.parent
    return turn
