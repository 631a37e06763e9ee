"""Declared schemas of both spellings become one JSON Schema without references."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.schemas import MAX_DEPTH, MAX_NODES, declared_schema


def _read(schema: Any, field: str = "parametersJsonSchema") -> Any:
    declared = declared_schema({"name": "f", field: schema})
    assert declared is not None
    return declared.schema


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"type": "STRING"}, {"type": ["string"]}),
        ({"type": "TYPE_UNSPECIFIED"}, {}),
        ({"type": 6}, {"type": ["object"]}),
        ({"type": ["string", "null"]}, {"type": ["null", "string"]}),
        (
            {"type": "STRING", "nullable": True, "enum": ["a"]},
            {"type": ["null", "string"], "enum": ["a", None]},
        ),
        (
            {"type": "INTEGER", "format": "enum", "enum": ["1", "2"]},
            {"type": ["integer"], "enum": ["1", "2", 1, 2]},
        ),
        ({"type": "STRING", "enum": [1]}, {"type": ["string"], "enum": [1, "1"]}),
        ({"type": "STRING", "enum": [True, 1.5]}, {"type": ["string"], "enum": [True, 1.5, "true", "1.5"]}),
        ({"type": "NUMBER", "enum": ["0.5", "2"]}, {"type": ["number"], "enum": ["0.5", "2", 0.5, 2]}),
        ({"type": "BOOLEAN", "enum": ["true", "no"]}, {"type": ["boolean"], "enum": ["true", "no", True]}),
        ({"const": None}, {"enum": [None]}),
        ({"minItems": "1", "maxLength": 3}, {"minItems": 1, "maxLength": 3}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": 3}, {"maximum": 1, "exclusiveMaximum": 3}),
        ({"oneOf": [{"type": "string"}]}, {"anyOf": [{"type": ["string"]}]}),
        (
            {"anyOf": [{"type": "string"}], "nullable": True},
            {"anyOf": [{"type": ["string"]}, {"type": ["null"]}]},
        ),
        (
            {"allOf": [{"type": "object"}], "nullable": True},
            {"allOf": [{"anyOf": [{"type": ["object"]}, {"type": ["null"]}]}]},
        ),
        (
            {"anyOf": [{}], "oneOf": [{}]},
            {"anyOf": [{}], "allOf": [{"anyOf": [{}]}]},
        ),
        ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": ["string"]}]}),
        ({"items": False}, {"items": False}),
        (
            {"properties": {"type": {"type": "string"}}, "required": ["type", "type", 3]},
            {"properties": {"type": {"type": ["string"]}}, "required": ["type"]},
        ),
        ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"additionalProperties": True}),
        (
            {"description": "text", "title": "t", "default": 1, "propertyOrdering": ["a"], "format": "date"},
            {},
        ),
    ],
)
def test_keywords(source: Any, expected: Any):
    assert _read(source) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": 33},
        {"type": {}},
        {"type": ["strong"]},
        {"enum": "a"},
        {"enum": []},
        {"properties": []},
        {"required": "a"},
        {"items": 3},
        {"minimum": "low"},
        {"minLength": -1},
        {"maxItems": 1.5},
        {"multipleOf": 0},
        {"anyOf": {}},
        {"anyOf": []},
        {"pattern": 3},
        {"pattern": "a" * 501},
        {"additionalProperties": "no"},
        {"$ref": 3},
    ],
    ids=str,
)
def test_what_cannot_be_read_says_nothing(wrong: Any):
    assert _read(wrong) == {}


def test_a_function_without_parameters_has_no_schema():
    assert declared_schema({"name": "f"}) is None
    assert declared_schema({"name": "f", "parameters": "all"}) is None


def test_json_schema_goes_first_where_both_are_given():
    declared = declared_schema({"parameters": {"type": "STRING"}, "parametersJsonSchema": {"type": "object"}})

    assert declared is not None
    assert declared.schema == {"type": ["object"]}


@pytest.mark.parametrize("spelling", ["$defs", "definitions", "defs"])
@pytest.mark.parametrize("keyword", ["$ref", "ref"])
def test_references_are_written_out(spelling: str, keyword: str):
    source = {
        "properties": {"pet": {keyword: f"#/{spelling}/a~1b"}},
        spelling: {"a/b": {"type": "string"}},
    }

    assert _read(source) == {"properties": {"pet": {"type": ["string"]}}}


def test_what_stands_beside_a_reference_holds_too():
    source = {"$ref": "#/$defs/n", "maximum": 3, "$defs": {"n": {"type": "integer"}}}

    assert _read(source) == {"allOf": [{"type": ["integer"]}, {"maximum": 3}]}


def test_beside_a_reference_nullable_allows_null_whatever_it_leads_to():
    source = {"ref": "#/defs/n", "nullable": True, "defs": {"n": {"type": "OBJECT"}}}

    assert _read(source) == {"allOf": [{"anyOf": [{"type": ["object"]}, {"type": ["null"]}]}]}


def test_an_anchor_is_not_taken_for_the_whole_schema():
    source = {
        "type": "object",
        "properties": {"item": {"$ref": "#item"}},
        "$defs": {"item": {"$anchor": "item", "type": "string"}},
    }

    assert _read(source) == {"type": ["object"], "properties": {"item": {}}}


@pytest.mark.parametrize(
    "reference",
    [
        "#",
        "#/$defs/loop",
        "#/$defs/nowhere",
        "#/$defs/list/9",
        "https://example.com/schema",
        "other.json",
        "#anchor",
    ],
)
def test_a_reference_that_leads_nowhere_says_nothing(reference: str):
    loop = {"loop": {"$ref": "#/$defs/back"}, "back": {"$ref": "#/$defs/loop"}, "list": [{}]}

    assert _read({"$ref": reference, "$defs": loop}) == {}


def test_a_recursive_schema_is_written_to_a_depth():
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}

    schema = _read({"$ref": "#/$defs/n", "$defs": {"n": node}})

    for _ in range(MAX_DEPTH - 1):
        schema = schema["properties"]["next"]
        assert schema["type"] == ["object"]
    assert schema["properties"]["next"] is True


def test_a_schema_that_doubles_at_every_level_stays_small():
    levels = {f"d{at}": {"anyOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(60)}

    declared = declared_schema({"parametersJsonSchema": {"$ref": "#/$defs/d0", "$defs": levels}})

    assert declared is not None
    assert declared.size <= MAX_NODES


def test_a_huge_schema_is_read_as_far_as_the_limit():
    declared = declared_schema(
        {"parameters": {"properties": {f"p{at}": {"type": "STRING"} for at in range(9000)}}}
    )

    assert declared is not None
    assert declared.size == MAX_NODES
    assert declared.schema["properties"]["p0"] == {"type": ["string"]}
    assert declared.schema["properties"]["p8999"] is True
