"""The answer to a chat completion: its choices as messages, those of a stream put together from their deltas.

Google sends whole calls, each with an index, with none, or all with the index 0, and may send a signature in a delta of
its own; gateways stream arguments in pieces, as OpenAI does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from .chat import signature_in

_TEXTS: Final = ("content", "refusal")
_FINISH: Final = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "function_call": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
_USAGE: Final = {
    "prompt_tokens": "promptTokenCount",
    "completion_tokens": "candidatesTokenCount",
    "total_tokens": "totalTokenCount",
}


def is_chat(event: Any) -> bool:
    """Whether the JSON value of an event is one of a chat completion."""
    return isinstance(event, dict) and isinstance(event.get("choices"), list) and "candidates" not in event


def messages_of(events: Iterable[Any]) -> list[dict[str, Any]]:
    """The message of every choice, by index; as sent where it came whole."""
    whole: dict[int, dict[str, Any]] = {}
    deltas: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        for at, choice in enumerate(choices_of(event)):
            index = choice.get("index")
            index = index if isinstance(index, int) else at
            if isinstance(choice.get("message"), dict):
                whole[index] = choice["message"]
            elif isinstance(choice.get("delta"), dict):
                deltas[index].append(choice["delta"])
    found = {**{index: folded_message(pieces) for index, pieces in deltas.items()}, **whole}
    return [found[index] for index in sorted(found)]


def choices_of(event: Any) -> list[dict[str, Any]]:
    """The choices of an event."""
    choices = event.get("choices") if isinstance(event, dict) else None
    return [item for item in choices if isinstance(item, dict)] if isinstance(choices, list) else []


def finish_of(choice: dict[str, Any]) -> str:
    """The finish reason of a choice in the words of generateContent; empty where it has none."""
    reason = choice.get("finish_reason")
    if not isinstance(reason, str):
        return ""
    return _FINISH.get(reason) or reason.rpartition(":")[2].strip().upper()


def usage_of(event: dict[str, Any]) -> dict[str, Any]:
    """The token counts of an answer by their names in generateContent; empty where it has none."""
    usage = event.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return {name: counts[key] for key, name in _USAGE.items() if key in counts}


def folded_message(deltas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The message that the deltas of a stream spell out."""
    message: dict[str, Any] = {"role": "assistant"}
    for key in _TEXTS:
        texts = [delta[key] for delta in deltas if isinstance(delta.get(key), str)]
        if texts:
            message[key] = "".join(texts)
    calls = _Calls()
    for delta in deltas:
        _keep_signature(message, delta)
        pieces = delta.get("tool_calls")
        for piece in pieces if isinstance(pieces, list) else []:
            if isinstance(piece, dict):
                calls.add(piece)
    folded = calls.folded()
    return {**message, "tool_calls": folded} if folded else message


class _Calls:
    """The calls of a stream, as far as they came."""

    def __init__(self) -> None:
        self._calls: list[dict[str, Any]] = []
        self._arguments: list[list[str]] = []
        self._by_id: dict[str, int] = {}
        self._by_index: dict[int, int] = {}

    def add(self, piece: dict[str, Any]) -> None:
        """Add a piece to the call that it belongs to, or begin another with it."""
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        own = piece.get("id")
        own = own if isinstance(own, str) else ""
        at = self._position(piece, own, named=bool(function.get("name")))
        call = self._calls[at]
        if own:
            self._by_id[own] = at
        for key in ("id", "type"):
            if piece.get(key) and not call.get(key):
                call[key] = piece[key]
        if function.get("name"):
            call["function"].setdefault("name", function["name"])
        if isinstance(function.get("arguments"), str):
            self._arguments[at].append(function["arguments"])
        _keep_signature(call, piece)

    def _position(self, piece: dict[str, Any], own: str, *, named: bool) -> int:
        index = piece.get("index")
        index = index if isinstance(index, int) else None
        known = self._by_id.get(own)
        if not own and not named and self._calls:
            known = len(self._calls) - 1 if index is None else self._by_index.get(index)
        if known is not None:
            return known
        self._calls.append({"function": {}})
        self._arguments.append([])
        if index is not None:
            self._by_index[index] = len(self._calls) - 1
        return len(self._calls) - 1

    def folded(self) -> list[dict[str, Any]]:
        """The calls, whole."""
        for call, pieces in zip(self._calls, self._arguments, strict=True):
            if pieces:
                call["function"]["arguments"] = "".join(pieces)
        return self._calls


def _keep_signature(held: dict[str, Any], piece: dict[str, Any]) -> None:
    """Take over a signature; what else the ``extra_content`` of a delta says is of that delta alone."""
    if signature_in(piece) is not None:
        held["extra_content"] = piece["extra_content"]
