"""A call stands under the user, a response under the model, or a server-side tool part lost its other half.

What it finds
    functionCall and toolCall parts in a user content, functionResponse parts in a model content, and toolCall parts
    without their toolResponse in the model's content, or the other way round. What the API itself issued like that (it
    answers calls to tool servers in the model's content) may come back like that.

Why it matters
    Calls are the model's and responses the user's: under the wrong role they pair with nothing. Server-side calls and
    their results have to come back together, as they were issued.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "model", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    A converter gives tool messages the role of the message before them, or filters the parts that it does not know.
    Send each model content back as it came, and responses under the role user.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/function-calling; ai.google.dev/gemini-api/docs/generate-content/tool-combination
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...cassettes.pairing import Named, named, pair
from ..conversation import PartAt
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "misplaced-part"
_Half = tuple[str, Named]
"""toolCall or toolResponse, with id and tool type."""
_FOREIGN = {"user": ("functionCall", "toolCall", "toolResponse"), "model": ("functionResponse",)}


def check(context: RunContext) -> Iterator[Finding]:
    """Parts under a role that they do not belong to, and unpaired server-side parts of a model run."""
    run = context.run
    issued = _issued_responses(context)
    for at in run.parts:
        kind = next((kind for kind in _FOREIGN.get(run.role, ()) if kind in at.value), None)
        if kind == "functionResponse" and named(at.value[kind]) in issued:
            issued.remove(named(at.value[kind]))
        elif kind is not None:
            other = "model" if run.role == "user" else "user"
            yield _finding(at, f"{kind} stands under the role {run.role}; it belongs to the {other}")
    if run.role == "model":
        yield from _lone_halves(context)


def _issued_responses(context: RunContext) -> list[Named]:
    """The responses in the model's own answer: of tool servers that the API asked."""
    parts = context.returned.record.parts if context.returned else []
    return [
        named(part["functionResponse"]) for part in parts if isinstance(part.get("functionResponse"), dict)
    ]


def _lone_halves(context: RunContext) -> Iterator[Finding]:
    """Server-side parts of a model run without their other half; what was issued without it comes back without it."""
    unpaired = _unpaired([at.value for at in context.run.parts])
    if not unpaired:
        return
    issued = [half for half, _ in _unpaired(context.returned.record.parts)] if context.returned else []
    places = {id(at.value): at for at in context.run.parts}
    for half, part in unpaired:
        if half in issued:
            issued.remove(half)
            continue
        kind, value = half
        missing = "toolResponse" if kind == "toolCall" else "toolCall"
        yield _finding(places[id(part)], f"{kind} {value.id or value.name or ''} has no {missing} beside it")


def _unpaired(parts: Sequence[dict[str, Any]]) -> list[tuple[_Half, dict[str, Any]]]:
    """Server-side calls without a result and results without a call, by id or else by tool type, and their parts."""
    calls = [(_named(part["toolCall"]), part) for part in parts if isinstance(part.get("toolCall"), dict)]
    results = [
        (_named(part["toolResponse"]), part) for part in parts if isinstance(part.get("toolResponse"), dict)
    ]
    if not calls and not results:
        return []
    found: list[tuple[_Half, dict[str, Any]]] = []
    answered: set[int] = set()
    pairs = pair([value for value, _ in calls], [value for value, _ in results])
    for (value, part), index in zip(results, pairs, strict=True):
        if index is None or _ids_differ(calls[index][0], value):
            found.append((("toolResponse", value), part))
        else:
            answered.add(index)
    found += [(("toolCall", value), part) for at, (value, part) in enumerate(calls) if at not in answered]
    return found


def _ids_differ(call: Named, result: Named) -> bool:
    return call.id is not None and result.id is not None and call.id != result.id


def _named(value: dict[str, Any]) -> Named:
    """Id and tool type: what pairs server-side parts."""
    return named({"id": value.get("id"), "name": value.get("toolType")})


def _finding(at: PartAt, message: str) -> Finding:
    return Finding(NAME, Severity.ERROR, content_place(at.content, at.part), message)


RULE = Rule(NAME, __doc__ or "", on_run=check)
