"""Who asks: what tells the requests of one agent from those of another that happens to send the same contents.

A title generator, a router or a moderation model is asked with the user's prompt too; nobody expects its answers in the
history of the chat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ..cassettes.entry import Entry
from ..cassettes.turns import Piece, Turn
from .chat import ChatEntry

_NAMES: Final = "declared"
_ALIKE: Final = 0.5
"""The share of words, or of functions, that two requests of one agent have in common at least."""
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, eq=False)
class Asker:
    """The model asked, and the tools and the instruction that went with the history.

    `wish` is what was asked for, streamed or not, with the digest of all other settings.
    """

    model: str
    tools: Turn
    instruction: Piece | None
    wish: tuple[str, bytes]

    @property
    def key(self) -> Hashable:
        """Equal for requests that differ in nothing but their histories."""
        return self.model, self.tools, self.instruction and self.instruction.digest, self.wish

    def is_like(self, other: Asker) -> bool:
        """Whether two requests may well be one agent's: the same tools and much the same instruction.

        An instruction may hold the time, and tools may come and go. Another model counts as the same agent only where
        tools or instruction say so.
        """
        same_instruction = _same(self.instruction, other.instruction)
        if not (_tools_alike(self.tools, other.tools) and (same_instruction or self._told_alike(other))):
            return False
        if self.model == other.model:
            return True
        told = same_instruction and self.instruction is not None
        return told or (self.tools is other.tools and self.tools.depth > 0)

    def likeness(self, other: Asker) -> int:
        """How much is equal, where `is_like` takes two for one agent: between twins it decides.

        A suite that tries one question at two temperatures has such twins, and so has a cassette from before a tool was
        described anew.
        """
        return (
            (self.model == other.model)
            + (self.tools is other.tools)
            + _same(self.instruction, other.instruction)
            + (self.wish == other.wish)
        )

    def _told_alike(self, other: Asker) -> bool:
        if self.instruction is None or other.instruction is None:
            return False
        mine, theirs = _words(self.instruction), _words(other.instruction)
        return _share((mine & theirs).total(), max(mine.total(), theirs.total()))


def asker_of(entry: Entry) -> Asker:
    """Who sent a request."""
    layout = entry.layout
    settings = (entry.sent if isinstance(entry, ChatEntry) else entry).layout.envelope
    wish = entry.route.action, settings.digest if settings else b""
    return Asker(entry.model, layout.tools, layout.instruction, wish)


def _same(first: Piece | None, second: Piece | None) -> bool:
    if first is None or second is None:
        return first is second
    return first.digest == second.digest


def _tools_alike(first: Turn, second: Turn) -> bool:
    if first is second:
        return True
    mine, theirs = _declared(first), _declared(second)
    return mine == theirs or _share(len(mine & theirs), len(mine | theirs))


def _share(common: int, whole: int) -> bool:
    return common >= _ALIKE * whole


def _declared(tools: Turn) -> frozenset[str]:
    """The functions declared by the tools up to this one, and the built-in tools among them."""
    known = tools.notes.get(_NAMES)
    if known is None:
        known = tools.notes[_NAMES] = frozenset(
            name for tool in tools.back() if isinstance(tool.normal, dict) for name in _names(tool.normal)
        )
    return known


def _names(tool: dict[str, Any]) -> list[str]:
    declared = tool.get("functionDeclarations")
    functions = declared if isinstance(declared, list) else []
    return [
        *(str(function.get("name")) for function in functions if isinstance(function, dict)),
        *(key for key in tool if key != "functionDeclarations"),
    ]


@lru_cache(maxsize=256)
def _words(instruction: Piece) -> Counter[str]:
    """The words of an instruction, whatever its shape."""
    return Counter(_WORD.findall(" ".join(_texts(instruction.value))))


def _texts(value: Any) -> list[str]:
    parts = value.get("parts") if isinstance(value, dict) else None
    found = parts if isinstance(parts, list) else [parts]
    texts = [part.get("text") for part in found if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str)]
