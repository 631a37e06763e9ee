"""A response has another name than the call it answers, or none.

What it finds
    A functionResponse must carry the name of the function that was called. Where id and name are those of two different
    calls of the step, the ids are taken for swapped: see mismatched-id. A tool message of chat completions names its call
    by the id alone, and the rule says nothing.

Why it matters
    Without ids the name is what pairs responses with calls. An empty name is refused with 400; a wrong one was seen to
    give 200 and an empty answer.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "call_7f3a", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    A client keeps results under its own tracking id and sends that id as the name. Copy name and id from the call.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/function-calling; the 400 for an empty name.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import empty_response_name
from ..conversation import step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext
from .mismatched_id import swapped_ids

NAME = "mismatched-name"


def check(context: RunContext) -> Iterator[Finding]:
    """Responses without a name, or with another one than their call; in a chat the call's id alone names it."""
    if context.run.role != "user" or context.target.chat:
        return
    step = step_before(context.run)
    called = dict(zip(map(id, step.responses), step.answered, strict=True)) if step else {}
    swapped = swapped_ids(step) if step else set()
    for position, response in enumerate(context.run.responses):
        index = called.get(id(response))
        expected = step.calls[index].name if step and index is not None else ""
        name = response.named.name
        place = content_place(response.at.content, response.at.part)
        if not name:
            rejection = empty_response_name(context.target, response.at.content, response.at.part)
            message = f"the response to {expected} has no name" if expected else "a response has no name"
            yield Finding(NAME, Severity.ERROR, place, message, rejection=rejection)
        elif expected and name != expected and position not in swapped:
            yield Finding(
                NAME, Severity.ERROR, place, f"response is named {name!r}; its call is {expected!r}"
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
