"""A declared function differs from the pinned one, appeared, or vanished.

What it finds
    Only with a pin (``gemtape report --pin contract.json``): a function whose schema or description is not the pinned
    one, a function that is not pinned, and a pinned one that is missing from the functions declared beside it. Each is
    breaking (a call that was allowed is not any more), widening (only more is allowed) or wording (only what people and
    models read changed). The two spellings of a schema count as equal where they say the same.

Why it matters
    Declarations are the prompt that decides what a model calls and with which arguments. They are made from code, so a
    renamed field or a reworded comment changes the model's behaviour without anybody having decided it.

Bad
    pin {"pin": 1, "gemtape": "0.1.0", "toolsets": [["get_weather"]], "functions": {"get_weather": {"declarations": [
        {"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "OBJECT",
            "properties": {"city": {"type": "STRING"}}, "required": ["city"]}}]}}}
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Weather of a city",
            "parameters": {"type": "OBJECT", "properties": {"town": {"type": "STRING"}}, "required": ["town"]}}]}]
    }

Good
    pin {"pin": 1, "gemtape": "0.1.0", "toolsets": [["get_weather"]], "functions": {"get_weather": {"declarations": [
        {"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "OBJECT",
            "properties": {"city": {"type": "STRING"}}, "required": ["city"]}}]}}}
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Weather of a city",
            "parametersJsonSchema": {"type": "object", "properties": {"city": {"type": "string"}},
                "required": ["city"]}}]}]
    }

How it happens, and how to mend it
    A refactoring, a new SDK that derives schemas otherwise, a tool server that was updated. Decide: mend the declaration,
    or accept it with ``gemtape pin --update``.

Severity
    error

Source
    What the team pinned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..drift import Kind, nearest
from ..finding import Finding, Scope, Severity
from ..rule import RequestContext, Rule
from ..tooling import declares_elsewhere

if TYPE_CHECKING:
    from ..pins import Pin

NAME = "declaration-drift"
_KNOWN = "drift of declarations"
_TOLD = 5
"""Differences of one function that a message names."""


def check(context: RequestContext) -> Iterator[Finding]:
    """Functions that are not as they are pinned."""
    pin = context.pin
    if pin is None:
        return
    tools = context.entry.layout.tools
    known = tools.notes.get(_KNOWN)
    if known is None or known[0] is not pin:
        found = list(_drifted(context, pin)), list(_vanished(context, pin))
        known = tools.notes[_KNOWN] = pin, found
    drifted, vanished = known[1]
    yield from drifted
    if vanished and not declares_elsewhere(context):
        yield from vanished


def _drifted(context: RequestContext, pin: Pin) -> Iterator[Finding]:
    for tool, index, declaration in context.declarations:
        name = str(declaration.get("name", ""))
        pinned = pin.functions.get(name)
        place = ("tools", tool, "functionDeclarations", index)
        if pinned is None or not pinned.declarations:
            yield _finding(place, f"{Kind.WIDENING}: {name[:128]} is not pinned")
            continue
        found = nearest(pinned.declarations, declaration)
        if found:
            more = f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
            words = "; ".join(change.words for change in found[:_TOLD])
            yield _finding(place, f"{found[0].kind}: {name[:128]}: {words}{more}")


def _vanished(context: RequestContext, pin: Pin) -> Iterator[Finding]:
    # Reading a pin needs msgspec, which takes as long to import as much of the rest: only where there is one.
    from ..pins import nearest_set  # noqa: PLC0415

    names = context.declared_names
    if not names:
        return
    near = nearest_set(pin.toolsets, names)
    gone = sorted(set(near or ()) - set(names))
    if gone:
        yield _finding(
            ("tools",),
            f"{Kind.BREAKING}: {', '.join(gone)} is pinned beside these functions and not declared",
        )


def _finding(place: tuple[str | int, ...], message: str) -> Finding:
    return Finding(NAME, Severity.ERROR, place, message, scope=Scope.CONVERSATION)


RULE = Rule(NAME, __doc__ or "", on_request=check)
