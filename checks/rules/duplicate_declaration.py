"""Two declarations have one name.

What it finds
    A function that is declared twice, in one tool or in two.

Why it matters
    The API answers 400.

Bad
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [
            {"functionDeclarations": [{"name": "get_weather", "description": "Weather of a city"}]},
            {"functionDeclarations": [{"name": "get_weather", "description": "Weather of a place"}]}]
    }

Good
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [
            {"name": "get_weather", "description": "Weather of a city"},
            {"name": "get_place_weather", "description": "Weather of a place"}]}]
    }

How it happens, and how to mend it
    Tools of several servers or agents are put together, or one list is added twice. Prefix names with where they come
    from, and drop what is there already.

Severity
    error.

Source
    Public reports of the 400: other APIs take the last of the two, this one refuses both.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import duplicate_declaration
from ..finding import Finding, Severity
from ..rule import RequestContext, Rule

NAME = "duplicate-declaration"


def check(context: RequestContext) -> Iterator[Finding]:
    """Second and further declarations of a name."""
    first: dict[str, str] = {}
    for tool, index, declaration in context.declarations:
        name = declaration.get("name")
        if not isinstance(name, str) or not name:
            continue
        if name in first:
            yield Finding(
                NAME,
                Severity.ERROR,
                ("tools", tool, "functionDeclarations", index),
                f"function {name!r} is declared already, at {first[name]}",
                rejection=duplicate_declaration(name),
            )
        else:
            first[name] = f"tools[{tool}].functionDeclarations[{index}]"


RULE = Rule(NAME, __doc__ or "", on_request=check)
