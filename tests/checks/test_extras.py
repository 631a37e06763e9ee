"""Which arguments a schema does not name."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.arguments import signature
from gemtape.checks.faults import Fault

NAMED: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"properties": {"a": {}}, "additionalProperties": True},
        {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}},
        {"properties": {"a": {}}, "anyOf": [{"properties": {"x": {}}}]},
        {"properties": {"a": {}}, "patternProperties": {"^x": {}}},
    ],
    ids=str,
)
def test_an_argument_is_extra_only_where_the_names_are_known(schema: dict):
    takes = signature({"parametersJsonSchema": schema})

    assert takes is not None
    assert takes.faults({"x": 1}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {**NAMED, "nullable": True},
        {"anyOf": [NAMED, {"type": "null"}]},
        {"allOf": [NAMED], "description": "As some generators write a reference with a description."},
        {"anyOf": [{"allOf": [NAMED]}, {"type": "null"}]},
    ],
    ids=str,
)
def test_null_beside_an_object_hides_no_extra_argument(schema: dict):
    """In whatever spelling it is allowed."""
    takes = signature({"parametersJsonSchema": {"type": "object", "properties": {"x": schema}}})

    assert takes is not None
    assert [(item.fault, item.place) for item in takes.faults({"x": {"a": "", "b": 1}})] == [
        (Fault.EXTRA, ("x", "b"))
    ]
    assert takes.faults({"x": None} if "nullable" in schema else {"x": {"a": ""}}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [NAMED, {"type": "object", "properties": {"b": {}}}]},
        {"allOf": [NAMED, {"type": "object", "properties": {"b": {}}}]},
        {**NAMED, "anyOf": [{"properties": {"b": {}}}]},
        {"anyOf": [NAMED, {"type": "null"}], "allOf": [{"properties": {"b": {}}}]},
    ],
    ids=str,
)
def test_where_several_schemas_count_nothing_is_extra(schema: dict):
    takes = signature({"parametersJsonSchema": {"type": "object", "properties": {"x": schema}}})

    assert takes is not None
    assert takes.faults({"x": {"a": "", "b": 1}}) == []


@pytest.mark.parametrize("spelling", ["parameters", "parametersJsonSchema"])
def test_a_nested_object_that_names_nothing_is_free_form(spelling: str):
    takes = signature(
        {spelling: {"type": "object", "properties": {"x": {"type": "object", "properties": {}}}}}
    )

    assert takes is not None
    assert takes.faults({"x": {"anything": 1}}) == []
    assert [item.place for item in takes.faults({"x": {}, "y": 1})] == [("y",)]
