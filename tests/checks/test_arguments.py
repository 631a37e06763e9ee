"""Checking arguments: bounded whatever the schema and the arguments are, and shared between equal declarations."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from gemtape.checks.arguments import MOST_FAULTS, signature
from gemtape.checks.faults import Fault


def _faults(schema: Any, args: Any) -> list:
    takes = signature({"name": "f", "parametersJsonSchema": schema})
    assert takes is not None
    return takes.faults(args)


def _nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = {"next": value}
    return value


TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
        }
    },
}
BRANCHING = {
    "$ref": "#/$defs/node",
    "$defs": {"node": {"anyOf": [{"properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["x"]}] * 2}},
}


def test_a_function_without_a_schema_takes_anything():
    assert signature({"name": "f", "description": "no parameters"}) is None
    assert signature({"name": "f", "parameters": "broken"}) is None


def test_equal_declarations_share_their_signature():
    schema = {"type": "OBJECT", "properties": {"shared": {"type": "STRING"}}}

    first = signature({"name": "a", "description": "x", "parameters": schema})

    assert first is signature({"name": "b", "parameters": dict(reversed(schema.items()))})


def test_a_recursive_schema_is_followed():
    assert [fault.place for fault in _faults(TREE, _nested({"value": "x"}, 5))] == [
        ("next",) * 5 + ("value",)
    ]


@pytest.mark.parametrize(("depth", "faults"), [(60, 1), (110, 0), (300, 0)])
def test_beyond_the_depth_that_is_written_out_everything_fits(depth: int, faults: int):
    assert len(_faults(TREE, _nested({"value": "x"}, depth))) == faults


def test_a_schema_that_branches_at_every_level_does_not_hang():
    assert isinstance(_faults(BRANCHING, _nested({}, 60)), list)


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "(a|a)*b", "(x+x+)+y", "(a?){30}a{30}", r"^(\w+\s?)*$"], ids=str
)
def test_a_pattern_that_backtracks_for_ever_elsewhere_does_not_here(pattern: str):
    schema = {"properties": {"text": {"type": "string", "pattern": pattern}}}

    assert len(_faults(schema, {"text": "a" * 5000 + "!"})) <= 1


@pytest.mark.parametrize("pattern", [r"^(?!x)", r"(a)\1", "(", "(a{1000}){1000}", "[z-a]"], ids=str)
def test_a_pattern_beyond_the_engine_says_nothing(pattern: str):
    """And the rest of the schema still holds."""
    schema = {
        "properties": {"text": {"pattern": pattern}, "pattern": {"type": "string"}},
        "required": ["day"],
    }

    assert [fault.fault for fault in _faults(schema, {"text": "b", "pattern": "x"})] == [Fault.MISSING]


def test_only_so_many_faults_are_told():
    schema = {"additionalProperties": {"type": "integer"}}

    assert len(_faults(schema, {f"k{at}": "x" for at in range(500)})) == MOST_FAULTS


def test_what_takes_too_long_to_explain_is_told_in_one_sentence():
    schema = {"items": {"anyOf": [{"enum": [at]} for at in range(400)]}}

    assert [(fault.place, fault.message) for fault in _faults(schema, ["x"] * 1000)] == [
        ((), "the arguments do not fit the declared schema")
    ]


def test_what_takes_too_long_to_check_is_let_through():
    schema = {"items": {"anyOf": [{"enum": [at]} for at in range(4000)]}}

    assert _faults(schema, ["x"] * 9000) == []


@pytest.mark.parametrize("args", ["\ud800", {"\ud800": 1}, {"a": ["\udfff"]}, 2**70, -0.0, [], None])
@pytest.mark.parametrize("schema", [{"type": "object"}, TREE, {"maxLength": 1, "maximum": 2}])
def test_odd_arguments_never_raise(schema: Any, args: Any):
    assert isinstance(_faults(schema, args), list)


def test_the_validator_is_loaded_only_where_arguments_are_checked():
    code = "import sys, gemtape.checks.judge; sys.exit('jsonschema_rs' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
