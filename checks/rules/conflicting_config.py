"""Tools, their configuration and the rest of the request do not go together.

What it finds
    cachedContent beside tools, toolConfig or systemInstruction; built-in tools beside functions without
    includeServerSideToolInvocations; fields that the API does not know in toolConfig, in a part, a call or a response;
    functionCallingConfig without declarations; no tools at all in a request that answers calls.

Why it matters
    The API refuses unknown fields and conflicts with 400. Without the declarations that it called by, the model may end
    with UNEXPECTED_TOOL_CALL and an empty answer.

Bad
    request {
        "contents": [{"role": "user", "parts": [{"text": "Find the opening hours and store them."}]}],
        "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "store", "description": "Store a value"}]}]
    }

Good
    request {
        "contents": [{"role": "user", "parts": [{"text": "Find the opening hours and store them."}]}],
        "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "store", "description": "Store a value"}]}],
        "toolConfig": {"includeServerSideToolInvocations": true}
    }

How it happens, and how to mend it
    Options are set one by one and nobody looks at them together; the request that carries the results forgets the tools;
    fields of another API, of a client's own bookkeeping or with a slip of the pen get into a part. Say the tools again in
    every request, put what belongs to cached content into the cache, and send only the API's fields.

Severity
    error; warning for functionCallingConfig without declarations (error where the API did refuse the request and nothing
    else explains it) and for missing tools. Built-in tools beside functions only on the Gemini API: Vertex has no such flag.
    An unknown field is info where the API took the request: then it knows the field, and gemtape does not.

Source
    The 400s' own wordings; ai.google.dev/gemini-api/docs/generate-content/tool-combination; type definitions of the SDKs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from ...cassettes.fields import Message
from ...cassettes.routes import Surface
from ...cassettes.schema import CALLING_CONFIG, CONTENT, FUNCTION_CALL, FUNCTION_RESPONSE, PART, TOOL_CONFIG
from ..apierrors import BUILT_IN, BUILT_IN_BEFORE_3, CACHED, unknown_field
from ..conversation import step_before
from ..finding import Finding, Place, Severity, content_place
from ..rule import RequestContext, Rule, RunContext
from ..target import Target
from ..tooling import declares_elsewhere, server_side_tools

NAME = "conflicting-config"
_CALLING = "functionCallingConfig"
_INNER = {
    "functionCall": ("function_call", FUNCTION_CALL),
    "functionResponse": ("function_response", FUNCTION_RESPONSE),
}
_SIGNATURE = frozenset({"thoughtSignature", "thought_signature"})
"""In a call or a response it is a signature in the wrong place, and reported as one."""


class _Spot(NamedTuple):
    """Where an object stands: its place, its path in the API's spelling, and whom it is for."""

    place: Place
    path: str
    target: Target


def check_run(context: RunContext) -> Iterator[Finding]:
    """Unknown fields in the parts of a run, and in their calls and responses; what the API sent itself is known."""
    if context.run.last.message is not CONTENT:
        return
    issued = context.returned.record.parts if context.returned else []
    known = _keys(issued)
    known_in = {name: _SIGNATURE | _keys(part.get(name) for part in issued) for name in _INNER}
    for at in context.run.parts:
        spot = _Spot(
            content_place(at.content, at.part), f"contents[{at.content}].parts[{at.part}]", context.target
        )
        yield from _unknown(at.value, PART, spot, known)
        for name, (spelling, message) in _INNER.items():
            inner = at.value.get(name)
            if isinstance(inner, dict):
                within = _Spot((*spot.place, name), f"{spot.path}.{spelling}", context.target)
                yield from _unknown(inner, message, within, known_in[name])


def check_request(context: RequestContext) -> Iterator[Finding]:
    """What does not go together, and unknown fields in toolConfig."""
    yield from _cached_content(context)
    yield from _built_in_tools(context)
    yield from _missing_tools(context)
    config = context.settings.get("toolConfig")
    spot = _Spot(("toolConfig",), "tool_config", context.target)
    yield from _unknown(config if isinstance(config, dict) else {}, TOOL_CONFIG, spot)
    spot = _Spot(("toolConfig", _CALLING), "tool_config.function_calling_config", context.target)
    yield from _unknown(context.calling_config, CALLING_CONFIG, spot)


def _cached_content(context: RequestContext) -> Iterator[Finding]:
    if not context.settings.get("cachedContent"):
        return
    beside = {
        "tools": context.tools,
        "toolConfig": context.settings.get("toolConfig"),
        "systemInstruction": context.entry.layout.instruction or context.settings.get("systemInstruction"),
    }
    found = [name for name, value in beside.items() if value]
    if found:
        told = f"cachedContent stands beside {' and '.join(found)}; they belong into the cached content"
        yield Finding(NAME, Severity.ERROR, ("cachedContent",), told, rejection=CACHED)


def _built_in_tools(context: RequestContext) -> Iterator[Finding]:
    built_in = server_side_tools(context)
    config = context.settings.get("toolConfig")
    combined = isinstance(config, dict) and config.get("includeServerSideToolInvocations") is True
    if (
        combined
        or not built_in
        or not context.declarations
        or context.target.surface is not Surface.GEMINI_API
    ):
        return
    yield Finding(
        NAME,
        Severity.ERROR,
        ("toolConfig",),
        f"{' and '.join(built_in)} beside functions needs includeServerSideToolInvocations",
        rejection=BUILT_IN if context.target.third_generation else BUILT_IN_BEFORE_3,
    )


def _missing_tools(context: RequestContext) -> Iterator[Finding]:
    if context.declarations or declares_elsewhere(context):
        return
    if context.calling_config:
        told = f"{_CALLING} is set, and no function is declared"
        yield Finding(NAME, Severity.WARNING, ("toolConfig", _CALLING), told, suspect=True)
    elif not context.tools and _answers_calls(context):
        told = "the request answers calls, and has no tools: the model cannot call again"
        yield Finding(NAME, Severity.WARNING, ("tools",), told)


def _answers_calls(context: RequestContext) -> bool:
    """Whether the history ends in the middle of a turn: with responses, and no new prompt."""
    step = step_before(context.run) if context.run and not context.run.prompts else None
    return step is not None and any(call is not None for call in step.answered)


def _unknown(
    value: dict[str, Any], message: Message, spot: _Spot, known: AbstractSet[str] = frozenset()
) -> Iterator[Finding]:
    """Fields of an object that its message does not have."""
    for key, item in value.items():
        if item is None or message.canonical(key) in message.fields or key in known:
            continue
        told = f"{key[:80]!r} is no field of {message.name}"
        rejection = unknown_field(spot.target, spot.path, key)
        yield Finding(NAME, Severity.ERROR, (*spot.place, key), told, rejection=rejection, presumed=True)


def _keys(values: Iterable[Any]) -> set[str]:
    return {key for value in values if isinstance(value, dict) for key in value}


RULE = Rule(NAME, __doc__ or "", on_run=check_run, on_request=check_request)
