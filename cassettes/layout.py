"""A request body taken apart into what repeats: history, instruction, tools, and the envelope around them.

`lay_out` finds them where the API puts them (top level, under ``request`` for Code Assist, ``messages`` for chat
completions); `assemble` puts the very same JSON value together again. A list that is empty, or no list, stays in the
envelope as sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from . import canonical
from .canonical import NOT_JSON
from .schema import CONTENT, OPENAI_MESSAGE, TOOL, Message
from .turns import Piece, Turn, TurnTree

_EXACT: Final = "exact"

Place = tuple[str, ...]
"""Keys from the top of the body down to a value."""


@dataclass(frozen=True)
class Layout:
    """A body taken apart.

    `history` ends with the last content, also where a single object stands for the list; a place is None where nothing
    was taken out of the envelope. `envelope` is None for a body that is kept as bytes.
    """

    envelope: Piece | None
    history: Turn
    contents_at: Place | None
    tools: Turn
    tools_at: Place | None
    instruction: Piece | None
    instruction_at: Place | None

    @property
    def wrapped(self) -> bool:
        """Whether the generateContent request sits under ``request``, as on Code Assist."""
        outside = self.contents_at is not None and self.contents_at[0] != "request"
        return not outside and self.envelope is not None and _is_wrapped(self.envelope.value)

    @property
    def settings(self) -> dict[str, Any]:
        """What is left of the generateContent request besides history, instruction and tools, as sent."""
        value = self.envelope.value if self.envelope else None
        if not isinstance(value, dict):
            return {}
        return value["request"] if self.wrapped else value


def _is_wrapped(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("request"), dict) and "contents" not in body


def _is_chat(target: dict[str, Any]) -> bool:
    return "contents" not in target and "messages" in target


def history_of(body: Any) -> tuple[list[Any], Place, Message] | None:
    """The history in a parsed body, where it is a list, its place, and what its contents are; None where there is none."""
    outer: Place = ("request",) if _is_wrapped(body) else ()
    target = body["request"] if outer else body
    if not isinstance(target, dict):
        return None
    key, message = ("messages", OPENAI_MESSAGE) if _is_chat(target) else ("contents", CONTENT)
    contents = target.get(key)
    return (contents, (*outer, key), message) if isinstance(contents, list) and contents else None


def with_value(body: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """A body with another value at one place; the body itself stays as it is."""
    if len(place) == 1:
        return {**body, place[0]: value}
    return {**body, place[0]: with_value(body[place[0]], place[1:], value)}


def lay_out(body: Any, tree: TurnTree, after: Turn | None = None) -> Layout:
    """Take a parsed body apart.

    Args:
        body: the body, or `NOT_JSON`.
        tree: where its turns are.
        after: the turn that the history in the body goes on from, where that is not all of it; the list may be empty then.
    """
    if body is NOT_JSON:
        return Layout(None, tree.root(CONTENT), None, tree.root(TOOL), None, None, None)
    outer: Place = ()
    target: Any = body
    if _is_wrapped(body):
        outer, target = ("request",), dict(body["request"])
        envelope: Any = {**body, "request": target}
    elif isinstance(body, dict):
        envelope = target = dict(body)
    else:
        envelope, target = body, {}
    chat = _is_chat(target)
    message = OPENAI_MESSAGE if chat else CONTENT
    contents, contents_at = _take_list(
        target, ("messages",) if chat else ("contents",), outer, or_empty=after is not None
    )
    if contents_at is None and not chat and isinstance(target.get("contents"), dict):
        contents = [target["contents"]]
    tools, tools_at = _take_list(target, ("tools",), outer)
    if tools_at is None and isinstance(target.get("tools"), dict):
        tools = [target["tools"]]
    instruction, instruction_at = _take_object(target, ("systemInstruction", "system_instruction"), outer)
    return Layout(
        envelope=Piece(envelope),
        history=tree.intern(contents, message, after),
        contents_at=contents_at,
        tools=tree.intern(tools, TOOL),
        tools_at=tools_at,
        instruction=instruction,
        instruction_at=instruction_at,
    )


def is_exact(layout: Layout, body: bytes) -> bool:
    """Whether the stored form stands for `body`: what `assemble` gives equals its JSON value, huge integers included.

    Known turns are not looked at again.
    """
    if layout.envelope is None:
        return False
    pieces = [layout.envelope, layout.instruction]
    for head in (layout.history, layout.tools):
        for turn in head.back():
            if _EXACT in turn.notes:
                break
            pieces.append(turn.piece)
    if any(piece.may_have_lost_digits for piece in pieces if piece):
        return not canonical.huge_integers(body)
    layout.history.notes[_EXACT] = layout.tools.notes[_EXACT] = True
    return True


def assemble(layout: Layout) -> Any:
    """The parsed body that was taken apart, or `NOT_JSON`."""
    if layout.envelope is None:
        return NOT_JSON
    body = layout.envelope.value
    if layout.contents_at:
        body = with_value(body, layout.contents_at, layout.history.values())
    if layout.tools_at:
        body = with_value(body, layout.tools_at, layout.tools.values())
    if layout.instruction_at and layout.instruction:
        body = with_value(body, layout.instruction_at, layout.instruction.value)
    return body


def fits_together(layout: Layout) -> bool:
    """Whether `assemble` can put it together: each place that something was taken from leads through objects."""
    places = (layout.contents_at, layout.tools_at, layout.instruction_at)
    body = layout.envelope.value if layout.envelope else None
    return all(
        place is None
        or (len(place) == 1 and isinstance(body, dict))
        or (len(place) == 2 and isinstance(body, dict) and isinstance(body.get(place[0]), dict))
        for place in places
    )


def _take_list(
    target: dict[str, Any], keys: Place, outer: Place, *, or_empty: bool = False
) -> tuple[list[Any], Place | None]:
    for key in keys:
        value = target.get(key)
        if isinstance(value, list) and (value or or_empty):
            del target[key]
            return value, (*outer, key)
    return [], None


def _take_object(target: dict[str, Any], keys: Place, outer: Place) -> tuple[Piece | None, Place | None]:
    for key in keys:
        value = target.get(key)
        if isinstance(value, dict) and value:
            del target[key]
            return Piece(value), (*outer, key)
    return None, None
