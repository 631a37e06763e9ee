"""Makers of exchanges and cassettes for tests: plain values in, the real things out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from gemtape.cassettes.store import Cassette

MODEL = "gemini-3-pro-preview"
SIGNATURE = "EpwCCpkCAVSoXO4="
JSON = (("content-type", "application/json; charset=UTF-8"),)
SSE = (("content-type", "text/event-stream"),)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text}]}


def model_text(text: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": text}]}


def call(
    name: str, args: dict[str, Any] | None = None, *, signature: str | None = None, id: str | None = None
) -> dict[str, Any]:
    """A functionCall part."""
    value: dict[str, Any] = {"name": name, "args": args or {}}
    part: dict[str, Any] = {"functionCall": {"id": id, **value} if id else value}
    return {**part, "thoughtSignature": signature} if signature else part


def result(name: str, response: Any, *, id: str | None = None) -> dict[str, Any]:
    """A functionResponse part."""
    value = {"name": name, "response": response}
    return {"functionResponse": {"id": id, **value} if id else value}


def calls(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def results(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def tools_for(*values: Any) -> list[dict[str, Any]]:
    """Tools that declare every function called anywhere in these values, without parameters; none where none is."""
    names = dict.fromkeys(name for value in values for name in _called(value))
    declared = [
        {"name": name, "description": f"Says what is known of {name}, up to today."} for name in names
    ]
    return [{"functionDeclarations": declared}] if declared else []


def _called(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _called(item)]
    if not isinstance(value, dict):
        return []
    name = call.get("name") if isinstance(call := value.get("functionCall"), dict) else None
    own = [name] if isinstance(name, str) and name else []
    return own + [name for item in value.values() for name in _called(item)]


def answer_body(content: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """A generateContent answer with one candidate."""
    candidate: dict[str, Any] = {"finishReason": "STOP", "index": 0}
    if content is not None:
        candidate["content"] = content
    return {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1", **more}


def unary(body: Any, status: int = 200) -> Response:
    return Response(status, JSON, (Chunk(5, json.dumps(body).encode()),))


def sse(*events: Any, cut: bool = False) -> Response:
    """A stream of one chunk an event, 10 ms apart."""
    chunks = tuple(
        Chunk(10 * at, b"data: " + json.dumps(event).encode() + b"\r\n\r\n")
        for at, event in enumerate(events, 1)
    )
    return Response(200, SSE, chunks, cut)


def exchange(
    contents: Any,
    answer: dict[str, Any] | Response | None = None,
    *,
    model: str = MODEL,
    path: str = "",
    query: str = "",
    at: float = 1.0,
    **more: Any,
) -> Exchange:
    """A generateContent exchange: contents and further keys of the body, and the answer's content or response.

    What the contents and the answer call is declared, unless `tools` says otherwise.
    """
    if "tools" not in more and (tools := tools_for(contents, answer)):
        more["tools"] = tools
    response = answer if isinstance(answer, Response) else unary(answer_body(answer))
    return Exchange(
        Request(
            "POST",
            path or f"/v1beta/models/{model}:generateContent",
            query,
            (("content-type", "application/json"),),
            json.dumps({"contents": contents, **more}).encode(),
        ),
        response,
        started_at=at,
        duration_ms=20,
    )


def cassette_of(path: Path, exchanges: Iterable[Exchange]) -> Path:
    """Write a cassette; each exchange begins a second after the one before."""
    with Cassette.create(path) as cassette:
        for item in exchanges:
            cassette.add(item)
    return path
