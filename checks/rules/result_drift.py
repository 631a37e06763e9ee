"""A function's result holds a field that is not pinned, or lost one.

What it finds
    Only with a pin (``gemtape report --pin contract.json``): in a functionResponse that is no error result, a field that
    the pinned results do not have, one that they always had and that is missing, or one of another type; a result of a
    function whose results were never pinned. JSON within a text counts as what it spells.

Why it matters
    Whatever a function returns goes into the model's context. A new column of a table reaches it on the day of the
    migration: a customer's address, an internal note, a number in another unit. A field that went away is one that the
    model now invents.

Bad
    pin {"pin": 1, "gemtape": "0.1.0", "toolsets": [["get_order"]], "functions": {"get_order": {"declarations": [
        {"name": "get_order", "description": "State of an order"}],
        "results": {"": {"types": ["object"]}, "/status": {"types": ["string"]}}}}}
    tools [{"functionDeclarations": [{"name": "get_order", "description": "State of an order"}]}]
    request [
        {"role": "user", "parts": [{"text": "Where is order 7?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_order", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_order",
            "response": {"status": "shipped", "internal_note": "customer is difficult"}}}]}
    ]

Good
    pin {"pin": 1, "gemtape": "0.1.0", "toolsets": [["get_order"]], "functions": {"get_order": {"declarations": [
        {"name": "get_order", "description": "State of an order"}],
        "results": {"": {"types": ["object"]}, "/status": {"types": ["string"]}}}}}
    tools [{"functionDeclarations": [{"name": "get_order", "description": "State of an order"}]}]
    request [
        {"role": "user", "parts": [{"text": "Where is order 7?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_order", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_order", "response": {"status": "shipped"}}}]}
    ]

How it happens, and how to mend it
    A function returns a whole row or object of the application. Return the fields that the model needs, by name; where the
    change is meant, accept it with ``gemtape pin --update``.

Severity
    error

Source
    What the team pinned.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from ..executions import executed
from ..finding import Finding, Scope, Severity, content_place
from ..rule import Rule, RunContext

NAME: Final = "result-drift"
_TOLD: Final = 5
"""Differences of one result that a message names."""


def check(context: RunContext) -> Iterator[Finding]:
    """Results that differ from the pinned ones."""
    pin = context.settings.pin
    if pin is None:
        return
    # It takes msgspec, whose import would cost every replay's start.
    from ..resultfields import differences  # noqa: PLC0415

    for call, response in executed(context.run, context.settings):
        name = call.name or response.named.name or ""
        pinned = pin.functions.get(name)
        if pinned is None or pinned.results is None:
            words = ["no result of it is pinned"]
        else:
            words = list(islice(differences(pinned, response.value.get("response", {})), _TOLD + 1))
        if words:
            more = "; and more" if len(words) > _TOLD else ""
            yield Finding(
                NAME,
                Severity.ERROR,
                content_place(response.at.content, response.at.part, "functionResponse", "response"),
                f"{name[:128]}: {'; '.join(words[:_TOLD])}{more}",
                scope=Scope.ONCE,
            )


RULE = Rule(NAME, __doc__ or "", on_run=check)
