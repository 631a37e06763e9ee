"""allowedFunctionNames names what is not declared, or stands in a mode that does not use it.

What it finds
    A name in toolConfig.functionCallingConfig.allowedFunctionNames that no declaration has, and names in any other mode
    than ANY and VALIDATED. An empty list says nothing.

Why it matters
    The API answers 400.

Bad
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Weather of a city"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["get_weather"]}}
    }

Good
    request {
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Weather of a city"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_weather"]}}
    }

How it happens, and how to mend it
    A tool choice of another API is translated field by field; a config of one request is sent with the tools of another;
    a tool was renamed. To allow some functions and leave the choice to the model, use VALIDATED; to forbid functions, do
    not declare them.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/function-calling; the 400's own wording for names that are not declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import SUBSET
from ..finding import Finding, Severity
from ..rule import RequestContext, Rule
from ..tooling import declares_elsewhere, validates_by_default

NAME = "unusable-allowed-names"
_PLACE = ("toolConfig", "functionCallingConfig", "allowedFunctionNames")
_UNSET = frozenset({"", "MODE_UNSPECIFIED"})
_WITHOUT_USE = _UNSET | {"AUTO", "NONE"}


def check(context: RequestContext) -> Iterator[Finding]:
    """Allowed names in a mode without use for them, and those that are not declared."""
    names = context.calling_config.get("allowedFunctionNames")
    if not names:
        return
    mode = context.calling_mode
    if mode in _WITHOUT_USE and not (mode in _UNSET and validates_by_default(context)):
        told = "AUTO, the default" if mode in _UNSET else mode
        yield Finding(
            NAME, Severity.ERROR, _PLACE, f"allowedFunctionNames needs mode ANY or VALIDATED, not {told}"
        )
    if declares_elsewhere(context):
        return
    declared = [declaration.get("name") for _, _, declaration in context.declarations]
    known = {name for name in declared if isinstance(name, str)}
    for index, name in enumerate(names if isinstance(names, list) else [names]):
        if not isinstance(name, str) or name not in known:
            told = (
                f"function {name!r} is not declared"
                if isinstance(name, str)
                else "an allowed name is no text"
            )
            yield Finding(NAME, Severity.ERROR, (*_PLACE, index), told, rejection=SUBSET)


RULE = Rule(NAME, __doc__ or "", on_request=check)
