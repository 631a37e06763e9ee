"""Responses without ids come in another order than their calls.

What it finds
    Parallel calls, responses that no id ties to them, and names in another order than those of the calls.

Why it matters
    Without ids the order is all that tells responses to one function apart, and Google's page asks for it. A client that
    sends results as they finish mixes them up as soon as one function is called twice.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather and time in Pune?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"name": "get_time", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "get_time", "response": {"time": "09:30"}}},
            {"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather and time in Pune?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"name": "get_time", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}},
            {"functionResponse": {"name": "get_time", "response": {"time": "09:30"}}}]}
    ]

How it happens, and how to mend it
    Tools run at the same time and each result is appended when it is there. Put results into the order of the calls, or
    echo the ids of the calls: with ids on both sides any order will do.

Severity
    warning.

Source
    ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "reordered-responses"


def check(context: RunContext) -> Iterator[Finding]:
    """The first response without an id that stands where another call's belongs."""
    step = step_before(context.run)
    if step is None:
        return
    by_order = []
    for response, index in zip(step.responses, step.answered, strict=True):
        if index is None:
            continue
        call = step.calls[index].named
        if (call.id is None or response.named.id is None) and call.name == response.named.name:
            by_order.append((index, response))
    for (index, response), due in zip(by_order, sorted(index for index, _ in by_order), strict=True):
        if index != due:
            yield Finding(
                NAME,
                Severity.WARNING,
                content_place(response.at.content),
                f"response {response.named.name or '(unnamed)'} stands where the one to "
                f"{step.calls[due].name or '(unnamed)'} belongs, and no ids tell them apart",
            )
            return


RULE = Rule(NAME, __doc__ or "", on_run=check)
