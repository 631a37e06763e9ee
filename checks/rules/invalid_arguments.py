"""The model's arguments do not fit the schema that its function declares.

What it finds
    In an answer: a required argument that is missing; a value of another type (told apart: one that a coercing validator
    would take, such as "3" for 3, and one that nothing makes fit); a value outside the enumeration; one that is too small,
    too large, too short, too long or not of the pattern; an argument that is not declared. Both spellings of schemas are
    read, ``parameters`` and ``parametersJsonSchema``. A ``format`` such as int32 or date-time is a remark and not checked.

Why it matters
    In mode AUTO the API does not enforce the schema: a call is a proposal. If the application passes the
    arguments on as they are, a wrong one becomes a wrong answer without any error; see unvalidated-call.

Bad
    tools [{"functionDeclarations": [{"name": "get_forecast", "description": "Forecast for a city",
        "parameters": {"type": "OBJECT", "properties": {
            "city": {"type": "STRING"}, "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]}},
            "required": ["city"]}}]}]
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_forecast",
        "args": {"city": "Pune", "unit": "kelvin"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]}

Good
    tools [{"functionDeclarations": [{"name": "get_forecast", "description": "Forecast for a city",
        "parameters": {"type": "OBJECT", "properties": {
            "city": {"type": "STRING"}, "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]}},
            "required": ["city"]}}]}]
    request [{"role": "user", "parts": [{"text": "Weather in Pune?"}]}]
    answer {"role": "model", "parts": [{"functionCall": {"name": "get_forecast",
        "args": {"city": "Pune", "unit": "celsius"}}, "thoughtSignature": "EpwCCpkCAVSoXO4="}]}

How it happens, and how to mend it
    The prompt asks for something that the schema does not offer, or a description contradicts the schema. Say in the
    description what values mean, ask for mode VALIDATED, and reject what does not fit with an
    error result that names the argument: the model corrects itself.

Severity
    warning; info for an argument that the schema does not name, unless additionalProperties is false.

Source
    ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cassettes.entry import Entry
from ..declared import call_faults, issued_calls
from ..faults import Fault
from ..finding import Finding, Severity, answer_place
from ..rule import RequestContext, Rule

NAME = "invalid-arguments"


def check(context: RequestContext) -> Iterator[Finding]:
    """Every fault in the arguments of an answer's calls."""
    if _broke_off(context.entry):
        return
    for index, call in issued_calls(context.entry.answer):
        for fault in call_faults(context.entry.layout.tools, call):
            harmless = fault.fault is Fault.EXTRA and not fault.forbidden
            yield Finding(
                NAME,
                Severity.INFO if harmless else Severity.WARNING,
                answer_place(index, "functionCall", "args", *fault.place),
                f"{call.get('name')}: {fault.message} ({fault.fault})",
                at="response",
            )


def _broke_off(entry: Entry) -> bool:
    """Whether arguments may be incomplete because the answer is."""
    cut = entry.response is None or entry.response.cut or entry.failure is not None
    return cut or entry.answer.finish_reason == "MAX_TOKENS"


RULE = Rule(NAME, __doc__ or "", on_answer=check)
