"""Where a finding points, in the body as it was sent: Code Assist wraps requests and answers, chat completions spell them anew."""

from __future__ import annotations

import re
from typing import Final

from ..cassettes.chat import parts_of
from ..cassettes.entry import Entry
from .chat import ChatEntry
from .finding import Finding, Place, content_place, pointer

_NAMED: Final = re.compile(
    r"\bcontents\[(\d+)\](?:\.parts\[(\d+)\])?|\btools\[(\d+)\]\.functionDeclarations\[\d+\]"
)
"""A place in a message of a rule."""
_SIGNATURE: Final = ("extra_content", "google", "thought_signature")
_WORDS: Final = {
    "thoughtSignature": "extra_content.google.thought_signature",
    "functionResponse": "tool message",
    "functionCall": "tool call",
}
_CALL: Final[dict[str, Place]] = {
    "id": ("id",),
    "name": ("function", "name"),
    "args": ("function", "arguments"),
}
_RESPONSE: Final[dict[str, Place]] = {
    "id": ("tool_call_id",),
    "name": ("name",),
    "response": ("content",),
}
_ELSEWHERE: Final[dict[Place, Place]] = {
    ("candidates", 0, "finishReason"): ("choices", 0, "finish_reason"),
    ("toolConfig", "functionCallingConfig", "allowedFunctionNames"): ("tool_choice", "function", "name"),
    ("toolConfig",): ("tool_choice",),
    ("cachedContent",): ("extra_body", "google", "cached_content"),
}
_DECLARATION: Final = {"parametersJsonSchema": "parameters"}


def pointer_as_sent(entry: Entry, place: Place, at: str = "request") -> str:
    """The JSON Pointer of a place of the request, or of the answer (`at` is ``response``), in what was really sent."""
    if isinstance(entry, ChatEntry):
        return pointer(_in_chat(entry, place))
    wrapped = entry.layout.wrapped and "error" not in place[:2]
    return pointer(place, (at,) if wrapped else ())


def words_as_sent(entry: Entry, finding: Finding) -> str:
    """The message of a finding, in the words of what was really sent; what is said of an answer may quote the API."""
    message = finding.message
    if not isinstance(entry, ChatEntry) or finding.at == "response":
        return message
    for word, told in _WORDS.items():
        message = message.replace(word, told)
    return _NAMED.sub(lambda match: _spelled(entry, match), message)


def _spelled(entry: ChatEntry, match: re.Match[str]) -> str:
    content, part, tool = match.groups()
    if tool is not None:
        return f"tools[{tool}]"
    place = _in_chat(entry, content_place(int(content), int(part) if part else None))
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)[1:]


def _in_chat(entry: ChatEntry, place: Place) -> Place:
    match place:
        case ("contents", *rest):
            return ("messages", *_in_messages(entry, tuple(rest)))
        case ("candidates", _, "content", "parts", int(part), *rest):
            return ("choices", 0, "message", *_in_message(entry.answer.content, part, tuple(rest)))
        case ("tools", tool, "functionDeclarations", _, *rest):
            return ("tools", tool, "function", *(_DECLARATION.get(str(key), key) for key in rest))
    return next((told for known, told in _ELSEWHERE.items() if place[: len(known)] == known), place)


def _in_messages(entry: ChatEntry, rest: Place) -> Place:
    """The place of a content, and on; one that is missing at the end stands behind all messages."""
    if not rest or not isinstance(rest[0], int):
        return rest
    turn = entry.messages[rest[0]] if rest[0] < len(entry.messages) else None
    if turn is None or turn.piece is None:
        return (entry.sent.layout.history.depth,)
    match rest[1:]:
        case ("parts", int(part), *inner):
            return (turn.depth - 1, *_in_message(turn.piece.value, part, tuple(inner)))
    return (turn.depth - 1, *rest[1:])


def _in_message(message: object, part: int, inner: Place) -> Place:
    """The place of a part in a chat message, and on; what is inside a text is the text."""
    parts = parts_of(message)
    found = parts[part][1] if part < len(parts) else ()
    match inner:
        case ("functionCall", str(key), *_) if key in _CALL:
            return (*found, *_CALL[key])
        case ("functionResponse", str(key), *_) if key in _RESPONSE:
            return (*found, *_RESPONSE[key])
        case ("thoughtSignature",):
            return (*found, *_SIGNATURE)
    return found
