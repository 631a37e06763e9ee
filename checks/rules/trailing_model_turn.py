"""The last content is the model's.

What it finds
    A request whose last content that says something has the role model, so that there is nothing to answer.

Why it matters
    From 3.6 on, and on 3.5 Flash-Lite, the API answers 400. Earlier models go on from the model's words: a prefill.

Bad
    model gemini-3.6-flash
    request [
        {"role": "user", "parts": [{"text": "Write a haiku about frost."}]},
        {"role": "model", "parts": [{"text": "White grass at first light"}]}
    ]

Good
    model gemini-3.6-flash
    request [
        {"role": "user", "parts": [{"text": "Write a haiku about frost."}]},
        {"role": "model", "parts": [{"text": "White grass at first light"}]},
        {"role": "user", "parts": [{"text": "Go on from there."}]}
    ]

How it happens, and how to mend it
    A retry sends the history with the answer that it already got, a user edits a draft and sends it again, or a prompt
    prefills the answer. Send the history up to the last prompt, and ask for a beginning or a form in the prompt itself.

Severity
    error from 3.6 on and on 3.5 Flash-Lite; info on other models of version 3; nothing on models before 3.

Source
    ai.google.dev/gemini-api/docs/generate-content/latest-model
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cassettes.turns import Turn
from ..apierrors import trailing_model_turn
from ..finding import Finding, Severity, content_place
from ..rule import RequestContext, Rule

NAME = "trailing-model-turn"


def check(context: RequestContext) -> Iterator[Finding]:
    """A model content at the end of the history; empty contents behind it do not count."""
    if not context.target.third_generation:
        return
    last = next((turn for turn in context.entry.layout.history.back() if _says_something(turn)), None)
    if last is None or last.role != "model" or _is_response(last.parts[-1]):
        return
    refused = context.target.refuses_trailing_model_turn
    yield Finding(
        NAME,
        Severity.ERROR if refused else Severity.INFO,
        content_place(last.depth - 1),
        "the history ends with the model: "
        + ("this model refuses that" if refused else "models from 3.6 on refuse that"),
        rejection=trailing_model_turn(context.target) if refused else "",
    )


def _says_something(turn: Turn) -> bool:
    return any(isinstance(part, dict) and part and part.get("text") != "" for part in turn.parts)


def _is_response(part: object) -> bool:
    return isinstance(part, dict) and "functionResponse" in part


RULE = Rule(NAME, __doc__ or "", on_request=check)
