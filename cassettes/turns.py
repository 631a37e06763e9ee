"""Histories as chains: a turn is a content and the turn before it, so what two requests share is one object.

An agent sends its whole history again at every step. Interned here, a step adds only its new contents, and whatever
is known of a history (its match digest, what the checks found in it) is kept on its turns and never worked out twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Final
from weakref import WeakValueDictionary

from . import canonical
from .normal import normalise, normalise_content
from .schema import CONTENT, Message


class Piece:
    """A JSON value with its address."""

    __slots__ = ("digest", "value")

    def __init__(self, value: Any, form: bytes | None = None, *, digest: bytes = b"") -> None:
        """Address a value by its stored form, or by a digest that stands for it as well."""
        self.value = value
        self.digest = digest or canonical.json_digest(canonical.stored_form(value) if form is None else form)

    @property
    def form(self) -> bytes:
        """The stored form; made anew each time, since only what is new needs it and histories live long."""
        return canonical.stored_form(self.value)

    @property
    def may_have_lost_digits(self) -> bool:
        """Whether it holds a float that may have been sent as an integer beyond 64 bits."""
        return canonical.may_have_lost_digits(self.form, self.value)


class Turn:
    """One content at its place in a history.

    `depth` counts from 1; the root (depth 0) is the empty history. `notes` is where upper floors keep what they worked
    out for the history that ends here, `twin` the same history in another form, where one was asked for.
    """

    def __init__(self, parent: Turn | None, piece: Piece | None, message: Message) -> None:
        self.parent: Final = parent
        self.piece: Final = piece
        self.message: Final = message
        self.depth: Final[int] = parent.depth + 1 if parent else 0
        self.children: dict[bytes, Turn] = {}
        self.notes: dict[str, Any] = {}
        self.twin: Turn | None = None

    @cached_property
    def normal(self) -> Any:
        """The content in normal form."""
        value = self.piece.value if self.piece else None
        return normalise_content(value) if self.message is CONTENT else normalise(value, self.message)

    @property
    def role(self) -> str:
        """The role in lower case; empty where the content is no object or its role no text."""
        role = self.normal.get("role") if isinstance(self.normal, dict) else None
        return role if isinstance(role, str) else ""

    @property
    def parts(self) -> list[Any]:
        """The parts in normal form; empty where there are none."""
        parts = self.normal.get("parts") if isinstance(self.normal, dict) else None
        return parts if isinstance(parts, list) else []

    def back(self) -> Iterator[Turn]:
        """This turn and those before it, newest first, without the root."""
        turn: Turn | None = self
        while turn is not None and turn.parent is not None:
            yield turn
            turn = turn.parent

    def line(self) -> list[Turn]:
        """The history in order."""
        return list(self.back())[::-1]

    def values(self) -> list[Any]:
        """The contents as sent, in order."""
        return [turn.piece.value for turn in self.line() if turn.piece]

    def child(self, piece: Piece) -> Turn:
        """The turn that continues this history with one more content."""
        turn = self.children.get(piece.digest)
        if turn is None:
            turn = self.children[piece.digest] = Turn(self, piece, self.message)
        return turn

    @property
    def is_shared(self) -> bool:
        """Whether the next request with this history gets this very turn."""
        if self.parent is None or self.piece is None:
            return True
        return self.parent.children.get(self.piece.digest) is self

    def detach(self) -> None:
        """Let go of this history and of those before it, as far as nothing else continues them.

        What holds on to such a turn may go on using it; only it is no longer shared.
        """
        turn = self
        while turn.parent is not None and turn.piece is not None and not turn.children:
            turn.parent.children.pop(turn.piece.digest, None)
            if turn.twin is not None:
                turn.twin.detach()
            turn = turn.parent


class TurnTree:
    """All histories of one cassette."""

    def __init__(self) -> None:
        self._roots: dict[str, Turn] = {}
        self.sent: WeakValueDictionary[bytes, Turn] = WeakValueDictionary()
        """What histories became, by the digest of what was sent."""

    def root(self, message: Message) -> Turn:
        """The empty history of contents of one kind."""
        return self._roots.setdefault(message.name, Turn(None, None, message))

    def intern(self, values: Iterable[Any], message: Message, after: Turn | None = None) -> Turn:
        """The turn that ends this history, or, after a known one, what it goes on with."""
        turn = after or self.root(message)
        for value in values:
            form = canonical.stored_form(value)
            # Nearly all of a history is known: that costs a look-up, and no object.
            turn = turn.children.get(canonical.json_digest(form)) or turn.child(Piece(value, form))
        return turn
