"""A function ran before the one that has to run first.

What it finds
    The setting ``order`` says which call needs which other one before it, and which arguments both must share:
    ``order = [{call = "refund_order", after = "find_order", same = ["id"]}]``. A call ran where its result is no error
    result; the other one has to have run in an earlier step, since in the same step its result could not be known yet.

Why it matters
    The second function relies on what the first one checks: a refund without a look at the order pays out what was never
    paid.

Bad
    config order = [{call = "refund_order", after = "find_order", same = ["id"]}]
    request [
        {"role": "user", "parts": [{"text": "Refund ORD-100."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "refund_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "refund_order", "response": {"status": "done"}}}]}
    ]

Good
    config order = [{call = "refund_order", after = "find_order", same = ["id"]}]
    request [
        {"role": "user", "parts": [{"text": "Refund ORD-100."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_order", "response": {"paid": 4599}}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "refund_order", "args": {"id": "ORD-100"}},
            "thoughtSignature": "EqQDCqEDAVSoXO5="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "refund_order", "response": {"status": "done"}}}]}
    ]

How it happens, and how to mend it
    The model batches both calls, or trusts the user's word. Let the second function refuse with an error result while
    the first has not run; a description that says "call find_order first" helps but guarantees nothing.

Severity
    error.

Source
    The configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import Run
from ..executions import executed, execution_key
from ..finding import Finding, Scope, Severity, content_place
from ..rule import Rule, RunContext
from ..settings import Order

NAME = "out-of-order-call"


def check(context: RunContext) -> Iterator[Finding]:
    """Executions of a call whose forerunner had not run."""
    if not context.settings.order:
        return
    for call, response in executed(context.run, context.settings):
        for order in context.settings.order:
            if order.call != call.name:
                continue
            key = execution_key(call, order.same, order.after)
            if context.executions.before(context.run, key) or _ran_out_of_sight(context, key, order):
                continue
            same = f" with the same {' and '.join(order.same)}" if order.same else ""
            yield Finding(
                NAME,
                Severity.ERROR,
                content_place(response.at.content, response.at.part),
                f"{call.name} ran (the call is contents[{call.at.content}].parts[{call.at.part}]), and no "
                f"{order.after}{same} had run before it",
                scope=Scope.ONCE,
            )


def _ran_out_of_sight(context: RunContext, key: bytes, order: Order) -> bool:
    """Whether the forerunner ran where this history does not show it: earlier in the conversation, and compacted since.

    What another conversation ran counts only where this history's own words name it: another agent's turns are retold
    as text.
    """
    conversation = context.continues.conversation if context.continues else 0
    elsewhere = list(context.executions.elsewhere(context.run, key))
    if any(item.conversation and item.conversation == conversation for item in elsewhere):
        return True
    return bool(elsewhere) and _tells_of(context.run, order.after)


def _tells_of(run: Run, name: str) -> bool:
    return any(
        isinstance(text := part.get("text"), str) and name in text
        for turn in run.last.back()
        for part in turn.parts
        if isinstance(part, dict)
    )


RULE = Rule(NAME, __doc__ or "", on_run=check)
