"""Conversations of generateContent as chat completions: the same said in the other form, and where everything went."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from tests.factories import JSON, MODEL, SSE
from tests.mutations import BODY, Contents, Conversation

PATH = "/v1beta/openai/chat/completions"
_SIGNATURE = "thoughtSignature"


def as_messages(contents: Contents) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The messages that contents stand for, and the pointer to each part and content by its old one."""
    messages: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    for at, content in enumerate(contents):
        places[f"/contents/{at}"] = f"/messages/{len(messages)}"
        if content["role"] == "model":
            messages.append(_message(content, at, len(messages), places))
        else:
            _say(content, at, messages, places)
    places[f"/contents/{len(contents)}"] = f"/messages/{len(messages)}"
    return messages, places


def as_tools(tools: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Tools as a chat declares them, with the pointer to each declaration by its old one."""
    found: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    for index, tool in enumerate(tools):
        for at, declaration in enumerate(tool["functionDeclarations"]):
            places[f"/tools/{index}/functionDeclarations/{at}"] = f"/tools/{len(found)}/function"
            found.append({"type": "function", "function": declaration})
    return found, places


def chat_message(content: dict[str, Any]) -> dict[str, Any]:
    """A model's content as the message that it comes as."""
    return _message(content, 0, 0, {})


def chat_exchange(
    messages: Any,
    answer: dict[str, Any] | Response | None = None,
    *,
    model: str = MODEL,
    path: str = PATH,
    at: float = 1.0,
    **more: Any,
) -> Exchange:
    """A chat completion: messages and further keys of the body, and the answer's message or response."""
    body = {"model": model, "messages": messages, **more}
    response = (
        answer if isinstance(answer, Response) else whole(answer or {"role": "assistant", "content": "ok"})
    )
    request = Request("POST", path, "", (("content-type", "application/json"),), json.dumps(body).encode())
    return Exchange(request, response, started_at=at, duration_ms=20)


def whole(message: dict[str, Any], finish: str = "", **more: Any) -> Response:
    """An answer that comes in one piece."""
    finish = finish or ("tool_calls" if message.get("tool_calls") else "stop")
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {"object": "chat.completion", "choices": [choice], **more}
    return Response(200, JSON, (Chunk(5, json.dumps(body).encode()),))


def streamed(*deltas: dict[str, Any], finish: str = "stop") -> Response:
    """An answer that comes as a stream of these deltas."""
    events = [{"index": 0, "delta": delta} for delta in deltas]
    events.append({"index": 0, "delta": {"role": "assistant"}, "finish_reason": finish})
    lines = [
        f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [event]})}\n\n" for event in events
    ]
    data = [*lines, "data: [DONE]\n\n"]
    chunks = tuple(Chunk(10 * at, line.encode()) for at, line in enumerate(data, 1))
    return Response(200, SSE, chunks)


def deltas(message: dict[str, Any]) -> list[dict[str, Any]]:
    """A message as Google streams it: a call a delta, without an index, and the signature of a text behind it."""
    found = [{"role": "assistant", "tool_calls": [call]} for call in message.get("tool_calls", [])]
    if message.get("content"):
        found.append({"role": "assistant", "content": message["content"]})
    if "extra_content" in message:
        found.append({"role": "assistant", "content": "", "extra_content": message["extra_content"]})
    return found


