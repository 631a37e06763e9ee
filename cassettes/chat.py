"""A chat message of the OpenAI-compatible path as the content of generateContent that it stands for.

Signatures ride in ``extra_content.google.thought_signature``, of a call or of the whole message (then they belong to its
text); arguments are JSON written as text; a tool's message answers one call by its id. Thought summaries come as text
between ``<thought>`` tags. Source: ai.google.dev/gemini-api/docs/thought-signatures and docs/openai.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .canonical import NOT_JSON, parse

ChatPlace = tuple[str | int, ...]
"""Keys and indices from a message down to a value."""

ANSWERING_ROLES: Final = frozenset({"assistant", "model"})
"""The roles under which the model's own messages come back."""
INSTRUCTING_ROLES: Final = frozenset({"system", "developer"})
_VENDORS: Final = ("google", "vertex")
_THOUGHT: Final = ("<thought>", "</thought>")


def role_of(message: Any) -> str:
    """The role in lower case; empty where there is none."""
    role = message.get("role") if isinstance(message, dict) else None
    return role.lower() if isinstance(role, str) else ""


def content_of(message: Any, default_role: str = "user", called: str | None = None) -> dict[str, Any]:
    """The content that a message stands for; `called` is the function that a tool's message answers."""
    role = role_of(message) or default_role
    return {
        "role": "model" if role in ANSWERING_ROLES else "user",
        "parts": [part for part, _ in parts_of(message, called)],
    }


def parts_of(message: Any, called: str | None = None) -> list[tuple[dict[str, Any], ChatPlace]]:
    """The parts of a message, and where each stands in it; at least one, since a message without text is allowed."""
    if not isinstance(message, dict):
        return [({"text": ""}, ())]
    if role_of(message) == "tool":
        return [(_answer(message, called), ())]
    calls = list(_calls(message))
    found = list(_texts(message))
    signature = signature_in(message)
    if signature is not None:
        texts = [part for part, _ in found if "text" in part and not part.get("thought")]
        if texts:
            texts[-1].setdefault("thoughtSignature", signature)
        else:
            found.append(({"text": "", "thoughtSignature": signature}, ()))
    return found + calls or [({"text": ""}, ())]


def text_of(content: Any) -> str:
    """The text of a message's content, which is a text or a list of parts."""
    if isinstance(content, str):
        return content
    items = content if isinstance(content, list) else []
    return "".join(text for item in items if isinstance(text := _item_text(item), str))


def signature_in(value: Any) -> Any:
    """The signature in the ``extra_content`` of a message, a call or a part of a content; None where it has none."""
    extra = value.get("extra_content") if isinstance(value, dict) else None
    for vendor in _VENDORS:
        inner = extra.get(vendor) if isinstance(extra, dict) else None
        if isinstance(inner, dict) and inner.get("thought_signature") is not None:
            return inner["thought_signature"]
    return None


def _texts(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], ChatPlace]]:
    """What a message says, besides calls."""
    content = message.get("content")
    if isinstance(content, str) and content:
        whole = _spoken(content) if role_of(message) in {*ANSWERING_ROLES, ""} else [{"text": content}]
        yield from ((part, ("content",)) for part in whole)
    for index, item in enumerate(content if isinstance(content, list) else []):
        text = _item_text(item)
        if isinstance(text, str):
            signature = signature_in(item)
            signed = {} if signature is None else {"thoughtSignature": signature}
            yield {"text": text, **signed}, ("content", index)
        elif isinstance(item, dict):
            yield {"inlineData": item}, ("content", index)  # image, audio or file: whichever, a prompt
    if not content and isinstance(message.get("refusal"), str):
        yield {"text": message["refusal"]}, ("refusal",)


def _spoken(text: str) -> Iterator[dict[str, Any]]:
    """The thoughts in front of a text, and the text."""
    opening, closing = _THOUGHT
    start = 0
    while text.startswith(opening, start) and (end := text.find(closing, start)) >= 0:
        yield {"text": text[start + len(opening) : end], "thought": True}
        start = end + len(closing)
    if start < len(text):
        yield {"text": text[start:]}


def _item_text(item: Any) -> Any:
    if isinstance(item, dict) and item.get("type") in ("text", "refusal", "input_text", "output_text"):
        return item.get("text", item.get("refusal"))
    return item if isinstance(item, str) else None


def _calls(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], ChatPlace]]:
    calls = message.get("tool_calls")
    for index, call in enumerate(calls if isinstance(calls, list) else []):
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        named = {"id": call.get("id"), "name": function.get("name")}
        value = {key: item for key, item in named.items() if item is not None}
        part = {"functionCall": {**value, "args": _arguments(function.get("arguments"))}}
        signature = signature_in(call)
        signed = {} if signature is None else {"thoughtSignature": signature}
        yield {**part, **signed}, ("tool_calls", index)


def _arguments(arguments: Any) -> Any:
    """Arguments, which are JSON written as text; a text that is none stays one."""
    if not isinstance(arguments, str):
        return {} if arguments is None else arguments
    if not arguments.strip():
        return {}
    value = parse(arguments.encode(errors="surrogatepass"))
    if value is NOT_JSON:
        return arguments
    return {} if value is None else value


def _answer(message: dict[str, Any], called: str | None) -> dict[str, Any]:
    """The function response of a tool's message. The name is its call's: the message itself has none, or a label."""
    named = {"id": message.get("tool_call_id"), "name": called or message.get("name")}
    value = {key: item for key, item in named.items() if item is not None}
    part = {"functionResponse": {**value, "response": _result(message.get("content"))}}
    signature = signature_in(message)
    return part if signature is None else {**part, "thoughtSignature": signature}


def _result(content: Any) -> dict[str, Any]:
    """A result as the object that it spells, or as a text under ``result``."""
    if isinstance(content, dict):
        return content
    text = text_of(content)
    value = parse(text.encode(errors="surrogatepass")) if text.lstrip()[:1] in ("{", "[") else NOT_JSON
    if isinstance(value, dict):
        return value
    return {"result": text if value is NOT_JSON else value}
