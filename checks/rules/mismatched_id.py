"""A response carries an id that no call of its step has.

What it finds
    Where the calls of a step have ids, the id of a response must be one of them.

Why it matters
    Google documents that the id has to be echoed exactly. What the server does with another one is not known for
    certain: 400s and empty answers were both reported. At best it pairs by name, and parallel calls of one function
    swap their results unnoticed.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "hq1dul8c", "name": "get_weather",
            "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "item_1", "name": "get_weather",
            "response": {"celsius": 31}}}]}
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
    An adapter between two APIs sends its own item id, or makes a new one for the response. Copy the id from the call.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "mismatched-id"


def check(context: RunContext) -> Iterator[Finding]:
    """Responses whose id is none of their step's, where the call that they answer has one."""
    step = step_before(context.run)
    if step is None:
        return
    for response, index in zip(step.responses, step.answered, strict=True):
        if index is None:
            continue
        sent, issued = response.named.id, step.calls[index].named.id
        if sent is None or issued is None or sent == issued:
            continue
        yield Finding(
            NAME,
            Severity.ERROR,
            content_place(response.at.content, response.at.part),
            f"response {response.named.name or '(unnamed)'} has id {sent!r}; its call has {issued!r}",
        )


RULE = Rule(NAME, __doc__ or "", on_run=check)
