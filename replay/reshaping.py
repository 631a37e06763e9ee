"""Answers with other events: what is in an event, and events in the form in which an answer was recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import orjson

from ..cassettes.answers import Answer
from ..cassettes.events import parse_events
from ..cassettes.models import Chunk

_DONE: Final = b"data: [DONE]"
"""How a stream of chat completions ends."""


def body_of(answer: Answer) -> bytes:
    """The whole body of an answer."""
    return b"".join(chunk.data for chunk in answer.chunks)


def events_of(answer: Answer) -> list[Any]:
    """The JSON values of an answer: one, or one for each event of a stream."""
    return parse_events(body_of(answer), answer.header("content-type"))


def parts_of(candidate: dict[str, Any]) -> list[Any]:
    """The parts of a candidate."""
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    return list(parts) if isinstance(parts, list) else []


def inner_of(event: Any) -> dict[str, Any]:
    """The answer in an event; Code Assist wraps it."""
    if not isinstance(event, dict):
        return {}
    inner = event.get("response")
    return inner if isinstance(inner, dict) else event


def candidate_of(event: Any) -> dict[str, Any]:
    """The first candidate of an event, empty where it has none."""
    candidates = inner_of(event).get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return first if isinstance(first, dict) else {}


def with_candidate(event: Any, candidate: dict[str, Any]) -> Any:
    """The event with this candidate and no other."""
    return merged(event, {"candidates": [candidate]})


def merged(event: Any, more: dict[str, Any]) -> Any:
    """The event with other fields in its answer."""
    inner = {**inner_of(event), **more}
    return {**event, "response": inner} if isinstance(event, dict) and "response" in event else inner


def in_form_of(answer: Answer, events: list[Any]) -> Answer:
    """Events in the form of the answer that they take the place of: one JSON value, an array, or a stream of events."""
    if answer.is_whole:
        data = orjson.dumps(events[-1], option=orjson.OPT_INDENT_2) + b"\n"
        rest = [pair for pair in answer.headers if pair[0] != b"content-length"]
        headers = (*rest, (b"content-length", str(len(data)).encode()))
        return replace(answer, headers=headers, chunks=(Chunk(answer.chunks[-1].offset_ms, data),))
    pieces = [orjson.dumps(event) for event in events]
    if body_of(answer).lstrip()[:1] == b"[":
        pieces = [(b",\r\n" if at else b"[") + piece for at, piece in enumerate(pieces)]
        pieces[-1] += b"]\n"
    else:
        pieces = [b"data: " + piece + b"\r\n\r\n" for piece in pieces]
        if body_of(answer).rstrip().endswith(_DONE):
            pieces.append(_DONE + b"\r\n\r\n")
    times = [chunk.offset_ms for chunk in answer.chunks]
    chunks = [Chunk(times[min(at, len(times) - 1)], piece) for at, piece in enumerate(pieces)]
    return replace(answer, chunks=tuple(chunks), cut=False)
