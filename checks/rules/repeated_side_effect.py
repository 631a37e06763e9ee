"""A function with side effects ran twice with the same arguments in one conversation.

What it finds
    A call of a function that the setting ``side-effects`` lists, with a result that is no error result, after an equal
    call (name and arguments) ran already, earlier in the same history, beside it, or in a part of the conversation that
    was trimmed away since. A call that failed or was refused did not run. What ran on another branch is not counted.

Why it matters
    Two refunds. Models repeat calls when a result was lost, unclear, or dropped from the history.

Bad
    config side-effects = ["refund_order"]
    request [
        {"role": "user", "parts": [{"text": "Refund ORD-100."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "refund_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "refund_order", "response": {"status": "done"}}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "refund_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EqQDCqEDAVSoXO5="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "refund_order", "response": {"status": "done"}}}]}
    ]

Good
    config side-effects = ["refund_order"]
    request [
        {"role": "user", "parts": [{"text": "Refund ORD-100."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "refund_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "refund_order", "response": {"status": "done"}}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "refund_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EqQDCqEDAVSoXO5="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "refund_order",
            "response": {"error": "ORD-100 was refunded already"}}}]}
    ]

How it happens, and how to mend it
    The result does not say plainly that it was done, the client asked again after a broken stream, or the model was not
    shown its earlier call. Make the function idempotent (a key of the conversation and the arguments), and answer a
    repetition with an error result.

Severity
    warning.

Source
    Common practice; the API runs nothing and cannot know.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cassettes.turns import Turn
from ..conversation import Call, Run
from ..executions import executed, execution_key
from ..finding import Finding, Scope, Severity, content_place
from ..rule import Rule, RunContext

NAME = "repeated-side-effect"


def check(context: RunContext) -> Iterator[Finding]:
    """Executions of listed functions whose like ran before."""
    listed = context.settings.side_effects
    if not listed:
        return
    beside: dict[bytes, Call] = {}
    for call, response in executed(context.run, context.settings):
        if call.name not in listed:
            continue
        key = execution_key(call)
        earlier = context.executions.before(context.run, key)
        first = earlier.call if earlier else beside.setdefault(key, call)
        if first is not call:
            where = f"contents[{first.at.content}].parts[{first.at.part}] holds the call that ran before"
        elif _ran_out_of_sight(context, key, call):
            where = "the call that ran before is no longer in the history"
        else:
            continue
        yield Finding(
            NAME,
            Severity.WARNING,
            content_place(response.at.content, response.at.part),
            f"{call.name} ran again with the same arguments; {where}",
            scope=Scope.ONCE,
        )


def _ran_out_of_sight(context: RunContext, key: bytes, call: Call) -> bool:
    """Whether another such call ran in a part of the conversation that was cut off the history since.

    It is another one only if ids or signatures say so: a client that trims its history sends the same call again.
    Histories that begin alike are branches.
    """
    conversation = context.continues.conversation if context.continues else 0
    return any(
        item.conversation == conversation != 0
        and _differ(item.call, call)
        and _root(item.run) is not _root(context.run)
        for item in context.executions.elsewhere(context.run, key)
    )


def _differ(first: Call, second: Call) -> bool:
    pairs = ((first.named.id, second.named.id), (first.at.signature, second.at.signature))
    known = [(one, other) for one, other in pairs if one and other]
    return bool(known) and all(one != other for one, other in known)


def _root(run: Run) -> Turn:
    while run.before is not None:
        run = run.before
    return run.first


RULE = Rule(NAME, __doc__ or "", on_run=check)
