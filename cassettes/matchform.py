"""The match form: what of a request decides which recorded answer it gets. This file is the whole contract.

Hashed: method, action, model, resource path (not host, version, project, location), the query parameters that select
an answer, and the body in normal form (`normal`) without thought signatures, call ids and session fields. Parallel
responses stand in the order of their calls; a part that held nothing but a signature counts as absent. What is left
out is still checked elsewhere: a dropped signature is a violation, not a miss. `FORM_VERSION` changes with any change
of meaning here; stored keys carry it in their tag and are worked out anew when the tag differs.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final
from urllib.parse import parse_qsl

from .canonical import DIGEST_BYTES, raw_digest, stored_form
from .entry import Entry
from .layout import Layout
from .normal import normalise, normalise_content, stripped
from .pairing import Named, named, pair
from .schema import CONTENT, Message, request_message
from .turns import Piece, Turn

FORM_VERSION: Final = 1
_QUERY: Final = frozenset({"alt", "pageToken", "pageSize", "filter", "updateMask"})
_NOTE: Final = "match"


def match_key(entry: Entry) -> bytes:
    """The match key of a request."""
    head = [entry.method, entry.route.action, entry.model, entry.route.resource, match_query(entry.query)]
    digest = hashlib.sha256(stored_form(head))
    layout = entry.layout
    if layout.envelope is None:
        digest.update(raw_digest(entry.raw_body or b""))
        return digest.digest()[:DIGEST_BYTES]
    digest.update(stored_form(match_settings(layout, request_message(entry.route))))
    if layout.instruction:
        digest.update(stored_form(match_instruction(layout.instruction)))
    digest.update(history_digest(layout.tools))
    digest.update(history_digest(layout.history))
    return digest.digest()[:DIGEST_BYTES]


def match_form(entry: Entry) -> dict[str, Any]:
    """The value that the match key stands for, for showing and comparing."""
    layout = entry.layout
    form: dict[str, Any] = {
        "method": entry.method,
        "action": entry.route.action,
        "model": entry.model,
        "resource": entry.route.resource,
        "query": dict(match_query(entry.query)),
    }
    if layout.envelope is None:
        return {**form, "bytes": raw_digest(entry.raw_body or b"").hex()}
    form["settings"] = match_settings(layout, request_message(entry.route))
    if layout.instruction:
        form["systemInstruction"] = match_instruction(layout.instruction)
    form["tools"] = [match_content(turn) for turn in layout.tools.line()]
    form["contents"] = [match_content(turn) for turn in layout.history.line()]
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
    parts = [
        part
        for part, full in zip(form["parts"], turn.parts, strict=True)
        if not (isinstance(full, dict) and "thoughtSignature" in full and part in ({}, {"text": ""}))
    ]
    return {**form, "parts": _in_call_order(parts, turn)}


def _in_call_order(parts: list[Any], turn: Turn) -> list[Any]:
    full = [part["functionResponse"] for part in turn.parts if _holds(part, "functionResponse")]
    slots = [index for index, part in enumerate(parts) if _holds(part, "functionResponse")]
    if len(slots) < 2 or len(full) != len(slots):
        return parts
    answered = pair(calls_before(turn), [named(response) for response in full])
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
    """The envelope in match form, without what the history, tools and instruction already say."""
    value = layout.envelope.value if layout.envelope else None
    form = stripped(normalise(value, message), message)
    if not isinstance(form, dict):
        return form
    form.pop("model", None)  # stands in the head of the key, wherever it was named
    inner = form.get("request") if layout.wrapped else form
    if isinstance(inner, dict):
        for key in ("contents", "tools", "messages"):
            inner.pop(key, None)
    return form


def match_instruction(piece: Piece) -> Any:
    """A system instruction in match form."""
    return stripped(normalise_content(piece.value), CONTENT)


def match_query(query: str) -> list[list[str]]:
    """The parameters of a query that select an answer, as pairs in order."""
    return sorted([name, value] for name, value in parse_qsl(query, keep_blank_values=True) if name in _QUERY)
