"""A signature is not the one that the model issued with this part.

What it finds
    Compared with the recorded answer, whatever the alphabet and the padding: truncated, encoded twice, joined with another,
    edited, emptied, or given to a part that had none. Without a recorded answer it finds what is not base64 at all.

Why it matters
    The API answers 400, "Corrupted thought signature" or the like, and so does every later request that holds the turn.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "RXB3Q0Nwa0NBVlNvWE80PQ=="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
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
    A JSON string is taken for bytes and encoded again; a column of a session store is too short; the pieces of a stream are
    concatenated, signatures and all; bytes go through a text encoding. Keep the signature as an opaque text, or as the bytes
    that it stands for, and never both.

Severity
    error; info on models before 3, which look at no signature. What is not base64 is an error everywhere.

Source
    ai.google.dev/gemini-api/docs/thought-signatures; github.com/google-gemini/gemini-cli/issues/13467
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import missing_signature, undecodable_signature
from ..conversation import PartAt
from ..finding import Finding, Place, Scope, Severity, content_place
from ..parts import call_of, describe, is_media
from ..returned import IssuedPart, Returned
from ..rule import Rule, RunContext
from ..signatures import alteration, bypass_of, is_decodable, same_bytes

NAME = "altered-signature"


def check(context: RunContext) -> Iterator[Finding]:
    """Signatures that are no base64, or that no recorded answer issued for the part they sit on."""
    returned = context.returned if context.run.role == "model" else None
    for at in context.run.parts:
        value = at.value.get("thoughtSignature")
        if value is None:
            continue
        place = content_place(at.content, at.part)
        issued = _issued_for(returned, at) if returned else None
        if not is_decodable(value):
            told = f"the signature of {describe(at.value)} is not base64"
            if issued is not None and isinstance(value, str):
                told = _told(at, issued, value, returned)
            rejection = undecodable_signature(context.target, at.content, at.part, value)
            yield Finding(NAME, Severity.ERROR, place, told, rejection=rejection)
        elif value == "":
            yield from _emptied(context, at, place)
        elif returned is not None and not bypass_of(value) and not context.ledger.origins(value):
            yield from _unknown(context, returned, at, issued)


def _emptied(context: RunContext, at: PartAt, place: Place) -> Iterator[Finding]:
    """An empty signature on the call that opens a step; to the API it is as good as none."""
    returned = context.returned
    issued = returned.issued_for(at) if returned else None
    opens = bool(context.run.calls) and context.run.calls[0].at[:2] == at[:2]
    if returned is None or issued is None or issued.signature is None or not opens:
        return
    if context.target.strict:
        name = context.run.calls[0].name
        yield Finding(
            NAME,
            Severity.ERROR,
            place,
            f"the signature of {describe(at.value)} is empty; exchange {returned.record.number} issued "
            f"{len(issued.signature)} characters",
            scope=Scope.CURRENT_TURN,
            rejection=missing_signature(context.target, name, at.content),
        )


def _unknown(
    context: RunContext, returned: Returned, at: PartAt, issued: IssuedPart | None
) -> Iterator[Finding]:
    """A signature that no recorded answer issued."""
    value = at.signature or ""
    severity = Severity.ERROR if context.target.third_generation else Severity.INFO
    place = content_place(at.content, at.part)
    if issued is not None and issued.signature is not None:
        if not same_bytes(issued.signature, value):
            yield Finding(NAME, severity, place, _told(at, issued, value, returned))
    elif returned.issued_for(at) is not None and returned.record.returns:
        told = f"{describe(at.value)} has a signature; exchange {returned.record.number} issued none with it"
        yield Finding(NAME, severity, place, told)


def _issued_for(returned: Returned, at: PartAt) -> IssuedPart | None:
    """The part whose signature a part should carry: its own, or one of its kind whose signature did not come back."""
    own = returned.issued_for(at)
    if own is not None and own.signature is not None:
        return own
    if own is not None and (is_media(at.value) or "text" not in at.value) and call_of(at.value) is None:
        return own
    lost = (part for part in returned.issued if part.signature and part.signature not in returned.signatures)
    fitting = (part for part in lost if returned.may_carry(part.value, at))
    return next(fitting, own)


def _told(at: PartAt, issued: IssuedPart, value: str, returned: Returned | None) -> str:
    source = f"; exchange {returned.record.number} issued it" if returned else ""
    how = alteration(issued.signature, value) if issued.signature else "is not base64"
    return f"the signature of {describe(at.value)} {how}{source}"


RULE = Rule(NAME, __doc__ or "", on_run=check)
