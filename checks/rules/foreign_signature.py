"""A signature comes from another model, another backend or another conversation.

What it finds
    Signatures of this cassette that were issued in another conversation, by another of Google's surfaces, or, in the current
    turn, by another model than the one that is asked. Nothing is said of signatures whose origin is not recorded.

Why it matters
    A signature is the state of one model's thoughts in one conversation. Another backend, or another account, refuses it as
    corrupted; another model cannot read it, and Google asks for a documented stand-in on calls of the current turn that
    another model made.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [{"role": "user", "parts": [{"text": "Is it warm in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EqQDCqEDAVSoXO5="}]}
    request [
        {"role": "user", "parts": [{"text": "Is it warm in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [{"role": "user", "parts": [{"text": "Is it warm in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EqQDCqEDAVSoXO5="}]}
    request [
        {"role": "user", "parts": [{"text": "Is it warm in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EqQDCqEDAVSoXO5="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    A cache of signatures is keyed by the call instead of by the conversation; a router changes the model in the middle of a
    turn; a session is moved from one backend to another. Keep signatures in the history that they belong to, change models
    between turns, and send ``skip_thought_signature_validator`` where that cannot be.

Severity
    warning, and error where the API did refuse the request and nothing else explains it; info on models before 3.

Source
    ai.google.dev/gemini-api/docs/thought-signatures; github.com/google-gemini/gemini-cli/issues/13467
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..conversation import PartAt
from ..finding import Finding, Scope, Severity, content_place
from ..ledger import Origin, Record
from ..parts import describe
from ..rule import Rule, RunContext
from ..signatures import bypass_of

NAME = "foreign-signature"
_REVISION = re.compile(r"(?:-(?:preview|exp|latest|[0-9]+))+")


def check(context: RunContext) -> Iterator[Finding]:
    """Signatures of other conversations, backends and models."""
    for at in context.run.whole:
        if at.signature is None or bypass_of(at.signature):
            continue
        origins = [
            origin
            for origin in context.ledger.origins(at.signature)
            if origin.record.started_at <= context.now
        ]
        if origins:
            yield from _foreign(context, at, origins)


def _foreign(context: RunContext, at: PartAt, origins: list[Origin]) -> Iterator[Finding]:
    number = origins[-1].record.number
    if context.conversation not in (None, *(origin.record.conversation for origin in origins)):
        yield _finding(context, at, f"exchange {number} issued in another conversation")
    elif all(origin.record.surface is not context.target.surface for origin in origins):
        surface = origins[-1].record.surface
        yield _finding(
            context, at, f"{surface} issued in exchange {number}; it is sent to {context.target.surface}"
        )
    elif all(_is_another(context, origin.record) for origin in origins):
        told = f"{origins[-1].record.model} issued in exchange {number}; another model is asked"
        yield _finding(context, at, told, Scope.CURRENT_TURN)


def _finding(context: RunContext, at: PartAt, told: str, scope: Scope = Scope.ALWAYS) -> Finding:
    severity = Severity.WARNING if context.target.third_generation else Severity.INFO
    told = f"{describe(at.value)} carries a signature that {told}"
    place = content_place(at.content, at.part)
    return Finding(NAME, severity, place, told, scope=scope, suspect=context.target.third_generation)


def _is_another(context: RunContext, record: Record) -> bool:
    """Whether an exchange certainly asked another model: an alias may stand for any, and a revision is the same."""
    asked = context.target.asked or context.target.model
    names = {name for name in (record.model, record.answer.model_version) if name}
    if not asked or not names or asked.endswith("-latest"):
        return False
    if all(name.endswith("-latest") for name in names):
        return False
    return not any(_same_model(asked, name) for name in names)


def _same_model(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    rest = longer[len(shorter) :]
    return longer.startswith(shorter) and (not rest or _REVISION.fullmatch(rest) is not None)


RULE = Rule(NAME, __doc__ or "", on_run=check)
