"""A response carries an id that no call of its step has.

What it finds
    Where the calls of a step have ids, the id of a response must be one of them, and that of the call whose name it has.

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

from ..conversation import Step, step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "mismatched-id"


def check(context: RunContext) -> Iterator[Finding]:
    """Responses whose id is none of their step's, or that of a call with another name."""
    step = step_before(context.run)
    if step is None:
        return
    swapped = swapped_ids(step)
    for position, (response, index) in enumerate(zip(step.responses, step.answered, strict=True)):
        if index is None:
            continue
        sent, call = response.named, step.calls[index]
        if position in swapped:
            told = f"has the id {sent.id!r} of call {call.name or '(unnamed)'}: the ids are swapped"
        elif sent.id is not None and call.named.id is not None and sent.id != call.named.id:
            told = f"has id {sent.id!r}; its call has {call.named.id!r}"
        else:
            continue
        place = content_place(response.at.content, response.at.part)
        yield Finding(NAME, Severity.ERROR, place, f"response {sent.name or '(unnamed)'} {told}")


def swapped_ids(step: Step) -> set[int]:
    """The positions of the responses that have the id of one call of the step and the name of another."""
    names = {call.named.name for call in step.calls}
    found: set[int] = set()
    for position, (response, index) in enumerate(zip(step.responses, step.answered, strict=True)):
        call_id, name = response.named
        call = step.calls[index].named if index is not None else None
        if call and call_id is not None and call_id == call.id and name != call.name and name in names:
            found.add(position)
    return found


RULE = Rule(NAME, __doc__ or "", on_run=check)
