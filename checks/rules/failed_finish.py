"""The model stopped in the middle of a function call.

What it finds
    An answer that ends with MALFORMED_FUNCTION_CALL (the model wrote a call that does not parse), UNEXPECTED_TOOL_CALL (it
    called a function that is not declared), MISSING_THOUGHT_SIGNATURE, or with MAX_TOKENS and a call in it.

Why it matters
    The status is 200, so nothing raises; the content is empty or holds half of what was meant. Many clients take it for the
    end of the turn and show nothing.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "Malformed function call: print(default_api.get_weather(city='Pune'))", "index": 0}]}

Good
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "get_weather",
        "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]}, "finishReason": "STOP", "index": 0}]}

How it happens, and how to mend it
    Deeply nested or very many parameters, text in several languages inside arguments, tools that the history uses and the
    request leaves out, lost signatures, a small maxOutputTokens. Look at the finish reason before the parts; ask again
    once, and simplify the declaration if it comes back.

Severity
    warning.

Source
    ai.google.dev/api/generate-content, FinishReason
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..finding import Finding, Severity
from ..rule import RequestContext, Rule

NAME = "failed-finish"
_REASONS: Final = {
    "MALFORMED_FUNCTION_CALL": "the model wrote a call that does not parse",
    "UNEXPECTED_TOOL_CALL": "the model called a function that is not declared",
    "MISSING_THOUGHT_SIGNATURE": "the history lacks a thought signature",
}
_LONGEST: Final = 200


def check(context: RequestContext) -> Iterator[Finding]:
    """A finish reason that says that a call went wrong."""
    answer = context.entry.answer
    why = _REASONS.get(answer.finish_reason, "")
    if answer.finish_reason == "MAX_TOKENS" and answer.calls:
        why = "the output limit was reached, and a call may be incomplete"
    if not why:
        return
    said = f": {answer.finish_message[:_LONGEST]}" if answer.finish_message else ""
    yield Finding(
        NAME,
        Severity.WARNING,
        ("candidates", 0, "finishReason"),
        f"the answer ended with {answer.finish_reason}, {why}{said}",
        at="response",
    )


RULE = Rule(NAME, __doc__ or "", on_answer=check)
