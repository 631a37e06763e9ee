"""A request answers a call before the answer that issued the call had ended.

What it finds
    A functionResponse in a request that began while the answer with its call was still coming in. Where another answer
    to the same request had ended by then and issued the same call, that one is meant. (In the examples requests begin a
    second apart; ``took`` gives the milliseconds from a request to the end of its answer.)

Why it matters
    More calls, or the rest of the content with its signature, may still have come: the history then holds half of the
    model's turn. A result for half of the calls is refused.

Bad
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer [
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "get_weather",
            "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]}, "index": 0}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}]}
    ]
    took 3000
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer [
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "get_weather",
            "args": {"city": "Pune"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]}, "index": 0}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}]}
    ]
    took 900
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    The client runs a call as soon as its event comes in, and asks on when the function returns. Start the function early
    if you like, but read the stream to its end before the next request.

Severity
    warning.

Source
    ai.google.dev/gemini-api/docs/thought-signatures: read until the finish reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cassettes.turns import Turn
from ..clientside import client_digest, sent_at
from ..conversation import run_of, step_before
from ..declared import issued_calls
from ..faces import call_key, face_of
from ..finding import Finding, Scope, Severity, answer_place, content_place
from ..ledger import Ledger
from ..linking import CLOCK
from ..rule import RequestContext, Rule, RunContext

NAME = "premature-response"


def check_run(context: RunContext) -> Iterator[Finding]:
    """Responses to calls of an answer that had not ended."""
    step = step_before(context.run)
    if step is None or context.answered is None or not step.responses:
        return
    record = context.answered.record
    early = record.ended_at - context.now
    keys = {call_key(call.value) for call in step.calls}
    if early <= CLOCK or _ended_before(context.ledger, client_digest(record.history), keys, context.now):
        return
    first = step.responses[0]
    yield Finding(
        NAME,
        Severity.WARNING,
        content_place(first.at.content, first.at.part),
        f"the answer of exchange {record.number} went on for another {early:.1f} s when this response to its call was "
        "sent",
        scope=Scope.ONCE,
    )


def check_answer(context: RequestContext) -> Iterator[Finding]:
    """Calls of an answer that a request, over before it, had answered already."""
    entry = context.entry
    calls = {call_key(call): index for index, call in issued_calls(entry.answer)}
    for model in entry.layout.history.children.values() if calls else ():
        run = run_of(model)
        if run is None or run.role != "model":
            continue
        keys = calls.keys() & face_of(at.value for at in run.parts).calls.keys()
        sent = min(map(sent_at, filter(_responds, model.children.values())), default=entry.ended_at)
        if not keys or entry.ended_at - sent <= CLOCK:
            continue
        if not _ended_before(context.ledger, client_digest(entry.layout.history), keys, sent):
            yield Finding(
                NAME,
                Severity.WARNING,
                answer_place(min(calls[key] for key in keys)),
                f"a response to this call was sent {entry.ended_at - sent:.1f} s before the answer ended",
                at="response",
            )


def _responds(turn: Turn) -> bool:
    return any(isinstance(part, dict) and "functionResponse" in part for part in turn.parts)


def _ended_before(ledger: Ledger, digest: bytes, keys: set[bytes], now: float) -> bool:
    """Whether another answer to the same words had issued these calls and ended by a time."""
    return any(
        record.ended_at - now <= CLOCK and any(keys <= face.calls.keys() for face in record.faces)
        for record in ledger.asked_with(digest)
    )


RULE = Rule(NAME, __doc__ or "", on_run=check_run, on_answer=check_answer)
