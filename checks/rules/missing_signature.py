"""The first call of a step in the current turn has no thought signature.

What it finds
    In each step of the current turn the first functionCall part must carry the signature that the model issued with
    it. Later parallel calls of the step come unsigned and go back unsigned. Older turns are not looked at. Of image
    models, every part whose signature was issued must still have it.

Why it matters
    Gemini 3 and later answer 400: the signature is how the model finds its train of thought again.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}}]},
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
    The client rebuilds the model's parts from name and arguments, or a session store keeps text and calls but not the
    signature bytes, or a stream's aggregator drops them. Put the model's content into the history as it came. In chat
    completions the signature is ``extra_content`` of the tool call: what puts a stream's deltas together has to keep that
    beside id, name and arguments. Where thoughts are left out, a signature that arrived on one belongs on the call behind
    it. For calls that another model made, send the documented value ``skip_thought_signature_validator`` as the signature.

Severity
    error; warning where it is unclear whether the call lies in the current turn (a prompt in a content of its own right
    behind responses), and for an unsigned call that opens a later content of a split model run, which nobody has seen
    refused for certain. Both become errors where the API did refuse the request and nothing else explains it. Parts of image
    models: error on the Gemini API where the recording shows that the part was signed, else warning, since Google's pages
    contradict each other. Nothing where the recorded answer issued no signature, and nothing on models before 3. Judged as
    another model, a recording whose model issued none says so once a conversation.

Source
    ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cassettes.routes import Surface
from ..apierrors import missing_signature
from ..conversation import Call, PartAt, Run
from ..finding import Finding, Scope, Severity, content_place
from ..parts import describe
from ..returned import Returned
from ..rule import Rule, RunContext

NAME = "missing-signature"


def check(context: RunContext) -> Iterator[Finding]:
    """The unsigned call that opens a step, or a later content of a split model run; unsigned parts of image models."""
    run = context.run
    if run.role != "model" or not context.target.third_generation:
        return
    if context.target.image:
        yield from _image_parts(context)
        return
    for position, call in enumerate(_opening_calls(run)):
        if _is_signed_somehow(context.returned, call):
            continue
        if position == 0:
            yield from _first_call(context, call)
        elif not _split_as_streamed(context):
            yield Finding(
                NAME,
                Severity.WARNING,
                content_place(call.at.content, call.at.part),
                f"{describe(call.at.value)} opens another content of a split model turn and has no thoughtSignature; "
                "keep the calls of one answer in one content",
                scope=Scope.CURRENT_TURN,
                suspect=True,
            )


def _opening_calls(run: Run) -> list[Call]:
    """The first call of each content of a run."""
    first: dict[int, Call] = {}
    for call in run.calls:
        first.setdefault(call.at.content, call)
    return list(first.values())


def _is_signed_somehow(returned: Returned | None, call: Call) -> bool:
    """Whether a call carries something: what it is, and whether it sits right, is for other rules to say."""
    value = call.at.value.get("thoughtSignature")
    if value == "":
        issued = returned.issued_for(call.at) if returned else None
        return issued is not None and issued.signature is not None
    return value is not None or any(call.value.get(key) for key in ("thoughtSignature", "thought_signature"))


def _first_call(context: RunContext, call: Call) -> Iterator[Finding]:
    returned = context.returned
    place = content_place(call.at.content, call.at.part)
    told = f"{describe(call.at.value)} is the first of its step and has no thoughtSignature"
    lost = _lost_signature(context, returned, call.at) if returned else ""
    if context.target.issues_unsigned and not lost:
        if returned is None:
            yield _cannot_show(call.at, "it does not hold the answer that made this call")
        elif not any(part.signature for part in returned.issued):
            yield _cannot_show(call.at, f"{context.target.asked} issued none")
        return
    unsigned = returned is not None and not lost and _opened(returned, call.at)
    if unsigned and returned is not None and returned.signatures:
        return
    yield Finding(
        NAME,
        Severity.INFO if unsigned else Severity.ERROR,
        place,
        told + (f"; exchange {returned.record.number} issued {lost}" if returned and lost else ""),
        scope=Scope.CURRENT_TURN,
        rejection="" if unsigned else missing_signature(context.target, call.name, call.at.content),
        suspect=unsigned,
        kept_back=unsigned,
    )


def _lost_signature(context: RunContext, returned: Returned, at: PartAt) -> str:
    """What was issued that an unsigned call should carry, in words; empty where nothing was.

    Older models may sign any part of a step; a newer one would have signed the call.
    """
    issued = returned.issued_for(at)
    if issued is not None and issued.signature is not None:
        return "one with it"
    lost = [part for part in returned.issued if part.signature and part.signature not in returned.signatures]
    if context.target.issues_unsigned and lost:
        return f"one with {describe(lost[0].value)}"
    if issued is None or not _opened(returned, at):
        return "one with the first call" if any(part.call for part in lost) else ""
    return "one on the thought before it" if any(part.thought for part in lost) else ""


def _opened(returned: Returned, at: PartAt) -> bool:
    """Whether a call was the first one of its answer, too."""
    calls = [part for part in returned.issued if part.call is not None and not part.thought]
    return bool(calls) and returned.issued_for(at) is calls[0]


def _cannot_show(at: PartAt, why: str) -> Finding:
    told = f"this recording cannot show whether the client returns signatures: {why}"
    return Finding(NAME, Severity.INFO, content_place(at.content, at.part), told, scope=Scope.CONVERSATION)


def _split_as_streamed(context: RunContext) -> bool:
    """Whether the model run lies in the contents in which its answer was streamed: chats keep each event's."""
    if context.returned is None:
        return False
    pieces = context.returned.record.answer.pieces
    return pieces > 1 and len(context.run.contents) <= pieces


def _image_parts(context: RunContext) -> Iterator[Finding]:
    """The parts of an image model that were signed and are not; images of unknown origin that are not."""
    returned = context.returned
    if returned is None:
        for at in context.run.parts:
            if "inlineData" in at.value and at.value.get("thoughtSignature") is None:
                told = "an image of the model has no thoughtSignature; image models may refuse that"
                place = content_place(at.content, at.part)
                yield Finding(NAME, Severity.WARNING, place, told, suspect=True)
        return
    refused = context.target.surface is Surface.GEMINI_API
    for issued, at in returned.pairs:
        if at is None or issued.signature is None or returned.keeps(issued.value):
            continue
        if at.value.get("thoughtSignature") in (None, ""):
            yield Finding(
                NAME,
                Severity.ERROR if refused else Severity.WARNING,
                content_place(at.content, at.part),
                f"{describe(at.value)} has no thoughtSignature; exchange {returned.record.number} issued one with it",
                suspect=True,
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
