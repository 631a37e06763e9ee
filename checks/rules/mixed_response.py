"""Text stands behind a function response in one user content.

What it finds
    A user content whose functionResponse is followed by a text part that says something.

Why it matters
    Such a content is neither an answer to calls nor a prompt: the API does not take it for the start of a turn and goes on
    looking further back. Newer models were seen to refuse it or to answer with nothing, older ones to answer with a
    malformed call. Text in front of the responses was accepted by every model that was tried.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}},
            {"text": "And in Agra?"}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]},
        {"role": "user", "parts": [{"text": "And in Agra?"}]}
    ]

How it happens, and how to mend it
    A converter merges neighbouring messages of one role, or a client appends reminders to the tool results. Put the text
    into a content of its own behind the responses.

Severity
    warning.

Source
    Public reports; ai.google.dev/gemini-api/docs/thought-signatures on where a turn starts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "mixed-response"


def check(context: RunContext) -> Iterator[Finding]:
    """The first text behind a response in each content of a user run."""
    if context.run.role != "user":
        return
    answering = reported = -1
    for at in context.run.parts:
        if "functionResponse" in at.value:
            answering = at.content
        elif at.value.get("text") and at.content == answering and at.content != reported:
            reported = at.content
            yield Finding(
                NAME,
                Severity.WARNING,
                content_place(at.content, at.part),
                "text behind a functionResponse in one content; it belongs into a content of its own",
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
