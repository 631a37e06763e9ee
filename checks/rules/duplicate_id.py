"""Two calls, or two responses, of one step share an id.

What it finds
    Ids have to tell the calls of one model turn apart, and the responses to them. The same id in a later turn is fine.

Why it matters
    Nothing says any more which response belongs to which call. The API was seen to answer a bare 400.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune and in Agra?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"id": "get_weather", "name": "get_weather", "args": {"city": "Pune"}},
             "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"id": "get_weather", "name": "get_weather", "args": {"city": "Agra"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "get_weather", "name": "get_weather", "response": {"celsius": 31}}},
            {"functionResponse": {"id": "get_weather", "name": "get_weather", "response": {"celsius": 38}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune and in Agra?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"id": "hq1dul8c", "name": "get_weather", "args": {"city": "Pune"}},
             "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"id": "lx8q24je", "name": "get_weather", "args": {"city": "Agra"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "hq1dul8c", "name": "get_weather", "response": {"celsius": 31}}},
            {"functionResponse": {"id": "lx8q24je", "name": "get_weather", "response": {"celsius": 38}}}]}
    ]

How it happens, and how to mend it
    An adapter makes ids from function names, or answers one call twice. Keep the ids that the model issued; where it
    issued none, make one for each call.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/function-calling: an id is unique per call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..conversation import Call, Response, step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "duplicate-id"


def check(context: RunContext) -> Iterator[Finding]:
    """Second occurrences of an id among the calls of a model run, and among the responses of a step."""
    run = context.run
    if run.role == "model":
        yield from _repeated("calls", run.calls)
        return
    step = step_before(run)
    if step is not None:
        yield from _repeated("responses", step.responses)


def _repeated(kind: str, items: Iterable[Call] | Iterable[Response]) -> Iterator[Finding]:
    seen: set[str] = set()
    for item in items:
        call_id = item.named.id
        if call_id is None or item.value.get("willContinue"):  # one that comes in pieces repeats its id
            continue
        if call_id in seen:
            yield Finding(
                NAME,
                Severity.ERROR,
                content_place(item.at.content, item.at.part),
                f"id {call_id!r} is that of an earlier one of the same {kind}",
            )
        seen.add(call_id)


RULE = Rule(NAME, __doc__ or "", on_run=check)
