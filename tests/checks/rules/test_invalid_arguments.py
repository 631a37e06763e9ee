"""Arguments that do not fit the declared schema, on the answer that issued them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gemtape.cassettes.models import Failure
from gemtape.checks.judge import Judge
from gemtape.checks.rules.invalid_arguments import NAME
from tests.checks.helpers import entries, found, judge, loud
from tests.factories import SIGNATURE, answer_body, calls, exchange, sse, user

ASK = [user("Weather in Pune?")]
OPENAPI = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING"},
        "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
        "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
    },
    "required": ["city", "days"],
}
JSON_SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"anyOf": [{"enum": ["celsius", "fahrenheit"]}, {"type": "null"}]},
    },
    "required": ["city", "days"],
}
ARGS = "/candidates/0/content/parts/0/functionCall/args"


def _tools(**schema: Any) -> list[dict]:
    return [{"functionDeclarations": [{"name": "forecast", "description": "x", **schema}]}]


def _answer(args: Any) -> dict:
    return calls({"functionCall": {"name": "forecast", "args": args}, "thoughtSignature": SIGNATURE})


@pytest.mark.parametrize(
    "tools",
    [_tools(parameters=OPENAPI), _tools(parametersJsonSchema=JSON_SCHEMA)],
    ids=["openapi", "json schema"],
)
@pytest.mark.parametrize(
    ("args", "severity", "place", "fault"),
    [
        ({"city": "Pune", "days": 3, "unit": "kelvin"}, "warning", "/unit", "outside-enum"),
        ({"city": "Pune", "days": "3"}, "warning", "/days", "coercible-type"),
        ({"city": "Pune", "days": {}}, "warning", "/days", "wrong-type"),
        ({"days": 3}, "warning", "/city", "missing"),
        ({"city": "Pune", "days": 14}, "warning", "/days", "outside-range"),
        ({"city": "Pune", "days": 3, "tenant": "x"}, "info", "/tenant", "undeclared-argument"),
        ("Pune", "warning", "", "wrong-type"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_class_of_fault(tools: list, args: Any, severity: str, place: str, fault: str):
    violations = judge((ASK, _answer(args)), tools=tools)

    assert found(violations, NAME) == [(severity, ARGS + place)]
    assert violations[-1].message.startswith("forecast: ")
    assert violations[-1].message.endswith(f"({fault})")


def test_an_extra_argument_is_a_warning_where_the_schema_rules_it_out():
    tools = _tools(parametersJsonSchema={**JSON_SCHEMA, "additionalProperties": False})

    violations = judge((ASK, _answer({"city": "Pune", "days": 3, "tenant": "x"})), tools=tools)
    assert found(violations, NAME) == [("warning", f"{ARGS}/tenant")]


@pytest.mark.parametrize(
    "tools", [_tools(parameters=OPENAPI), _tools(parametersJsonSchema=JSON_SCHEMA), _tools()]
)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_arguments_that_fit_are_fine(tools: list, model: str):
    assert loud(judge((ASK, _answer({"city": "Pune", "days": 3})), tools=tools, model=model)) == []


def test_absent_arguments_are_empty_ones():
    answer = calls({"functionCall": {"name": "forecast"}, "thoughtSignature": SIGNATURE})

    assert [
        pointer for _, pointer in found(judge((ASK, answer), tools=_tools(parameters=OPENAPI)), NAME)
    ] == [
        f"{ARGS}/city",
        f"{ARGS}/days",
    ]


def test_streamed_arguments_are_put_together_first():
    def piece(**more: Any) -> dict:
        return {"functionCall": more}

    events = [
        answer_body(calls({**piece(name="forecast", willContinue=True), "thoughtSignature": SIGNATURE})),
        answer_body(
            calls(piece(partialArgs=[{"jsonPath": "$.city", "stringValue": "Pu"}], willContinue=True))
        ),
        answer_body(
            calls(piece(partialArgs=[{"jsonPath": "$.city", "stringValue": "ne"}], willContinue=True))
        ),
        answer_body(calls(piece(partialArgs=[{"jsonPath": "$.days", "numberValue": 9}]))),
    ]

    violations = judge((ASK, events), tools=_tools(parameters=OPENAPI), surface="vertex")
    assert found(violations, NAME) == [("warning", f"{ARGS}/days")]


@pytest.mark.parametrize("how", ["cut", "client gone", "output limit"])
def test_an_answer_that_broke_off_says_nothing_of_its_arguments(how: str):
    body = answer_body(_answer({"city": "Pune"}))
    if how == "output limit":
        body["candidates"][0]["finishReason"] = "MAX_TOKENS"
    broken = exchange(ASK, sse(body, cut=how == "cut"), tools=_tools(parameters=OPENAPI))
    if how == "client gone":
        broken = replace(broken, failure=Failure.CLIENT_GONE)

    violations = [item for entry in entries([broken]) for item in Judge().judge(entry)]
    assert not found(violations, NAME)


def test_an_undeclared_function_takes_anything():
    tools = [{"functionDeclarations": [{"name": "other", "parameters": OPENAPI}]}]

    assert not found(judge((ASK, _answer({})), tools=tools), NAME)
