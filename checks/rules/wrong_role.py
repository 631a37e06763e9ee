"""A content has a role other than user and model.

What it finds
    Contents with roles such as system, assistant, tool or function. A missing role is user, and case does not matter.

Why it matters
    The API answers 400. Models before 3 still took function and tool for the content that holds the responses.

Bad
    request [
        {"role": "system", "parts": [{"text": "Answer in Marathi."}]},
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]}
    ]

Good
    request {
        "systemInstruction": {"parts": [{"text": "Answer in Marathi."}]},
        "contents": [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    }

How it happens, and how to mend it
    Roles of another API pass through a converter, or code follows samples for Gemini 1. Send instructions as
    systemInstruction, assistant messages as model, and functionResponse parts under the role user.

Severity
    error; warning for function and tool on models before 3, and error where the API did refuse the request and nothing
    else explains it.

Source
    Reports of the 400; ai.google.dev/gemini-api/docs/function-calling shows responses under the role user.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import invalid_role
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "wrong-role"
_ROLES = frozenset({"user", "model"})
_ONCE_ACCEPTED = frozenset({"function", "tool"})


def check(context: RunContext) -> Iterator[Finding]:
    """Contents of a run whose role the API does not know."""
    if context.run.role == "model":
        return
    for turn in context.run.contents:
        if turn.role in _ROLES or not isinstance(turn.normal, dict):
            continue
        place = (*content_place(turn.depth - 1), "role")
        told = f"role {turn.role[:40]!r} is neither user nor model" if turn.role else "the role is no text"
        if turn.role in _ONCE_ACCEPTED and not context.target.third_generation:
            yield Finding(
                NAME,
                Severity.WARNING,
                place,
                f"{told}; models before 3 take it, later ones do not",
                suspect=True,
            )
        else:
            yield Finding(
                NAME, Severity.ERROR, place, told, rejection=invalid_role(turn.role) if turn.role else ""
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
