"""The responses to one batch of calls stand in several contents.

What it finds
    Calls that the model made together are answered by responses in more than one user content. In chat completions every
    response is a message of its own, and the rule says nothing.

Why it matters
    Vertex and Code Assist count only the responses in the content right after the calls, find too few and answer 400.
    The Gemini API joins neighbouring contents of one role first, and was seen to refuse them all the same.

Bad
    surface vertex
    request [
        {"role": "user", "parts": [{"text": "Weather and time in Pune?"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="},
            {"functionCall": {"name": "get_time", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_time", "response": {"time": "09:30"}}}]}
    ]

Good
    surface vertex
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
    A converter makes a content of each tool message, since other APIs want one message a result. Collect the responses to
    all calls of a model turn and send them as the parts of one content.

Severity
    error on Vertex and Code Assist; warning on the Gemini API, and error where it did refuse the request and nothing else
    explains it.

Source
    ai.google.dev/gemini-api/docs/function-calling; the 400 names the numbers of parts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import COUNT
from ..conversation import step_before
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "split-responses"


def check(context: RunContext) -> Iterator[Finding]:
    """Responses of one step in more than one content; what answers no call is another rule's matter.

    A chat message holds one response, so there every batch comes in several.
    """
    step = step_before(context.run)
    if step is None or context.target.chat or any(response.asynchronous for response in step.responses):
        return
    answers = [
        response for response, call in zip(step.responses, step.answered, strict=True) if call is not None
    ]
    contents = sorted({response.at.content for response in answers})
    if len(contents) < 2:
        return
    refused = context.target.counts_next_content_only
    yield Finding(
        NAME,
        Severity.ERROR if refused else Severity.WARNING,
        content_place(contents[0]),
        f"the {len(answers)} responses to one batch of calls stand in {len(contents)} contents; they belong into one",
        rejection=COUNT if refused else "",
        suspect=not refused,
    )


RULE = Rule(NAME, __doc__ or "", on_run=check)
