"""The match form: what of a request decides which recorded answer it gets. This file is the whole contract.

Hashed: method, action, model, resource path (not host, version, project, location), the query parameters that select
an answer, and the body in normal form (`normal`) without thought signatures, call ids and session fields. Parallel
responses stand in the order of their calls; a model's part with nothing in it, such as one that only carried a
signature, counts as absent. A body that is no JSON counts by its bytes or parts, a step of an upload by its place
(`rawform`). What is left out is still checked elsewhere: a dropped signature is a violation, not a miss.
A user can leave out more (`matching`); everything here takes that as an argument.
`FORM_VERSION` changes with any change of meaning here; stored keys carry it in their tag and are worked out anew when
the tag differs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl

from .answered import in_call_order, marked_message
from .canonical import DIGEST_BYTES, huge_integers, json_digest, stored_form
from .endpoints import UNKNOWN, request_message
from .entry import Entry
from .fields import Message
from .layout import Layout
from .matching import EVERYTHING, Matching
from .normal import normalise, normalise_content, stripped
from .rawform import match_bytes, match_place
from .routes import without_place
from .schema import CONTENT, OPENAI_MESSAGE, TOOL
from .turns import Piece, Turn

FORM_VERSION: Final = 5
_SELECTING: Final = frozenset(
    {
        *("alt", "fields", "filter", "force", "orderBy", "pageSize", "pageToken", "queryBase", "recursive"),
        *("updateMask", "view"),
        *("includeInput", "lastEventId", "stream"),  # of interactions
        *("after", "before", "limit", "order", "purpose"),  # of OpenAI-compatible lists
        *("accent", "context", "gender", "languageCode", "persona", "pitch", "regionCode", "search", "type"),
        "mode",  # of environments; those above are of voices
    }
)
"""The parameters that select an answer."""
_SWITCHES: Final = frozenset({"force", "includeInput", "recursive", "stream"})
"""Those that are off where nobody mentions them; some clients say so."""
_NOTE: Final = "match"
_PLACES: Final = {CONTENT.name: "contents", OPENAI_MESSAGE.name: "messages", TOOL.name: "tools"}
"""Where the turns of a history stand in a request."""


def match_key(entry: Entry, matching: Matching = EVERYTHING) -> bytes:
    """The match key of a request."""
    return json_digest(stored_form(_form(entry, matching, lambda head: history_digest(head, matching).hex())))


def match_form(entry: Entry, matching: Matching = EVERYTHING) -> dict[str, Any]:
    """The value that the match key stands for, for showing and comparing."""
    return _form(entry, matching, lambda head: [match_content(turn, matching) for turn in head.line()])


def _form(entry: Entry, matching: Matching, history: Callable[[Turn], Any]) -> dict[str, Any]:
    layout = entry.layout
    form: dict[str, Any] = {
        "method": entry.method,
        "action": entry.route.action,
        "model": entry.model,
        "resource": entry.route.resource,
        "query": match_query(entry.query),
    }
    if place := match_place(entry):
        form["upload"] = place
    if layout.envelope is None:
        return {**form, **match_bytes(entry)}
    if entry.raw_body is not None:
        form["integers"] = huge_integers(entry.raw_body)  # the layout holds them rounded
    form["settings"] = match_settings(layout, request_message(entry.route), matching)
    instruction = match_instruction(layout.instruction, matching) if layout.instruction else None
    if instruction is not None:
        form["systemInstruction"] = instruction
    form["tools"] = None if ignored(layout.tools, matching) else history(layout.tools)
    form["contents"] = None if ignored(layout.history, matching) else history(layout.history)
    return form


def ignored(head: Turn, matching: Matching) -> bool:
    """Whether nothing of a history counts, not even its length."""
    return matching.ignores(_PLACES[head.message.name])


def history_digest(turn: Turn, matching: Matching = EVERYTHING) -> bytes:
    """The digest of a whole history in match form; each turn's is worked out once for what counts."""
    note = _NOTE + matching.tag
    missing: list[Turn] = []
    digest = b""
    for step in turn.back():
        known = step.notes.get(note)
        if known is not None:
            digest = known
            break
        missing.append(step)
    for step in reversed(missing):
        digest = hashlib.sha256(digest + stored_form(match_content(step, matching))).digest()[:DIGEST_BYTES]
        step.notes[note] = digest
    return digest


def match_content(turn: Turn, matching: Matching = EVERYTHING) -> Any:
    """One content in match form; its parallel responses in the order of their calls. None where it is ignored."""
    form = _content(turn)
    if matching.is_plain:
        return form
    kept = matching.of(form, turn.message, _PLACES[turn.message.name], str(turn.depth - 1))
    return _said(kept) if turn.role == "model" and kept is not None else kept


def _content(turn: Turn) -> Any:
    form = stripped(turn.normal, turn.message)
    if turn.message is OPENAI_MESSAGE:
        return marked_message(form, turn)
    if turn.message is not CONTENT or not isinstance(form, dict) or not isinstance(form.get("parts"), list):
        return form
    if turn.role == "model":
        return _said(form)
    return {**form, "parts": in_call_order(form["parts"], turn)}


def _said(content: Any) -> Any:
    """A model's content without the parts that say nothing."""
    if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
        return content
    return {**content, "parts": [part for part in content["parts"] if part not in ({}, {"text": ""})]}


def match_settings(layout: Layout, message: Message, matching: Matching = EVERYTHING) -> Any:
    """The envelope in match form, without what stands elsewhere in the form: the model, and what was taken out as turns."""
    form = stripped(normalise(layout.envelope.value if layout.envelope else None, message), message)
    if not isinstance(form, dict):
        return form
    model = form.get("model")
    if isinstance(model, str):
        form["model"] = without_place(model)
        if "/" not in form["model"].removeprefix("models/"):
            del form["model"]
    inner = form.get("request") if layout.wrapped else form
    if isinstance(inner, dict):
        for key, turns in (("contents", layout.history), ("tools", layout.tools)):
            if turns.depth:  # a single object stands in the envelope, too
                inner.pop(key, None)
    if inner == {} and layout.wrapped:
        del form["request"]  # as where nothing at all was left of it
    return form if matching.is_plain else _counting(form, layout, message, matching)


def _counting(form: dict[str, Any], layout: Layout, message: Message, matching: Matching) -> dict[str, Any]:
    """What counts of the settings; pointers lead into the request, also where that is wrapped."""
    if not layout.wrapped or not isinstance(form.get("request"), dict):
        return matching.of(form, message)
    field = message.fields.get("request")
    inner = matching.of(form["request"], (field and field.message) or UNKNOWN)
    outer = matching.of({name: value for name, value in form.items() if name != "request"}, message)
    return {**outer, "request": inner} if inner else outer


def match_instruction(piece: Piece, matching: Matching = EVERYTHING) -> Any:
    """A system instruction in match form; its role says nothing. None where nothing of it counts."""
    form = stripped(normalise_content(piece.value), CONTENT)
    del form["role"]
    if matching.is_plain:
        return form
    return matching.of(form, CONTENT, "systemInstruction") or None


def match_query(query: str) -> list[list[str]]:
    """The parameters of a query that select an answer, as pairs in order; their names in one spelling."""
    pairs = [(_parameter(name), value) for name, value in parse_qsl(query, keep_blank_values=True)]
    kept = [
        [name, value.lower() if name in _SWITCHES else value] for name, value in pairs if name in _SELECTING
    ]
    return sorted(pair for pair in kept if pair[0] not in _SWITCHES or pair[1] != "false")


def _parameter(name: str) -> str:
    head, *words = name.removeprefix("$").split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in words)
