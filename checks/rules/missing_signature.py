"""The first call of a step in the current turn has no thought signature.

What it finds
    In each step of the current turn the first functionCall part must carry the signature that the model issued with
    it. Later parallel calls of the step come unsigned and go back unsigned. Older turns are not looked at.

Why it matters
    Gemini 3 and later answer 400: the signature is how the model finds its train of thought again.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}}]},
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
    The client rebuilds the model's parts from name and arguments, or a session store keeps text and calls but not the
    signature bytes, or a stream's aggregator drops them. Put the model's content into the history as it came. For calls
    that another model made, send the documented value ``skip_thought_signature_validator`` as the signature.

Severity
    error; warning where it is unclear whether the call lies in the current turn (a prompt in a content of its own right
    behind responses), and for an unsigned call that opens a later content of a split model run, which nobody has seen
    refused for certain. Both become errors where the API did refuse the request and nothing else explains it. Nothing on
    models before 3; image models and server-side tool parts: see dropped-signature.

Source
    ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import missing_signature
from ..conversation import Call, Run
from ..finding import Finding, Scope, Severity, content_place
from ..rule import Rule, RunContext

NAME = "missing-signature"


def check(context: RunContext) -> Iterator[Finding]:
    """The unsigned call that opens a step, or a later content of a split model run."""
    run = context.run
    if not context.target.strict or run.role != "model":
        return
    opening = _opening_calls(run)
    for position, call in enumerate(opening):
        if call.at.signature is not None:
            continue
        place = content_place(call.at.content, call.at.part)
        if position == 0:
            yield Finding(
                NAME,
                Severity.ERROR,
                place,
                f"call {call.name or '(unnamed)'} is the first of its step and has no thoughtSignature"
                + _issued_by(context, call),
                scope=Scope.CURRENT_TURN,
                rejection=missing_signature(context.target, call.name, call.at.content),
            )
        elif not _split_as_streamed(context):
            yield Finding(
                NAME,
                Severity.WARNING,
                place,
                f"call {call.name or '(unnamed)'} opens another content of a split model turn and has no "
                "thoughtSignature; keep the calls of one answer in one content",
                scope=Scope.CURRENT_TURN,
                suspect=True,
            )


def _opening_calls(run: Run) -> list[Call]:
    """The first call of each content of a run."""
    first: dict[int, Call] = {}
    for call in run.calls:
        first.setdefault(call.at.content, call)
    return list(first.values())


def _issued_by(context: RunContext, call: Call) -> str:
    if context.returned is None:
        return ""
    for issued, sent in context.returned.pairs:
        if sent is not None and sent[:2] == call.at[:2] and issued.signature is not None:
            return f"; exchange {context.returned.record.number} issued one with it"
    return ""


def _split_as_streamed(context: RunContext) -> bool:
    """Whether the model run lies in the contents in which its answer was streamed: chats keep each event's."""
    if context.returned is None:
        return False
    streamed = [content for content in context.returned.record.answer.contents if content.get("parts")]
    return len(streamed) > 1 and len(context.run.contents) <= len(streamed)


RULE = Rule(NAME, __doc__ or "", on_run=check)
