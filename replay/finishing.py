"""A recorded answer as it would have been, had the model ended it for another reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import orjson

from ..cassettes.answers import Answer
from ..cassettes.entry import Entry
from ..cassettes.events import parse_events
from ..cassettes.models import Chunk
from ..cassettes.routes import Surface

_MAX_TOKENS: Final = "MAX_TOKENS"
_MESSAGES: Final = {
    "MALFORMED_FUNCTION_CALL": "Malformed function call: print(default_api.{name}(",
    "UNEXPECTED_TOOL_CALL": "Unexpected tool call: Model tried to call an undeclared function: {name}",
}


def finished(entry: Entry, answer: Answer, reason: str) -> Answer | None:
    """The answer of an exchange with another finish reason; None where it has no candidate that could end so.

    With ``MAX_TOKENS`` the first half of it comes, texts cut and calls left out; with any other reason nothing of its
    content does. Streams stay streams of the same form; tokens are counted as recorded.
    """
    body = b"".join(chunk.data for chunk in answer.chunks)
    events = parse_events(body, answer.header("content-type"))
    if answer.status != 200 or entry.route.surface is Surface.OPENAI or not entry.route.generates:
        return None
    if not any(map(_candidate, events)):
        return None
    name = next((str(call["name"]) for call in entry.answer.calls if call.get("name")), "run")
    ended = _half(events) if reason == _MAX_TOKENS else [_emptied(events[-1])]
    last = ended[-1]
    message = _MESSAGES.get(reason, "").format(name=name)
    candidate = {**_candidate(last), "finishReason": reason}
    candidate.pop("finishMessage", None)
    ended[-1] = _with(last, {**candidate, "finishMessage": message} if message else candidate)
    if isinstance(usage := _inner(events[-1]).get("usageMetadata"), dict):
        ended[-1] = _merged(ended[-1], {"usageMetadata": usage})
    return _sent(answer, body, ended)


def _half(events: list[Any]) -> list[Any]:
    kept = [_with(event, _without_calls(_candidate(event))) for event in events[: (len(events) + 1) // 2]]
    candidate = _candidate(kept[-1])
    parts = _parts(candidate)
    texts = [
        at for at, part in enumerate(parts) if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    if len(events) == 1 and texts:
        text = parts[texts[-1]]["text"]
        parts[texts[-1]] = {**parts[texts[-1]], "text": text[: (len(text) + 1) // 2]}
        kept[-1] = _with(kept[-1], {**candidate, "content": {**candidate["content"], "parts": parts}})
    return kept


def _emptied(event: Any) -> Any:
    return _with(event, {**_candidate(event), "content": {}})


def _without_calls(candidate: dict[str, Any]) -> dict[str, Any]:
    parts = [part for part in _parts(candidate) if not (isinstance(part, dict) and "functionCall" in part)]
    content = {"role": "model", "parts": parts} if parts else {"role": "model"}
    kept = {key: value for key, value in candidate.items() if key not in ("finishReason", "finishMessage")}
    return {**kept, "content": content}


def _parts(candidate: dict[str, Any]) -> list[Any]:
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return list(parts) if isinstance(parts, list) else []


def _inner(event: Any) -> dict[str, Any]:
    """The answer in an event; Code Assist wraps it."""
    if not isinstance(event, dict):
        return {}
    inner = event.get("response")
    return inner if isinstance(inner, dict) else event


def _candidate(event: Any) -> dict[str, Any]:
    candidates = _inner(event).get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return first if isinstance(first, dict) else {}


def _with(event: Any, candidate: dict[str, Any]) -> Any:
    return _merged(event, {"candidates": [candidate]})


def _merged(event: Any, more: dict[str, Any]) -> Any:
    inner = {**_inner(event), **more}
    return {**event, "response": inner} if isinstance(event, dict) and "response" in event else inner


def _sent(answer: Answer, body: bytes, events: list[Any]) -> Answer:
    """The events in the form of the answer that they take the place of."""
    if answer.is_whole:
        data = orjson.dumps(events[-1], option=orjson.OPT_INDENT_2) + b"\n"
        rest = [pair for pair in answer.headers if pair[0] != b"content-length"]
        headers = (*rest, (b"content-length", str(len(data)).encode()))
        return replace(answer, headers=headers, chunks=(Chunk(answer.chunks[-1].offset_ms, data),))
    pieces = [orjson.dumps(event) for event in events]
    if body.lstrip()[:1] == b"[":
        pieces = [(b",\r\n" if at else b"[") + piece for at, piece in enumerate(pieces)]
        pieces[-1] += b"]\n"
    else:
        pieces = [b"data: " + piece + b"\r\n\r\n" for piece in pieces]
    times = [chunk.offset_ms for chunk in answer.chunks]
    chunks = [Chunk(times[min(at, len(times) - 1)], piece) for at, piece in enumerate(pieces)]
    return replace(answer, chunks=tuple(chunks), cut=False)