def _message(content: dict[str, Any], at: int, index: int, places: dict[str, str]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    for place, part in enumerate(content["parts"]):
        old, new = f"/contents/{at}/parts/{place}", f"/messages/{index}"
        if "functionCall" in part:
            places |= {old: f"{new}/tool_calls/{len(calls)}"}
            places[f"{old}/functionCall/args"] = f"{new}/tool_calls/{len(calls)}/function/arguments"
            calls.append(_call(part))
        else:
            places |= {old: f"{new}/content"}
            message["content"] = (message["content"] or "") + part.get("text", "")
            message |= _extra(part)
    return {**message, "tool_calls": calls} if calls else message


def _call(part: dict[str, Any]) -> dict[str, Any]:
    call = part["functionCall"]
    function = {"name": call["name"], "arguments": json.dumps(call["args"])}
    if isinstance(call["args"], str):  # JSON that was written as JSON again
        function["arguments"] = json.dumps(call["args"])
    if _SIGNATURE in call:
        function["thought_signature"] = call[_SIGNATURE]
    return {"id": call["id"], "type": "function", "function": function, **_extra(part)}


def _extra(part: dict[str, Any]) -> dict[str, Any]:
    signature = part.get(_SIGNATURE)
    return {} if signature is None else {"extra_content": {"google": {"thought_signature": signature}}}


def _say(content: dict[str, Any], at: int, messages: list[dict[str, Any]], places: dict[str, str]) -> None:
    """A message for each response and for each run of texts; calls under the user stay his."""
    numbered = list(enumerate(content["parts"]))
    if not numbered:
        messages.append({"role": "user", "content": ""})
    for kind, group in groupby(numbered, lambda item: _kind(item[1], item[0])):
        run = list(group)
        new = f"/messages/{len(messages)}"
        for position, (place, _) in enumerate(run):
            inside = f"/tool_calls/{position}" if kind == "calls" else "/content" if kind == "text" else ""
            places[f"/contents/{at}/parts/{place}"] = new + inside
        messages.append(_said(kind, [part for _, part in run]))


def _kind(part: dict[str, Any], place: int) -> str:
    if "functionResponse" in part:
        return f"response {place}"
    return "calls" if "functionCall" in part else "text"


def _said(kind: str, parts: list[dict[str, Any]]) -> dict[str, Any]:
    if kind == "calls":
        return {"role": "user", "tool_calls": [_call(part) for part in parts]}
    if kind == "text":
        return {"role": "user", "content": "".join(part["text"] for part in parts)}
    response = parts[0]["functionResponse"]
    content = json.dumps(response["response"])
    return {"role": "tool", "tool_call_id": response["id"], "content": content, **_extra(parts[0])}


@dataclass
class ChatConversation(Conversation):
    """The same conversation, had through chat completions."""

    def request(self, contents: Contents, at: float, **more: Any) -> Exchange:
        body = as_body({**BODY, **more})
        return chat_exchange(as_messages(contents)[0], model=self.model, at=at, **body)

    def _exchange(self, at: int) -> Exchange:
        messages, _ = as_messages(self.contents[:at])
        message = chat_message(self.contents[at])
        response = streamed(*deltas(message)) if self.streamed else whole(message)
        more: dict[str, Any] = {"stream": True} if self.streamed else {}
        return chat_exchange(messages, response, model=self.model, at=float(at), **as_body(BODY), **more)


def as_body(body: dict[str, Any]) -> dict[str, Any]:
    """The further keys of a request as a chat has them."""
    found: dict[str, Any] = {}
    if tools := as_tools(body.get("tools", []))[0]:
        found["tools"] = tools
    calling = body.get("toolConfig", {}).get("functionCallingConfig", {})
    if names := calling.get("allowedFunctionNames"):
        found["tool_choice"] = {"type": "function", "function": {"name": names[0]}}
    if "cachedContent" in body:
        found["extra_body"] = {"google": {"cached_content": body["cachedContent"]}}
    return found


def as_pointer(pointer: str, contents: Contents, body: dict[str, Any]) -> str:
    """Where a place of a request stands in the chat."""
    places = {
        **as_messages(contents)[1],
        **as_tools(body.get("tools", []))[1],
        "/toolConfig/functionCallingConfig/allowedFunctionNames/0": "/tool_choice/function/name",
        "/cachedContent": "/extra_body/google/cached_content",
    }
    known = max((place for place in places if f"{pointer}/".startswith(f"{place}/")), key=len, default="")
    return places.get(known, "") + pointer.removeprefix(known)
