"""A call whose arguments did not fit was run all the same: nothing validated it.

What it finds
    An answer issued a call with invalid arguments (see invalid-arguments), and the next request brings a result for it
    that is no error result. An error result says so: a truthy ``error``, ``errors``, ``exception``, ``isError`` or
    ``is_error``; a ``status`` or ``state`` of error, failed, rejected, denied or invalid; ``ok`` or ``success`` false; at
    top level or under ``result`` or ``output``, or a text there that begins with ``Error:``. The setting
    ``error-results`` adds JSON Pointers.

Why it matters
    The function ran on values that its author ruled out. The answer then looks like any other: a forecast labelled with a
    unit that it is not in, or for a city called undefined.

Bad
    tools [{"functionDeclarations": [{"name": "get_forecast", "description": "Forecast for a city",
        "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}}]}]
    request [{"role": "user", "parts": [{"text": "Weather?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {}},
        "thoughtSignature": "EpwCCpkCAVSoXO4="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_forecast",
            "response": {"city": "undefined", "celsius": 24}}}]}
    ]

Good
    tools [{"functionDeclarations": [{"name": "get_forecast", "description": "Forecast for a city",
        "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}}]}]
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_forecast",
            "response": {"error": "city is required"}}}]}
    ]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {"city": "Pune"}},
        "thoughtSignature": "EqQDCqEDAVSoXO5="}]}
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_forecast",
            "response": {"error": "city is required"}}}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_forecast", "args": {"city": "Pune"}},
            "thoughtSignature": "EqQDCqEDAVSoXO5="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_forecast",
            "response": {"city": "Pune", "celsius": 24}}}]}
    ]

How it happens, and how to mend it
    A dispatcher looks the function up and calls it with whatever came. Validate the arguments against the declared schema
    first, and answer what does not fit with an error result that names the argument.

Severity
    error where the value is outside the enumeration or the range, missing, or of a type that nothing makes fit; warning
    where a coercing validator may have made it fit. Nothing for an extra argument.

Source
    ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..conversation import step_before
from ..declared import call_faults
from ..faults import ArgumentFault, Fault
from ..finding import Finding, Scope, Severity, content_place
from ..results import is_error_result
from ..rule import Rule, RunContext

NAME = "unvalidated-call"


def check(context: RunContext) -> Iterator[Finding]:
    """Results of calls that should have been rejected."""
    step = step_before(context.run)
    if step is None or context.answered is None:
        return
    issued = {
        (sent.content, sent.part): part.call
        for part, sent in context.answered.pairs
        if sent is not None and part.call
    }
    for response, index in zip(step.responses, step.answered, strict=True):
        at = step.calls[index].at if index is not None else None
        call = issued.get((at.content, at.part)) if at else None
        if call is None or is_error_result(response.value.get("response"), context.settings.error_results):
            continue
        faults = _faults(context, call)
        if faults:
            worst = next((fault for fault in faults if fault.fault is not Fault.COERCIBLE), None)
            yield Finding(
                NAME,
                Severity.WARNING if worst is None else Severity.ERROR,
                content_place(response.at.content, response.at.part),
                f"{call.get('name')} ran, though {(worst or faults[0]).message}; exchange "
                f"{context.answered.record.number} issued the call, and nothing rejected it",
                scope=Scope.ONCE,
            )


def _faults(context: RunContext, call: dict[str, Any]) -> Sequence[ArgumentFault]:
    record = context.answered.record if context.answered else None
    found = call_faults(record.tools, call) if record else []
    return [fault for fault in found if fault.fault is not Fault.EXTRA]


RULE = Rule(NAME, __doc__ or "", on_run=check)
