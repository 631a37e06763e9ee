"""Declarations with names or fields that the API does not take."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.invalid_declaration import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import user

QUESTION = [user("Weather?")]
ERROR = {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}
OLD = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}
NEW = {"type": "object", "properties": {"city": {"type": "string"}}}


def _body(*declarations: Any) -> dict[str, Any]:
    return {"contents": QUESTION, "tools": [{"functionDeclarations": list(declarations)}]}


@pytest.mark.parametrize(
    "name",
    [
        "get weather",
        "1st",
        "-a",
        ".a",
        "get/weather",
        "wetter_für",
        "a$b",
        "a\n",
        "",
        None,
        7,
        ["a"],
        "a" * 129,
    ],
    ids=repr,
)
def test_bad_names(name: Any):
    violations = judge(_body({"name": name, "description": "d"}))

    assert found(violations, NAME) == [("error", "/tools/0/functionDeclarations/0/name")]


@pytest.mark.parametrize("name", ["a", "_", "get_weather", "Server:tool.name-2", "a" * 64])
def test_good_names(name: str):
    assert judge(_body({"name": name, "description": "d"})) == []


@pytest.mark.parametrize("length", [65, 128])
def test_a_long_name_is_information_until_the_api_refused_it(length: int):
    body, place = _body({"name": "a" * length}), "/tools/0/functionDeclarations/0/name"

    assert found(judge(body), NAME) == [("info", place)]
    assert found(judge((body, ERROR, 400)), NAME) == [("error", place)]
    assert rejections(examine(body), NAME) == [""]


def test_the_apis_words():
    bad = _body({"name": "ok"}, {"name": "not ok"})

    assert rejections(examine(bad), NAME)[0].startswith(
        "* GenerateContentRequest.tools[0].function_declarations[1].name: [FIELD_INVALID] Invalid function name."
    )
    assert rejections(examine(bad, surface="code-assist"), NAME)[0].startswith(
        "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[1].name: [FIELD_INVALID]"
    )


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"parameters": OLD, "parametersJsonSchema": NEW}, "parametersJsonSchema"),
        ({"parameters": OLD, "parameters_json_schema": NEW}, "parametersJsonSchema"),
        ({"response": OLD, "responseJsonSchema": NEW}, "responseJsonSchema"),
    ],
)
def test_both_fields_for_one_schema(fields: dict, place: str):
    violations = judge(_body({"name": "weather", **fields}))

    assert found(violations, NAME) == [("error", f"/tools/0/functionDeclarations/0/{place}")]
    assert rejections(examine(_body({"name": "weather", **fields})), NAME) == [""]


@pytest.mark.parametrize(
    "fields",
    [
        {"parameters": OLD, "responseJsonSchema": NEW},
        {"parameters": OLD, "parametersJsonSchema": None},
        {"parameters": None, "parametersJsonSchema": NEW},
        {},
    ],
    ids=str,
)
def test_one_field_a_schema(fields: dict):
    assert loud(judge(_body({"name": "weather", **fields}))) == []


@pytest.mark.parametrize("declaration", ["weather", 7, None, ["weather"]], ids=repr)
def test_a_declaration_that_is_no_object(declaration: Any):
    violations = judge(_body({"name": "time"}, declaration))

    assert found(violations, NAME) == [("error", "/tools/0/functionDeclarations/1")]


@pytest.mark.parametrize("tools", [["search"], [None], "search", [{"googleSearch": {}}], []], ids=repr)
def test_tools_without_declarations(tools: Any):
    assert not found(judge({"contents": QUESTION, "tools": tools}), NAME)
