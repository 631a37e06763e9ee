"""A response has no call in the model content before it.

What it finds
    A functionResponse must answer a functionCall of the model turn right before it. One that answers nothing is the mark
    of a dropped model turn.

Why it matters
    The API answers 400: a response turn has to come immediately after the call turn, with as many parts.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    History trimming keeps the newest contents and cuts between call and response; a converter skips model contents
    without text; a late result is appended where other turns follow its call. Keep call and response together, and
    answer a long-running call once.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/function-calling; the 400's own wording.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import COUNT, RESPONSE_ORDER
from ..conversation import Response, step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "orphan-response"


def check(context: RunContext) -> Iterator[Finding]:
    """The first response of a user run that no call stands for."""
    run = context.run
    if run.role != "user" or not run.responses:
        return
    step = step_before(run)
    if step is None:
        yield _finding(run.responses, "the content before it holds no call", RESPONSE_ORDER)
        return
    extra = [response for response, call in zip(step.responses, step.answered, strict=True) if call is None]
    if extra and not any(response.asynchronous for response in step.responses):
        why = f"the turn before it has {len(step.calls)} calls, and {len(step.responses)} responses follow"
        yield _finding(extra, why, COUNT)


def _finding(orphans: list[Response], why: str, rejection: str) -> Finding:
    first = orphans[0]
    name = first.named.name or first.named.id or "(unnamed)"
    answer = "answers" if len(orphans) == 1 else f"and {len(orphans) - 1} more answer"
    place = content_place(first.at.content, first.at.part)
    return Finding(
        NAME, Severity.ERROR, place, f"response {name} {answer} no call: {why}", rejection=rejection
    )


RULE = Rule(NAME, __doc__ or "", on_run=check)
