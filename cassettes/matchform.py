"""The match form: what of a request decides which recorded answer it gets. This file is the whole contract.

Hashed: method, action, model, resource path (not host, version, project, location), the query parameters that select
an answer, and the body in normal form (`normal`) without thought signatures, call ids and session fields. Parallel
responses stand in the order of their calls; a model's part with nothing in it, such as one that only carried a
signature, counts as absent. What is left out is still checked elsewhere: a dropped signature is a violation, not a miss.
`FORM_VERSION` changes with any change of meaning here; stored keys carry it in their tag and are worked out anew when
the tag differs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl

from .canonical import DIGEST_BYTES, huge_integers, json_digest, raw_digest, stored_form
from .entry import Entry
from .fields import Message
from .layout import Layout
from .normal import normalise, normalise_content, stripped
from .pairing import Named, named, pair
from .schema import CONTENT, request_message
from .turns import Piece, Turn

FORM_VERSION: Final = 1
_QUERY: Final = {
    **{name: name for name in ("alt", "pageToken", "pageSize", "filter", "updateMask")},
    "page_token": "pageToken",
    "page_size": "pageSize",
    "update_mask": "updateMask",
}
"""The parameters that select an answer, as they may be spelled, with their canonical names."""
_NOTE: Final = "match"


def match_key(entry: Entry) -> bytes:
    """The match key of a request."""
    return json_digest(stored_form(_form(entry, lambda head: history_digest(head).hex())))


def match_form(entry: Entry) -> dict[str, Any]:
    """The value that the match key stands for, for showing and comparing."""
    return _form(entry, lambda head: [match_content(turn) for turn in head.line()])


def _form(entry: Entry, history: Callable[[Turn], Any]) -> dict[str, Any]:
    layout = entry.layout
    form: dict[str, Any] = {
        "method": entry.method,
        "action": entry.route.action,
        "model": entry.model,
        "resource": entry.route.resource,
        "query": match_query(entry.query),
    }
    if layout.envelope is None:
        return {**form, "bytes": raw_digest(entry.raw_body or b"").hex()}
    if entry.raw_body is not None:
        form["integers"] = huge_integers(entry.raw_body)  # the layout holds them rounded
    form["settings"] = match_settings(layout, request_message(entry.route))
    if layout.instruction:
        form["systemInstruction"] = match_instruction(layout.instruction)
    form["tools"] = history(layout.tools)
    form["contents"] = history(layout.history)
    return form


def history_digest(turn: Turn) -> bytes:
    """The digest of a whole history in match form; each turn's is worked out once."""
    missing: list[Turn] = []
    digest = b""
    for step in turn.back():
        known = step.notes.get(_NOTE)
        if known is not None:
            digest = known
            break
        missing.append(step)
    for step in reversed(missing):
        digest = hashlib.sha256(digest + stored_form(match_content(step))).digest()[:DIGEST_BYTES]
        step.notes[_NOTE] = digest
    return digest


def match_content(turn: Turn) -> Any:
    """One content in match form; its parallel responses in the order of their calls."""
    form = stripped(turn.normal, turn.message)
    if turn.message is not CONTENT or not isinstance(form, dict) or not isinstance(form.get("parts"), list):
        return form
    if turn.role == "model":
        return {**form, "parts": [part for part in form["parts"] if part not in ({}, {"text": ""})]}
    return {**form, "parts": _in_call_order(form["parts"], turn)}


def _in_call_order(parts: list[Any], turn: Turn) -> list[Any]:
    """The parts of a turn with the functionResponses among them in the order of their calls, those of no call last."""
    slots = [index for index, part in enumerate(turn.parts) if _holds(part, "functionResponse")]
    if len(slots) < 2:
        return parts
    responses = [named(turn.parts[slot]["functionResponse"]) for slot in slots]
    answered = pair(calls_before(turn), responses)
    order = sorted(range(len(slots)), key=lambda at: (answered[at] is None, answered[at] or 0, at))
    ordered = list(parts)
    for slot, at in zip(slots, order, strict=True):
        ordered[slot] = parts[slots[at]]
    return ordered


def calls_before(turn: Turn) -> list[Named]:
    """The calls of the model contents right before a turn, in order."""
    contents: list[Turn] = []
    for step in turn.back():
        if step is turn:
            continue
        if step.role != "model":
            break
        contents.append(step)
    return [
        named(part["functionCall"])
        for step in reversed(contents)
        for part in step.parts
        if _holds(part, "functionCall")
    ]


def _holds(part: Any, name: str) -> bool:
    return isinstance(part, dict) and name in part


def match_settings(layout: Layout, message: Message) -> Any:
    """The envelope in match form, without what stands elsewhere in the form: the model, and what was taken out as turns."""
    form = stripped(normalise(layout.envelope.value if layout.envelope else None, message), message)
    if not isinstance(form, dict):
        return form
    model = form.get("model")
    if isinstance(model, str) and "/" not in model.removeprefix("models/"):
        del form["model"]
    inner = form.get("request") if layout.wrapped else form
    if isinstance(inner, dict):
        for key, turns in (("contents", layout.history), ("tools", layout.tools)):
            if turns.depth:  # a single object stands in the envelope, too
                inner.pop(key, None)
    return form


def match_instruction(piece: Piece) -> Any:
    """A system instruction in match form; its role says nothing."""
    form = stripped(normalise_content(piece.value), CONTENT)
    del form["role"]
    return form


def match_query(query: str) -> list[list[str]]:
    """The parameters of a query that select an answer, as pairs in order."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return sorted([_QUERY[name], value] for name, value in pairs if name in _QUERY)
