"""The strings of a JSON text with their bytes, their decoded text and their place; nothing here needs the text to be valid.

This is the slow way to read JSON, for the few bodies in which something has to be replaced without touching the rest:
about 15 ms for 100 KB, linear in size and flat in depth.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from .events import Span
from .positions import ROOT, Position, Rule, enter, rule_of, within
from .shapes import HIDING, Shapes, merged

Path = tuple[str | int, ...]
"""Keys and indices from the top down to a value."""

_TOKEN: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"?|[{}\[\],]', re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])"
)
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_QUOTE, _COMMA, _OBJECT, _LIST = b'",{['
# Paths are wanted of texts that the API defines, none of which lies deeper; a path at every level of a deep body would
# cost its square.
_DEEPEST_PATH: Final = 24
# JSON inside JSON strings inside JSON: what tools return may be escaped this many times.
_DEEPEST_ESCAPE: Final = 4


@dataclass
class Text:
    """A decoded text that knows where each character came from.

    `outer` is the text whose escapes were decoded, None for the bytes themselves.
    """

    text: str
    outer: Text | None = None
    pieces: list[Span] = field(default_factory=list)
    """Where a stretch begins that was copied as it is: here, and in `outer`."""
    _counted: Span = (0, 0)

    def origin(self, index: int) -> int:
        """The offset in the encoded bytes at which the character at `index` begins; the length gives the end.

        Asked in rising order, all answers together cost one pass over the text.
        """
        if self.outer is None:
            if self.text.isascii():
                return index
            here, there = self._counted if index >= self._counted[0] else (0, 0)
            self._counted = index, there + len(self.text[here:index].encode("utf-8", "surrogateescape"))
            return self._counted[1]
        here, there = self.pieces[bisect_right(self.pieces, (index, len(self.outer.text))) - 1]
        return self.outer.origin(there + index - here)

    def unescaped(self) -> Text:
        """This text with its JSON escapes decoded."""
        parts: list[str] = []
        pieces: list[Span] = [(0, 0)]
        here = there = 0
        for match in _ESCAPE.finditer(self.text):
            plain = self.text[there : match.start()]
            decoded = _decoded(match.group())
            here += len(plain)
            pieces.append((here, match.start()))
            here += len(decoded)
            there = match.end()
            pieces.append((here, there))
            parts += (plain, decoded)
        parts.append(self.text[there:])
        return Text("".join(parts), self, pieces)


@dataclass(frozen=True)
class JsonString:
    """A string of a JSON text.

    `start` and `end` enclose its bytes without the quotes; `path` is empty for keys and far down.
    """

    body: bytes = field(repr=False)
    start: int
    end: int
    rule: Rule
    path: Path = ()

    @cached_property
    def decoded(self) -> Text:
        """What the string says."""
        outer = Text(self.body[self.start : self.end].decode("utf-8", "surrogateescape"))
        return outer.unescaped() if "\\" in outer.text else outer

    def span(self, start: int, end: int) -> Span:
        """The bytes of the body that stand for a range of the decoded text."""
        return self.start + self.decoded.origin(start), self.start + self.decoded.origin(end)

    def secrets(self, shapes: Shapes) -> list[Span]:
        """Where secrets are, in bytes of the body: in what the string says, and in JSON that it quotes."""
        if self.rule is Rule.PROTECTED:
            return []
        if self.rule is Rule.SECRET:
            return [(self.start, self.end)] if self.end > self.start else []
        found: list[Span] = []
        text = self.decoded
        for _ in range(_DEEPEST_ESCAPE):
            found += ((text.origin(start), text.origin(end)) for start, end in shapes.spans(text.text))
            if not HIDING.search(text.text):
                break
            text = text.unescaped()
        return [(self.start + start, self.start + end) for start, end in merged(found)]


@dataclass(slots=True)
class _Frame:
    """An object or a list that is open; `position` is that of its own members."""

    is_object: bool
    position: Position
    key: str = ""
    index: int = 0
    expects_key: bool = False


def json_strings(body: bytes, spans: Iterable[Span], root: Position = ROOT) -> Iterator[JsonString]:
    """The strings of one JSON text that lies in `spans` of the body; a string that was cut ends with its span."""
    frames: list[_Frame] = []
    for start, end in spans:
        for match in _TOKEN.finditer(body, start, end):
            token = body[match.start()]
            top = frames[-1] if frames else None
            if token == _QUOTE:
                if top is not None and top.expects_key:
                    string = JsonString(body, *match.span(1), Rule.SCANNED)
                    top.key, top.expects_key = string.decoded.text, False
                else:
                    rule = rule_of(_position(top, root))
                    string = JsonString(body, *match.span(1), rule, _path(frames))
                yield string
            elif token in (_OBJECT, _LIST):
                is_object = token == _OBJECT
                frames.append(_Frame(is_object, within(_position(top, root)), expects_key=is_object))
            elif token == _COMMA:
                if top is not None:
                    top.expects_key = top.is_object
                    top.index += 1
            elif frames:
                frames.pop()


def _position(top: _Frame | None, root: Position) -> Position:
    if top is None:
        return root
    return enter(top.position, top.key) if top.is_object else top.position


def _path(frames: list[_Frame]) -> Path:
    if len(frames) > _DEEPEST_PATH:
        return ()
    return tuple(frame.key if frame.is_object else frame.index for frame in frames)


def _decoded(escape: str) -> str:
    if escape[1] != "u":
        return _SHORT.get(escape[1], escape[1])
    if len(escape) > 6:
        return chr(0x10000 + ((int(escape[2:6], 16) - 0xD800) << 10) + int(escape[8:], 16) - 0xDC00)
    return chr(int(escape[2:6], 16))
