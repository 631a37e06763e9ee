"""Model turns that were never recorded, in the form of one that was: same transport, same signatures, ids of their own."""

from __future__ import annotations

from typing import Any

import orjson

from ...cassettes.answers import Answer
from ...cassettes.entry import Entry
from ..reshaping import candidate_of, events_of, in_form_of, inner_of, merged, with_candidate


def with_call(entry: Entry, answer: Answer, part: int, name: str, args: dict[str, Any]) -> Answer:
    """The recorded answer with another function called, or with other arguments.

    Args:
        entry: the exchange.
        answer: its answer as it is sent.
        part: the index of the call's part in the folded content.
        name: the function.
        args: its arguments.
    """
    parts = _parts(entry)
    parts[part] = _calling(parts[part], name, args)
    return _composed(entry, answer, parts)


def only_call(entry: Entry, answer: Answer, part: int, turn: int) -> Answer:
    """The recorded call alone, as the model proposes it once more: with an id of its own where it had one.

    Args:
        entry: the exchange.
        answer: its answer as it is sent.
        part: the index of the call's part in the folded content.
        turn: how many turns came before with this call; makes the id.
    """
    parts = _parts(entry)
    again = dict(parts[part])
    call = dict(again["functionCall"])
    if isinstance(call.get("id"), str):
        call["id"] = f"{call['id']}-{turn}"
    again["functionCall"] = call
    signature = next(
        (found for item in parts if "functionCall" in item and (found := _signature(item)) is not None), None
    )
    if signature is not None:  # a parallel call beside the first one had none; alone it is the first
        again["thoughtSignature"] = signature
    return _composed(entry, answer, [again])


def only_text(entry: Entry, answer: Answer, text: str) -> Answer:
    """An answer in words instead of a call."""
    return _composed(entry, answer, [{"text": text}])


def _parts(entry: Entry) -> list[dict[str, Any]]:
    """The parts of the folded answer as the API writes them: signatures padded, arguments there even if empty."""
    parts: list[dict[str, Any]] = [
        dict(part) if isinstance(part, dict) else {"text": ""} for part in entry.answer.parts
    ]
    for part in parts:
        signature = _signature(part)
        if isinstance(signature, str):
            part["thoughtSignature"] = signature + "=" * (-len(signature) % 4)
        if isinstance(call := part.get("functionCall"), dict):
            part["functionCall"] = {"args": {}, **call}
    return parts


def _signature(part: dict[str, Any]) -> Any:
    return part.get("thoughtSignature")


def _calling(part: dict[str, Any], name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {**part, "functionCall": {**part["functionCall"], "name": name, "args": args}}


def _composed(entry: Entry, answer: Answer, parts: list[dict[str, Any]]) -> Answer:
    events = events_of(answer)
    if entry.answer.chat:
        return in_form_of(answer, [_chat_event(events, parts)])
    template = next((event for event in reversed(events) if candidate_of(event)), events[-1])
    candidate = {
        **candidate_of(template),
        "content": {"role": "model", "parts": parts},
        "finishReason": "STOP",
    }
    candidate.pop("finishMessage", None)
    composed = with_candidate(template, candidate)
    if isinstance(usage := inner_of(events[-1]).get("usageMetadata"), dict):
        composed = merged(composed, {"usageMetadata": usage})
    return in_form_of(answer, [composed])


def _chat_event(events: list[Any], parts: list[dict[str, Any]]) -> dict[str, Any]:
    """A chat completion, or the one event of a stream of it, that says the same as a model's content."""
    template = next((event for event in events if isinstance(event, dict) and event.get("choices")), {})
    streamed = any("delta" in choice for choice in template.get("choices", ()) if isinstance(choice, dict))
    text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
    calls = [_tool_call(part) for part in parts if isinstance(part.get("functionCall"), dict)]
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls and streamed:
        message["tool_calls"] = [{"index": at, **call} for at, call in enumerate(calls)]
    elif calls:
        message["tool_calls"] = calls
    choice = {
        "index": 0,
        "delta" if streamed else "message": message,
        "finish_reason": "tool_calls" if calls else "stop",
    }
    return {**template, "choices": [choice]}


def _tool_call(part: dict[str, Any]) -> dict[str, Any]:
    call = part["functionCall"]
    written = {
        "id": call.get("id"),
        "type": "function",
        "function": {"name": call.get("name"), "arguments": orjson.dumps(call.get("args", {})).decode()},
    }
    signature = _signature(part)
    if signature is not None:
        written["extra_content"] = {"google": {"thought_signature": signature}}
    return written
