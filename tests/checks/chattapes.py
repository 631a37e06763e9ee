"""Recordings of generateContent told again as chat completions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from gemtape.cassettes.folding import fold_answer
from gemtape.cassettes.models import Exchange, Response
from gemtape.cassettes.routes import Surface, parse_route
from tests.chats import PATH, as_messages, as_tools, chat_exchange, chat_message, deltas, streamed, whole

VERTEX = "/v1/projects/demo/locations/global/endpoints/openapi/chat/completions"
_FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
_Contents = list[dict[str, Any]]


def in_chat(item: Exchange) -> Exchange:
    """The same exchange as a chat completion; every call gets an id, since a chat has no other way to answer it."""
    route, sent = parse_route(item.request.path), json.loads(item.request.body)
    body = sent.get("request", sent)
    messages, _ = as_messages(_told(body["contents"]))
    if "systemInstruction" in body:
        messages.insert(0, {"role": "system", "content": body["systemInstruction"]["parts"][0]["text"]})
    tools, _ = as_tools(body.get("tools", []))
    chat = chat_exchange(
        messages,
        model=route.model or sent["model"],
        path=PATH if route.backend is Surface.GEMINI_API else VERTEX,
        **({"tools": tools} if tools else {}),
    )
    response = item.response and _answered(item.response)
    return replace(item, request=chat.request, response=response)


def _answered(response: Response) -> Response:
    """An answer as a chat gives it; an error is the same."""
    answer = fold_answer(response)
    if answer.content is None:
        return response
    [content] = _told([{**answer.content, "role": "model"}]) or [{"role": "model", "parts": []}]
    finish = _FINISH.get(answer.finish_reason, answer.finish_reason.lower())
    message = chat_message(content)
    if response.header("content-type") == "text/event-stream":
        return replace(streamed(*deltas(message), finish=finish), cut=response.cut)
    return whole(message, finish)


def _told(contents: _Contents) -> _Contents:
    """Contents without thoughts and what is empty without them, each call and its response with an id."""
    told: _Contents = []
    waiting: list[dict[str, Any]] = []
    for content in contents:
        model = content["role"] == "model"
        if model and not (told and told[-1]["role"] == "model"):
            waiting = []
        parts = [_part(part, waiting) for part in content.get("parts", []) if not part.get("thought")]
        if parts or not model:
            told.append({"role": content["role"], "parts": parts})
    return told


def _part(part: dict[str, Any], waiting: list[dict[str, Any]]) -> dict[str, Any]:
    """A part; calls wait for their responses."""
    if "functionCall" in part:
        call = {"args": {}, **part["functionCall"]}
        mark = json.dumps([call["name"], call["args"], part.get("thoughtSignature")], sort_keys=True)
        waiting.append({"id": f"call-{hashlib.sha256(mark.encode()).hexdigest()[:8]}", **call})
        return {**part, "functionCall": waiting[-1]}
    if "functionResponse" in part:
        response = part["functionResponse"]
        asked = next(call for call in waiting if call["name"] == response["name"])
        waiting.remove(asked)
        return {**part, "functionResponse": {"id": asked["id"], **response}}
    return {"text": "", **part}
