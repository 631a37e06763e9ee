"""The model's answer came back with other calls, arguments or text than the model gave.

What it finds
    Compared with the recorded answer: calls that are missing, calls with another name or other arguments, calls that the
    model never made, calls in another order, parts of server-side tools left out, and texts that differ. Ids, thoughts, white
    space, signatures, the spelling of equal values and how the turn is cut into contents do not count.

Why it matters
    The model takes what it reads for what it said. A lost call leaves its response without a partner, and the API answers
    400; changed arguments and texts make it reason from things that never happened, under a signature that says otherwise.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Mumbai"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
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
    A stream's aggregator keeps the first call of each chunk; a converter takes either the text or the call of a turn; a tool
    layer writes coerced arguments back into the history; a gateway repairs JSON in the text. Put the model's content into the
    history as it came, and correct arguments only on their way to the tool.

Severity
    error; warning where only text differs, and for the order of calls on models before 3, where no signature depends on it.

Source
    ai.google.dev/gemini-api/docs/thought-signatures; ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ...cassettes.pairing import named
from ..conversation import PartAt
from ..faces import call_key, squeezed_text, text_key, without_nulls
from ..finding import Finding, Place, Severity, content_place
from ..parts import SERVER_SIDE, describe
from ..returned import IssuedPart, Returned
from ..rule import Rule, RunContext

NAME = "altered-model-turn"
_MOST = 5
"""Arguments that a message names."""


def check(context: RunContext) -> Iterator[Finding]:
    """The answers of the history that can hold no more, where they differ from what was issued."""
    for answer in context.closed:
        if answer.record.returns:
            yield from _compare(context, answer)


def _compare(context: RunContext, answer: Returned) -> Iterator[Finding]:
    pairs = [(issued, at) for piece in answer.pieces for issued, at in piece.pairs if at is not None]
    edited = [_edited(answer, issued, at) for issued, at in pairs if _difference(issued, at)]
    lost = [part for part in answer.missing if part.call is not None]
    extra = [at for piece in answer.pieces for at in piece.extra]
    unknown = [at for at in extra if at.value.get("functionCall") and not _is_known(context, answer, at)]
    yield from edited
    yield from _exchanged(answer, lost, unknown)
    if len(lost) > len(unknown):
        yield _lost(answer, lost[len(unknown) :], extra)
    elif not answer.same_text and not _goes_on(context, answer):
        yield _text(answer)
    if not (edited or lost or unknown):
        yield from _order(context, answer, pairs)
    tools = [part for part in answer.missing if part.value.keys() & set(SERVER_SIDE[:2])]
    if tools and context.target.third_generation:
        told = f"{_list(tools)} of exchange {answer.record.number} did not come back"
        yield Finding(NAME, Severity.ERROR, content_place(answer.run.start), told)


def _edited(answer: Returned, issued: IssuedPart, at: PartAt) -> Finding:
    told = (
        f"{describe(at.value)} came back {_difference(issued, at)}; exchange {answer.record.number} issued it"
    )
    return _finding(at, told)


def _exchanged(answer: Returned, lost: list[IssuedPart], unknown: list[PartAt]) -> Iterator[Finding]:
    """Calls that were never issued: in the place of one that was, or beside all of them."""
    number = answer.record.number
    for issued, at in zip(lost, unknown, strict=False):
        yield _finding(at, f"{describe(issued.value)} of exchange {number} came back as {describe(at.value)}")
    for at in unknown[len(lost) :]:
        yield _finding(at, f"{describe(at.value)} was not issued: exchange {number} is what came back here")


def _order(
    context: RunContext, answer: Returned, pairs: list[tuple[IssuedPart, PartAt]]
) -> Iterator[Finding]:
    """The first call that comes before one that was issued earlier; the first call of a step carries the signature."""
    order = {part: index for index, part in enumerate(answer.issued)}
    came = sorted(
        ((order[issued], at) for issued, at in pairs if issued.call is not None), key=lambda item: item[1][:2]
    )
    for (index, at), (following, _) in pairwise(came):
        if index > following:
            severity = Severity.ERROR if context.target.third_generation else Severity.WARNING
            told = f"{describe(at.value)} came back before calls that exchange {answer.record.number} had made earlier"
            yield Finding(NAME, severity, content_place(at.content, at.part), told)
            return


def _difference(issued: IssuedPart, at: PartAt) -> str:
    """How a call differs from the one that was issued, in words; empty where it does not."""
    call, sent = issued.call, at.value.get("functionCall")
    if call is None or not isinstance(sent, dict) or call_key(call) == call_key(sent):
        return ""
    if named(call).name != named(sent).name:
        return f"under another name: it was {named(call).name or '(unnamed)'}"
    args, given = without_nulls(call.get("args", {})), without_nulls(sent.get("args", {}))
    if not isinstance(given, dict) or not isinstance(args, dict):
        return ""  # what is no object is malformed, and reported as that
    changed = [key for key in {**args, **given} if args.get(key) != given.get(key)]
    return f"with other arguments ({', '.join(changed[:_MOST])})"


def _is_known(context: RunContext, answer: Returned, at: PartAt) -> bool:
    """Whether a later exchange issued a call: then two answers were put together, which is no fault of theirs."""
    call = at.value["functionCall"]
    origins = context.ledger.calls(call_key(call)) if isinstance(call, dict) else []
    return any(
        origin.record.number > answer.record.number
        and origin.record.conversation == answer.record.conversation
        for origin in origins
    )


def _goes_on(context: RunContext, answer: Returned) -> bool:
    """Whether the text is the issued one and that of a later answer behind it."""
    rests = (
        answer.text.removeprefix(issued) for issued in answer.issued_texts if answer.text.startswith(issued)
    )
    return any(
        record.number > answer.record.number
        for rest in rests
        for record in context.ledger.texts(text_key(rest))
    )


def _lost(answer: Returned, lost: list[IssuedPart], extra: list[PartAt]) -> Finding:
    told = f"{_list(lost)} of exchange {answer.record.number} did not come back"
    words = [at for at in extra if at.value.get("text")]
    if words and not answer.same_text:
        return _finding(words[0], f"{told}; this text stands in the place")
    return Finding(NAME, Severity.ERROR, content_place(answer.run.start), told)


def _text(answer: Returned) -> Finding:
    """The text that differs: at the part that holds other words, or at the content that lost them."""
    issued = {squeezed_text([part.value]) for part in answer.issued}
    sent = [
        at
        for piece in answer.pieces
        for at in piece.sent
        if at.value.get("text") and not at.value.get("thought")
    ]
    other = [at for at in sent if squeezed_text([at.value]) not in issued]
    place: Place = content_place(answer.run.start)
    if other:
        place = content_place(other[0].content, other[0].part)
    answered = f"what exchange {answer.record.number} answered"
    told = f"the text differs from {answered}" if sent else f"the text is missing: {answered} held one"
    return Finding(NAME, Severity.WARNING, place, told)


def _finding(at: PartAt, told: str) -> Finding:
    return Finding(NAME, Severity.ERROR, content_place(at.content, at.part), told)


def _list(parts: list[IssuedPart]) -> str:
    return ", ".join(describe(part.value) for part in parts)


RULE = Rule(NAME, __doc__ or "", on_run=check)
