"""Declarations that leave the model to guess."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.vague_declaration import NAME
from tests.checks.helpers import judge
from tests.checks.respelled import lowered
from tests.factories import model_text, user

ASK = user("Hi.")
CITY = {"type": "STRING", "description": "Name of a city, such as Pune."}
SAID = "Forecast of the coming days, from the national service."


def _told(*declarations: dict[str, Any]) -> list[tuple[str, str]]:
    body = {"contents": [ASK], "tools": [{"functionDeclarations": list(declarations)}]}
    violations = [item for item in judge(body) if item.rule == NAME]
    assert all(item.severity == "info" for item in violations)
    return [(item.pointer, item.message) for item in violations]


def _function(name: str = "get_forecast", description: Any = SAID, **properties: Any) -> dict[str, Any]:
    schema = {"type": "OBJECT", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "parameters": schema}


def _messages(*declarations: dict[str, Any]) -> list[str]:
    plain = [message for _, message in _told(*declarations)]
    assert [message for _, message in _told(*map(lowered, declarations))] == plain
    return plain


def test_a_declaration_that_says_what_it_does_is_silent():
    assert _messages(_function(city=CITY)) == []


@pytest.mark.parametrize(
    ("name", "description", "words"),
    [
        ("get_forecast", "", "it has no description"),
        ("get_forecast", None, "it has no description"),
        ("get_forecast", "  ", "it has no description"),
        ("get_forecast", "Get the forecast.", "its description only repeats the name"),
        ("getForecast", "This function gets a forecast", "its description only repeats the name"),
        ("HTTPGetForecasts", "http get forecast", "its description only repeats the name"),
        ("get_forecast", "get_forecast", "its description only repeats the name"),
        ("get_forecast", "TODO", "its description only repeats the name"),
    ],
)
def test_a_description_that_says_nothing(name: str, description: Any, words: str):
    assert _told(_function(name, description, city=CITY)) == [
        ("/tools/0/functionDeclarations/0", f"{name}: {words}")
    ]


@pytest.mark.parametrize(
    "description",
    [
        "Get the forecast of a city.",
        "Wettervorhersage",
        "天気予報を取得する",
        "get_forecast: 天気予報",
        "Forecast for 3 days",
    ],
)
def test_a_description_that_says_something(description: str):
    assert _messages(_function("get_forecast", description, city=CITY)) == []


def test_undescribed_parameters_are_named():
    bare = {f"p{at}": {"type": "STRING"} for at in range(7)}

    assert _messages(_function(**bare)) == ["get_forecast: no description of p0, p1, p2, p3, p4 and 2 more"]


def test_what_may_be_null_is_described_within():
    inner = {"type": "string", "description": "Name of a city, such as Pune."}
    schema = {"type": "object", "properties": {"city": {"anyOf": [inner, {"type": "null"}]}}}
    assert _told({"name": "f", "description": SAID, "parametersJsonSchema": schema}) == []


def test_a_reference_is_described_where_it_leads():
    schema = {
        "type": "object",
        "properties": {"city": {"$ref": "#/$defs/City"}},
        "$defs": {"City": {"type": "string"}},
    }

    assert _told({"name": "f", "description": SAID, "parametersJsonSchema": schema}) == []


@pytest.mark.parametrize(("optional", "told"), [(8, False), (9, True)])
def test_many_optional_parameters(optional: int, told: bool):
    function = _function(city=CITY, **{f"p{at}": CITY for at in range(optional)})
    function["parameters"]["required"] = ["city"]

    words = [f"get_forecast: {optional} optional parameters, more than a model sets with care"]
    assert _messages(function) == (words if told else [])


def test_many_optional_parameters_behind_a_reference():
    properties = {f"p{at}": CITY for at in range(9)}
    schema = {"$ref": "#/definitions/Q", "definitions": {"Q": {"type": "object", "properties": properties}}}

    told = _told({"name": "get_forecast", "description": SAID, "parametersJsonSchema": schema})
    assert [message for _, message in told] == [
        "get_forecast: 9 optional parameters, more than a model sets with care"
    ]


@pytest.mark.parametrize("name", ["dryRun", "dry_run", "DRY-RUN", "force", "validateOnly", "is_test"])
def test_a_switch_that_changes_what_a_call_does(name: str):
    switch = {"type": "BOOLEAN", "description": "Only say what would happen."}

    assert _messages(_function(**{name: switch})) == [
        f"get_forecast: {name} changes what the call does: two functions would be safer"
    ]


@pytest.mark.parametrize(
    ("name", "schema"),
    [("includeTrends", {"type": "BOOLEAN"}), ("force", {"type": "NUMBER"}), ("preview", {"type": "STRING"})],
)
def test_other_booleans_and_other_types_are_none(name: str, schema: dict[str, Any]):
    assert _messages(_function(**{name: {**schema, "description": "As said."}})) == []


def test_names_that_are_nearly_the_same():
    functions = [_function(name, city=CITY) for name in ("getForecast", "get_forecast", "get_time")]

    assert _told(*functions) == [("/tools", "getForecast, get_forecast differ only in case or separators")]


@pytest.mark.parametrize(
    ("count", "told"), [(20, []), (21, ["21 functions on one request; a model chooses well among 20"])]
)
def test_many_functions(count: int, told: list[str]):
    assert _messages(*(_function(f"f{at}x", city=CITY) for at in range(count))) == told


def test_names_in_other_scripts_are_told_apart():
    assert _messages(_function("天気"), _function("時刻")) == []


def test_a_conversation_is_told_once():
    tools = [{"functionDeclarations": [_function(description="")]}]
    history = [ASK, model_text("Hello."), user("And now?")]

    violations = judge({"contents": [ASK], "tools": tools}, {"contents": history, "tools": tools})
    assert [item.exchange for item in violations if item.rule == NAME] == [1]


@pytest.mark.parametrize(
    "odd", [None, 5, "x", [], {"properties": 5}, {"properties": {"a": 5}}, {"required": 5}]
)
def test_whatever_stands_for_a_schema_is_looked_at(odd: Any):
    assert _told({"name": "get_forecast", "description": SAID, "parameters": odd}) == []
