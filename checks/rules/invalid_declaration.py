"""A declaration has a name that the API does not take, or both parameter fields.

What it finds
    Function names that do not begin with a letter or an underscore, hold anything but ASCII letters, digits and _ . : -,
    or are longer than 128; declarations with parameters and parametersJsonSchema, or with response and
    responseJsonSchema; declarations that are no objects.

Why it matters
    The API answers 400 for the whole request, whatever its other tools.

Bad
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get weather", "description": "Weather of a city"}]}]
    }

Good
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Weather of a city"}]}]
    }

How it happens, and how to mend it
    Names come from tool servers or titles, with blanks, slashes or letters of other scripts; a client adds the new schema
    field beside the old one. Replace what is not allowed and keep a table of the names; send one of the two fields.

Severity
    error; info for a name of 65 to 128 characters, which older models refuse, and error where the API did.

Source
    The 400's own wording (64 characters); type definitions of the Python SDK (128, and one of the two fields).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..apierrors import invalid_function_name
from ..finding import Finding, Severity
from ..rule import RequestContext, Rule

NAME = "invalid-declaration"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_LONGEST = 128
_ONCE_LONGEST = 64
_EITHER = (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema"))


def check(context: RequestContext) -> Iterator[Finding]:
    """Bad names, both schema fields, and what is no declaration."""
    for tool, index, declaration in context.declarations:
        place = ("tools", tool, "functionDeclarations", index)
        yield from _name_faults(context, declaration.get("name"), tool, index)
        for old, new in _EITHER:
            if old in declaration and new in declaration:
                yield Finding(
                    NAME, Severity.ERROR, (*place, new), f"{old} and {new} are set; only one may be"
                )
    for tool, value in enumerate(context.tools):
        listed = value.get("functionDeclarations") if isinstance(value, dict) else None
        for index, declaration in enumerate(listed if isinstance(listed, list) else []):
            if not isinstance(declaration, dict):
                place = ("tools", tool, "functionDeclarations", index)
                yield Finding(NAME, Severity.ERROR, place, "declaration is no object")


def _name_faults(context: RequestContext, name: Any, tool: int, index: int) -> Iterator[Finding]:
    place = ("tools", tool, "functionDeclarations", index, "name")
    rejection = invalid_function_name(context.target, tool, index)
    if not isinstance(name, str) or not name:
        yield Finding(NAME, Severity.ERROR, place, "declaration has no name", rejection=rejection)
    elif not _NAME.fullmatch(name):
        told = f"function name {name[:_LONGEST]!r}: letters, digits, _ . : - only, and a letter or _ first"
        yield Finding(NAME, Severity.ERROR, place, told, rejection=rejection)
    elif len(name) > _LONGEST:
        told = f"function name {name[:20]}… has {len(name)} characters; {_LONGEST} are the most"
        yield Finding(NAME, Severity.ERROR, place, told, rejection=rejection)
    elif len(name) > _ONCE_LONGEST:
        told = f"function name {name[:20]}… has {len(name)} characters; older models take {_ONCE_LONGEST}"
        yield Finding(NAME, Severity.INFO, place, told, suspect=True)


RULE = Rule(NAME, __doc__ or "", on_request=check)
