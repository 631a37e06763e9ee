"""Mode ANY makes the model call, answer after answer, and never lets it end the turn.

What it finds
    Three or more answers in a row of one turn, each asked for with mode ANY and each a call.

Why it matters
    ANY means that the model must call a function; with it on every request a turn has no end but the client's limit.

Bad
    request {
        "contents": [{"role": "user", "parts": [{"text": "Is the oven hot?"}]}],
        "tools": [{"functionDeclarations": [{"name": "read_oven", "description": "Temperature"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}
    }
    answer {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request {
        "contents": [
            {"role": "user", "parts": [{"text": "Is the oven hot?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
                "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read_oven", "response": {"celsius": 210}}}]}],
        "tools": [{"functionDeclarations": [{"name": "read_oven", "description": "Temperature"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}
    }
    answer {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
        "thoughtSignature": "EqQDCqEDAVSoXO5="}]}
    request {
        "contents": [
            {"role": "user", "parts": [{"text": "Is the oven hot?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
                "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read_oven", "response": {"celsius": 210}}}]},
            {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
                "thoughtSignature": "EqQDCqEDAVSoXO5="}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read_oven", "response": {"celsius": 211}}}]}],
        "tools": [{"functionDeclarations": [{"name": "read_oven", "description": "Temperature"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}
    }
    answer {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
        "thoughtSignature": "EqwDCqkDAVSoXO6="}]}

Good
    request {
        "contents": [{"role": "user", "parts": [{"text": "Is the oven hot?"}]}],
        "tools": [{"functionDeclarations": [{"name": "read_oven", "description": "Temperature"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}
    }
    answer {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request {
        "contents": [
            {"role": "user", "parts": [{"text": "Is the oven hot?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "read_oven", "args": {}},
                "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read_oven", "response": {"celsius": 210}}}]}],
        "tools": [{"functionDeclarations": [{"name": "read_oven", "description": "Temperature"}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}
    }
    answer {"role": "model", "parts": [{"text": "Yes, 210 degrees."}]}

How it happens, and how to mend it
    The configuration of the first request is kept for the whole loop. Ask for ANY once and go on with AUTO or VALIDATED, or
    give the model a function that ends the turn and stop when it is called.

Severity
    warning.

Source
    ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import run_of
from ..finding import Finding, Severity
from ..rule import RequestContext, Rule

NAME = "endless-any"
_ROW = 3


def check(context: RequestContext) -> Iterator[Finding]:
    """An answer that is the third or a later call in a row that ANY brought about."""
    mode, calls = context.calling_mode, context.entry.answer.calls
    run, earlier = context.run, context.continues
    for _ in range(_ROW - 1):
        if mode != "ANY" or not calls or run is None or run.prompts or earlier is None:
            return
        mode, calls = earlier.calling_mode, earlier.answer.calls
        run, earlier = run_of(earlier.history), earlier.continues
    if mode == "ANY" and calls:
        yield Finding(
            NAME,
            Severity.WARNING,
            ("toolConfig", "functionCallingConfig", "mode"),
            f"mode ANY has brought {_ROW} calls in a row or more, and the model cannot end the turn",
        )


RULE = Rule(NAME, __doc__ or "", on_answer=check)
