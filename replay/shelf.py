"""Decks that come and go under one server: the first segment of the path says which one answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count

from ..cassettes.answers import error_answer
from ..cassettes.models import Request
from .answering import Reply, Verdict
from .app import Heard
from .deck import Asked, Deck


@dataclass(frozen=True, slots=True)
class _Place:
    deck: Deck
    heard: Heard


class Shelf:
    """Answers from the decks that stand on it. Safe for use by several threads at once."""

    def __init__(self) -> None:
        self.lost = 0
        """Requests for a deck that is not there, or no longer."""
        self._lock = threading.Lock()
        self._places: dict[str, _Place] = {}
        self._numbers = count(1)

    def put(self, deck: Deck, heard: Heard) -> str:
        """Let a deck be played.

        Args:
            deck: stays the caller's, who closes it after `take`.
            heard: told of each request to it and its reply, on the server's thread; it must not wait.

        Returns:
            The segment by which clients reach it.
        """
        with self._lock:
            name = f"t{next(self._numbers)}"
            self._places[name] = _Place(deck, heard)
        return name

    def take(self, name: str) -> None:
        """Let it be played no more."""
        with self._lock:
            self._places.pop(name, None)

    def answer(self, asked: Asked, request: Callable[[], Request]) -> Reply:
        """The answer of the deck that the path names."""
        name, _, rest = asked.path.removeprefix("/").partition("/")
        path = f"/{rest}"
        with self._lock:
            place = self._places.get(name)
            self.lost += place is None
        if place is None:
            words = "gemtape: nothing is played here: this base URL is that of a test that is over, or that has no cassette"
            return Reply(error_answer(412, words), Verdict.MISS, 0, words)
        inner = asked._replace(path=path)
        try:
            reply = place.deck.answer(inner, lambda: replace(request(), path=path))
        except Exception as error:
            # The server makes an answer of it; that of a test has to fail the test.
            words = f"a fault of gemtape itself: {error!r}"
            place.heard(inner, Reply(error_answer(412, words), Verdict.MISS, 0, words))
            raise
        place.heard(inner, reply)
        return reply

    def close(self) -> None:
        """Nothing: decks are closed by those who put them here."""
