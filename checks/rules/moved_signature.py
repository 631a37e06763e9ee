"""A signature that the model issued sits on another part than it arrived on.

What it finds
    An issued signature on another call or text, on the call of another step, on a function response, or inside the
    functionCall object or beside the parts of a content, where it is no field of anything.

Why it matters
    A signature belongs to the very part it arrived on. Where that part now has none the API answers 400; inside functionCall
    it is an unknown field, and refused as one; elsewhere the model reads its own thoughts in the wrong place.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    ]

Good
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    Signatures are kept in a list of their own and put back by position, or by the name of the function; or they are taken
    for something that the response has to repeat. Keep each in its part: thoughtSignature is a sibling of functionCall and
    text.

Severity
    error; info on models before 3, but where it is no field an error everywhere. Nothing where a part that was issued
    unsigned gets a copy and the original keeps its own: clients that send each call as a step of its own have to do that.
    Nothing where the signature of a thought, which is left out, moves to the call behind it.

Source
    ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import unknown_field
from ..conversation import PartAt
from ..finding import Finding, Severity, content_place
from ..ledger import Origin
from ..linking import chain
from ..parts import describe
from ..rule import Rule, RunContext
from ..signatures import bypass_of

NAME = "moved-signature"
_INSIDE = {"functionCall": "function_call", "functionResponse": "function_response"}
_KEYS = ("thoughtSignature", "thought_signature")


def check(context: RunContext) -> Iterator[Finding]:
    """Signatures on parts that they were not issued with, and inside calls and responses."""
    yield from _beside_parts(context)
    for at in context.run.parts:
        yield from _inside(context, at)
    conversation = context.conversation
    for at in context.run.whole:
        if at.signature is None or bypass_of(at.signature) or conversation is None:
            continue
        origins = [
            origin
            for origin in context.ledger.origins(at.signature)
            if origin.record.conversation == conversation and origin.record.started_at <= context.now
        ]
        if origins and not any(context.is_at_home(origin, at) for origin in origins):
            yield from _moved(context, at, origins)


def _moved(context: RunContext, at: PartAt, origins: list[Origin]) -> Iterator[Finding]:
    if _is_unsigned(context, at) and any(_keeps_its_own(context, origin) for origin in origins):
        return
    origin = origins[-1]
    yield Finding(
        NAME,
        Severity.ERROR if context.target.third_generation else Severity.INFO,
        content_place(at.content, at.part),
        f"{describe(at.value)} carries the signature that exchange {origin.record.number} issued with "
        f"{describe(origin.value)}",
    )


def _is_unsigned(context: RunContext, at: PartAt) -> bool:
    """Whether no signature was issued for a part, as far as the recording tells."""
    issued = context.returned.issued_for(at) if context.returned else None
    return issued is None or issued.signature is None


def _keeps_its_own(context: RunContext, origin: Origin) -> bool:
    """Whether the part that a signature was issued with still has it, in this run or in front of it."""
    newest = context.returned or context.newest
    return any(
        answer.record is origin.record and answer.keeps(origin.value)
        for answer in chain(newest, origin.record.number)
    )


def _beside_parts(context: RunContext) -> Iterator[Finding]:
    for turn in context.run.contents:
        for key in _KEYS if isinstance(turn.normal, dict) else ():
            if isinstance(turn.normal.get(key), str) and turn.normal[key]:
                yield Finding(
                    NAME,
                    Severity.ERROR,
                    ("contents", turn.depth - 1, "thoughtSignature"),
                    "a signature stands beside the parts of a content; it belongs into the part it arrived on",
                    rejection=unknown_field(context.target, f"contents[{turn.depth - 1}]", key),
                )


def _inside(context: RunContext, at: PartAt) -> Iterator[Finding]:
    for name, spelling in _INSIDE.items():
        inner = at.value.get(name)
        if not isinstance(inner, dict):
            continue
        for key in _KEYS:
            if not isinstance(inner.get(key), str) or not inner[key]:
                continue
            path = f"contents[{at.content}].parts[{at.part}].{spelling}"
            yield Finding(
                NAME,
                Severity.ERROR,
                content_place(at.content, at.part, name, "thoughtSignature"),
                f"the signature of {describe(at.value)} sits inside {name}; it belongs beside it, in the part",
                rejection=unknown_field(context.target, path, key),
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
