"""Schemas that say the same have one simplest form, and those that do not keep what tells them apart."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.schemas import declared_schema
from gemtape.checks.simplest import simplest, types_of

OBJECT = {"type": "object", "properties": {"x": {"type": "string"}}}


def _simplest(schema: Any) -> Any:
    declared = declared_schema({"name": "f", "parametersJsonSchema": schema})
    assert declared is not None
    return simplest(declared.schema)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"type": "STRING", "nullable": True}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"type": "STRING", "enum": ["a"], "nullable": True},
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"type": "null"}, {"type": "string"}, {"type": "integer"}]},
            {"type": ["integer", "string", "null"]},
        ),
        (
            {"anyOf": [{"anyOf": [OBJECT, {"type": "string"}]}, {"type": "null"}]},
            {"anyOf": [OBJECT, {"type": ["string", "null"]}]},
        ),
        (
            {"anyOf": [{"const": "a"}, {"type": "null"}]},
            {"anyOf": [{"type": "null"}, {"enum": ["a"]}]},
        ),
        (
            {"type": "string", "enum": ["a", "b"]},
            {"anyOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}]},
        ),
        (
            {"anyOf": [{"const": "a"}, {"enum": ["a", 1]}, OBJECT]},
            {"anyOf": [OBJECT, {"enum": ["a", 1]}]},
        ),
        ({"type": "INTEGER", "enum": ["1", "2"]}, {"type": "integer", "enum": [1, 2]}),
        ({"allOf": [{"$ref": "#/$defs/o"}], "$defs": {"o": OBJECT}}, OBJECT),
        (
            {"$ref": "#/$defs/o", "nullable": True, "$defs": {"o": OBJECT}},
            {"anyOf": [OBJECT, {"type": "null"}]},
        ),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, {"type": "string", "maxLength": 3}),
        ({"type": "array", "minItems": 0, "items": {}}, {"type": "array"}),
        ({"type": "object", "additionalProperties": True}, {"type": "object", "properties": {}}),
        ({"anyOf": [{"type": "string"}, {}]}, {}),
    ],
    ids=str,
)
def test_what_says_the_same_is_the_same(one: Any, other: Any):
    assert _bare(_simplest(one)) == _bare(_simplest(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"allOf": [OBJECT, {"properties": {"y": {}}, "additionalProperties": False}]},
            {"allOf": [{**OBJECT, "additionalProperties": False}, {"properties": {"y": {}}}]},
        ),
        ({"allOf": [{"minLength": 1}, {"minLength": 2}]}, {"minLength": 2}),
        ({"anyOf": [OBJECT, {"type": "array"}, {"type": "null"}]}, {"anyOf": [OBJECT, {"type": "array"}]}),
        ({"type": "array", "items": False}, {"type": "array"}),
        ({"type": "object", "additionalProperties": False}, {"type": "object"}),
        ({"anyOf": [False, {"type": "string"}]}, {"type": "string"}),
        ({"enum": ["1"]}, {"enum": [1]}),
        (
            {"anyOf": [{"type": "string", "enum": [1]}, {"type": "integer", "enum": [2]}]},
            {"type": "integer", "enum": [1, 2]},
        ),
        (
            {"anyOf": [{"enum": ["ab", "c"], "minLength": 2}, {"const": "d"}]},
            {"enum": ["ab", "c", "d"]},
        ),
    ],
    ids=str,
)
def test_what_says_something_else_stays_apart(one: Any, other: Any):
    assert _bare(_simplest(one)) != _bare(_simplest(other))


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": ["string"], "enum": ["a", 1]}, ["string"]),
        ({"enum": ["a", None, True, [], {}]}, ["array", "boolean", "null", "object", "string"]),
        ({"enum": [1, 2.0]}, ["integer"]),
        ({"enum": [1.5]}, ["number"]),
        ({"minLength": 1}, None),
    ],
    ids=str,
)
def test_types_are_said_or_seen_from_the_values(schema: dict[str, Any], types: list[str] | None):
    assert types_of(schema) == types


def _bare(schema: Any) -> Any:
    """A schema without the empty list of properties, which names nothing."""
    return {key: value for key, value in schema.items() if (key, value) != ("properties", {})}
