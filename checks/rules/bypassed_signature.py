"""A documented value stands in for a signature, and switches its validation off.

What it finds
    ``skip_thought_signature_validator`` and ``context_engineering_is_the_way_to_go`` in the place of a signature, as plain
    text or in base64.

Why it matters
    Google documents them for calls that no Gemini model made: histories of other models, calls that the client invented. They
    are accepted, and the model thinks on without what it thought before: worse answers, and nobody is told.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "skip_thought_signature_validator"}]},
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
    Frameworks that lose signatures put the value in to get past the error. Where Gemini made the call, send back what it
    signed; keep the value for calls that it did not make.

Severity
    info; error where the surface does not document the value: ``context_engineering_is_the_way_to_go`` is the Gemini API's
    alone.

Source
    ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import PartAt
from ..finding import Finding, Scope, Severity, content_place
from ..parts import describe
from ..rule import Rule, RunContext
from ..signatures import bypass_of

NAME = "bypassed-signature"


def check(context: RunContext) -> Iterator[Finding]:
    """Documented values in the place of signatures."""
    for at in context.run.parts:
        bypass = bypass_of(at.signature) if at.signature else None
        if bypass is None:
            continue
        place = content_place(at.content, at.part)
        told = f"{describe(at.value)} carries {bypass.value}: its signature is not validated"
        if context.target.strict and context.target.surface not in bypass.surfaces:
            told = f"{describe(at.value)} carries {bypass.value}, which {context.target.surface} does not document"
            yield Finding(NAME, Severity.ERROR, place, told, scope=Scope.CURRENT_TURN)
        else:
            yield Finding(NAME, Severity.INFO, place, told + _instead(context, at), scope=Scope.ONCE)


def _instead(context: RunContext, at: PartAt) -> str:
    issued = context.returned.issued_for(at) if context.returned else None
    if issued is None or issued.signature is None or context.returned is None:
        return ""
    return f"; exchange {context.returned.record.number} issued a signature with it"


RULE = Rule(NAME, __doc__ or "", on_run=check)
