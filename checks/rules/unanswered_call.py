"""A call has no response in the content that follows it.

What it finds
    After a model turn with calls the next user content must hold one functionResponse for each of them, whether or not
    the tool succeeded. Calls of server-side tools do not count, nor do calls that the API had answered by a tool server:
    their responses stand in the model's own content.

Why it matters
    The API answers 400 when the numbers differ. A cancelled tool needs a response too: one that says so.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather and time in Pune?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"name": "get_time", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather and time in Pune?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"name": "get_time", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}},
            {"functionResponse": {"name": "get_time", "response": {"error": "cancelled by the user"}}}]}
    ]

How it happens, and how to mend it
    A tool was cancelled, timed out or still runs, and the client goes on without it; or a history was cut in the middle
    of a step. Answer every call, with an error object if need be, and cut histories only in front of a prompt.

Severity
    error; info where a model before 2.5 took the request, as some do.

Source
    ai.google.dev/gemini-api/docs/function-calling; the 400 names the numbers of parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import COUNT
from ..conversation import Call, step_before
from ..finding import Finding, Place, Severity, content_place
from ..rule import Rule, RunContext

NAME = "unanswered-call"
_NAMED = 8
_COUNTED_FROM = (2, 5)
"""Earlier models were seen to take calls without responses, on the Gemini API and on Vertex."""


def check(context: RunContext) -> Iterator[Finding]:
    """Calls without a response: in the user run behind them, or at the end of the history."""
    run = context.run
    if run.role == "model":
        if context.final and run.open_calls:
            yield _finding(context, _at_call(run.open_calls[0]), run.open_calls, "the history ends with it")
        return
    step = step_before(run)
    if step is None or any(response.asynchronous for response in step.responses):
        return
    answered = set(step.answered)
    open_calls = [call for index, call in enumerate(step.calls) if index not in answered]
    if not open_calls:
        return
    if not step.responses:
        yield _finding(context, _at_call(open_calls[0]), open_calls, "the next content answers none")
        return
    place = content_place(step.responses[0].at.content)
    responses = len(step.responses)
    numbers = f"{len(step.calls)} calls, {responses} response{'' if responses == 1 else 's'}"
    yield _finding(context, place, open_calls, numbers)


def _at_call(call: Call) -> Place:
    return content_place(call.at.content, call.at.part)


def _named(call: Call) -> str:
    """The call as a reader finds it again, should there be others of its name."""
    where = repr(call.named.id) if call.named.id else f"part {call.at.part}"
    return f"{call.name or '(unnamed)'} ({where})"


def _finding(context: RunContext, place: Place, calls: list[Call], why: str) -> Finding:
    names = ", ".join(_named(call) for call in calls[:_NAMED])
    if len(calls) > _NAMED:
        names += f" and {len(calls) - _NAMED} more"
    version = context.target.version
    return Finding(
        NAME,
        Severity.ERROR,
        place,
        f"no response to {names}: {why}",
        rejection=COUNT,
        presumed=version is not None and version < _COUNTED_FROM,
    )


RULE = Rule(NAME, __doc__ or "", on_run=check)
