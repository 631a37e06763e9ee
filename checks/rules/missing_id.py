"""A call has an id, and the response to it has none.

What it finds
    Where a functionCall of a step carries an id, its functionResponse should echo it.

Why it matters
    Without the id the API pairs by name and order. That works as long as parallel responses come in the order of their
    calls; two calls of one function swap their results unnoticed when they do not.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "hq1dul8c", "name": "get_weather",
            "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "hq1dul8c", "name": "get_weather",
            "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "hq1dul8c", "name": "get_weather",
            "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    Automatic function calling of the Python SDK builds responses from name and result alone, and so does much code from
    before the API sent ids. Copy the id from the call. Leaving the ids out on both sides is fine.

Severity
    info: no case is known where the API refused it.

Source
    ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "missing-id"


def check(context: RunContext) -> Iterator[Finding]:
    """Responses without an id whose call has one."""
    step = step_before(context.run)
    if step is None:
        return
    for response, index in zip(step.responses, step.answered, strict=True):
        if index is None or response.named.id is not None:
            continue
        call = step.calls[index]
        if call.named.id is not None:
            yield Finding(
                NAME,
                Severity.INFO,
                content_place(response.at.content, response.at.part, "functionResponse", "id"),
                f"call {call.name or '(unnamed)'} has id {call.named.id!r}; its response has none",
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
