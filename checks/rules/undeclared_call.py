"""The model called a function that the request does not declare.

What it finds
    A functionCall in an answer whose name is none of the request's function declarations. Where declarations may stand
    elsewhere (cached content, tool servers, computer use) nothing is said.

Why it matters
    There is nothing to run. A dispatcher that looks functions up by name fails, and one that guesses runs something that
    the model was never offered.

Bad
    tools [{"functionDeclarations": [{"name": "get_forecast", "description": "Forecast for a city"}]}]
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}

Good
    tools [{"functionDeclarations": [{"name": "get_forecast", "description": "Forecast for a city"}]}]
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}

How it happens, and how to mend it
    The instruction, or an older turn, mentions a function that this request does not offer: tools were renamed, filtered
    by step, or left out of the follow-up. Declare every function that the history uses, and answer a call that cannot be
    run with an error result that lists the names that can.

Severity
    warning.

Source
    ai.google.dev/gemini-api/docs/function-calling; the finish reason UNEXPECTED_TOOL_CALL.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from ..declared import declarations, issued_calls
from ..finding import Finding, Severity, answer_place
from ..rule import RequestContext, Rule
from ..tooling import declares_elsewhere

NAME = "undeclared-call"
_LISTED = 5


def check(context: RequestContext) -> Iterator[Finding]:
    """Calls of an answer that no declaration of the request names."""
    if declares_elsewhere(context):
        return
    declared = declarations(context.entry.layout.tools)
    for index, call in issued_calls(context.entry.answer):
        name = call.get("name")
        if not isinstance(name, str) or not name or name in declared:
            continue
        yield Finding(
            NAME,
            Severity.WARNING,
            answer_place(index),
            f"the model called {name[:128]!r}, which the request does not declare; {_hint(name, list(declared))}",
            at="response",
        )


def _hint(name: str, declared: list[str]) -> str:
    if not declared:
        return "it declares no function"
    near = get_close_matches(name[:128], declared[:200], n=1)
    if near:
        return f"it declares {near[0]}"
    more = f" and {len(declared) - _LISTED} more" if len(declared) > _LISTED else ""
    return f"it declares {', '.join(declared[:_LISTED])}{more}"


RULE = Rule(NAME, __doc__ or "", on_answer=check)
