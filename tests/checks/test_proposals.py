"""Which calls a drill proposes in place of a recorded one."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.arguments import signature
from gemtape.checks.faults import Fault
from gemtape.checks.proposals import Proposal, proposals

PROPERTIES = {
    "city": {"type": "STRING"},
    "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
    "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
}
FORECAST = {
    "name": "get_forecast",
    "parameters": {"type": "OBJECT", "properties": PROPERTIES, "required": ["city", "days"]},
}
RECORDED = {"city": "Pune", "days": 3, "unit": "celsius"}


def _made(declaration: dict[str, Any], args: Any, **more: Any) -> dict[Proposal, tuple[str, Any, str]]:
    return {
        item.proposal: (item.name, item.args, item.argument) for item in proposals(declaration, args, **more)
    }


def test_all_seven_proposals():
    assert _made(FORECAST, RECORDED, declared=frozenset({"get_forecast"})) == {
        Proposal.VALID: ("get_forecast", RECORDED, ""),
        Proposal.BAD_ENUM: ("get_forecast", {**RECORDED, "unit": "unspecified"}, "unit"),
        Proposal.STRING_NUMBER: ("get_forecast", {**RECORDED, "days": "3"}, "days"),
        Proposal.MISSING_REQUIRED: ("get_forecast", {"days": 3, "unit": "celsius"}, "city"),
        Proposal.OUT_OF_RANGE: ("get_forecast", {**RECORDED, "days": 14}, "days"),
        Proposal.UNDECLARED_ARGUMENT: ("get_forecast", {**RECORDED, "tenant": "acme"}, "tenant"),
        Proposal.UNDECLARED_FUNCTION: ("get_forecast_v2", RECORDED, ""),
    }


@pytest.mark.parametrize(
    ("proposal", "fault"),
    [
        (Proposal.BAD_ENUM, Fault.ENUM),
        (Proposal.STRING_NUMBER, Fault.COERCIBLE),
        (Proposal.MISSING_REQUIRED, Fault.MISSING),
        (Proposal.OUT_OF_RANGE, Fault.RANGE),
        (Proposal.UNDECLARED_ARGUMENT, Fault.EXTRA),
    ],
)
def test_each_malformed_call_has_the_fault_that_it_is_named_after(proposal: Proposal, fault: Fault):
    takes = signature(FORECAST)
    assert takes is not None

    assert [item.fault for item in takes.faults(_made(FORECAST, RECORDED)[proposal][1])] == [fault]


def test_an_enumeration_that_was_not_used_is_used():
    assert _made(FORECAST, {"city": "Pune", "days": 3})[Proposal.BAD_ENUM][1]["unit"] == "unspecified"


def test_only_what_the_schema_allows_is_proposed():
    bare = {
        "name": "f",
        "parametersJsonSchema": {"type": "object", "properties": {"note": {"type": "string"}}},
    }

    assert list(_made(bare, {"note": "x"})) == [
        Proposal.VALID,
        Proposal.UNDECLARED_ARGUMENT,
        Proposal.UNDECLARED_FUNCTION,
    ]
    assert list(_made({"name": "f"}, {})) == [
        Proposal.VALID,
        Proposal.UNDECLARED_ARGUMENT,
        Proposal.UNDECLARED_FUNCTION,
    ]


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ({"minimum": 1}, -1),
        ({"minimum": -5}, -10),
        ({"maximum": 0}, 2),
        ({"maximum": -5}, -3),
        ({"exclusiveMaximum": 10}, 20),
    ],
)
def test_numbers_out_of_range(limits: dict[str, int], value: int):
    schema = {"type": "object", "properties": {"n": {"type": "integer", **limits}}}

    assert _made({"name": "f", "parametersJsonSchema": schema}, {})[Proposal.OUT_OF_RANGE][1] == {"n": value}


def _f(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "f", "parametersJsonSchema": {"type": "object", "properties": properties, **more}}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """How pydantic writes what may be None."""
    return {"anyOf": [schema, {"type": "null"}]}


DEEP = _f(
    {
        "trip": {
            "type": "object",
            "properties": {
                "legs": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "mode": {"type": "string", "enum": ["rail", "road"]},
                            "km": {"type": "number", "maximum": 900},
                        },
                        "required": ["mode"],
                    },
                }
            },
        }
    }
)


def _legs(*legs: dict[str, Any]) -> dict[str, Any]:
    return {"trip": {"legs": list(legs)}}


def test_what_lies_deep_is_drilled_too():
    made = _made(DEEP, _legs({"mode": "rail", "km": 3.5}, {"mode": "road"}))

    rest = {"mode": "road"}
    assert {kind: (args, place) for kind, (_, args, place) in made.items() if place.startswith("trip")} == {
        Proposal.BAD_ENUM: (_legs({"mode": "unspecified", "km": 3.5}, rest), "trip.legs[0].mode"),
        Proposal.STRING_NUMBER: (_legs({"mode": "rail", "km": "3.5"}, rest), "trip.legs[0].km"),
        Proposal.MISSING_REQUIRED: (_legs({"km": 3.5}, rest), "trip.legs[0].mode"),
        Proposal.OUT_OF_RANGE: (_legs({"mode": "rail", "km": 1800}, rest), "trip.legs[0].km"),
    }


def test_the_recorded_arguments_stay_as_they_are():
    args = _legs({"mode": "rail", "km": 3.5})
    proposals(DEEP, args)

    assert args == _legs({"mode": "rail", "km": 3.5})


def test_what_lies_less_deep_comes_first():
    schema = {"deep": {"type": "object", "properties": {"n": {"type": "integer"}}}, "n": {"type": "integer"}}

    assert _made(_f(schema), {"deep": {"n": 1}, "n": 2})[Proposal.STRING_NUMBER][2] == "n"


def test_what_may_be_null_is_drilled():
    properties = {
        "unit": _nullable({"type": "string", "enum": ["a", "b"]}),
        "days": _nullable({"type": "integer", "maximum": 7}),
    }
    made = _made(_f(properties), {"unit": "a", "days": None})

    assert made[Proposal.BAD_ENUM][1] == {"unit": "unspecified", "days": None}
    assert made[Proposal.OUT_OF_RANGE][1] == {"unit": "a", "days": 14}


def test_references_and_tuples_are_followed():
    unit = {"$ref": "#/$defs/Unit"}
    declaration = _f(
        {"pair": {"type": "array", "prefixItems": [{"type": "string"}, unit], "items": {"type": "integer"}}},
        **{"$defs": {"Unit": {"type": "string", "enum": ["a"]}}},
    )
    made = _made(declaration, {"pair": ["x", "a", 1, 2]})

    assert made[Proposal.BAD_ENUM][1:] == ({"pair": ["x", "unspecified", 1, 2]}, "pair[1]")
    assert made[Proposal.STRING_NUMBER][1:] == ({"pair": ["x", "a", "1", 2]}, "pair[2]")


@pytest.mark.parametrize(
    "schema",
    [{"type": "INTEGER", "enum": ["1", "2"]}, {"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}],
)
@pytest.mark.parametrize("args", [{"n": 2}, {}])
def test_an_enumeration_of_numbers_gets_a_number(schema: dict[str, Any], args: Any):
    declaration = {"name": "f", "parameters": {"type": "OBJECT", "properties": {"n": schema}}}

    assert _made(declaration, args)[Proposal.BAD_ENUM][1] == {"n": 3}


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ({"maximum": 2**63 - 1, "minimum": 0}, -2),
        ({"maximum": 1.7e308, "exclusiveMinimum": 0}, -2),
    ],
)
def test_no_number_is_proposed_that_json_cannot_carry(limits: Any, value: int):
    assert _made(_f({"n": {"type": "number", **limits}}), {"n": 1})[Proposal.OUT_OF_RANGE][1] == {"n": value}


@pytest.mark.parametrize(
    ("properties", "more"),
    [
        ({"n": {"anyOf": [{"type": "integer", "maximum": 7}, {"type": "string", "enum": ["all"]}, {}]}}, {}),
        ({"n": {"type": "integer"}}, {"additionalProperties": {"type": "string"}}),
    ],
)
def test_what_a_schema_allows_in_another_way_is_not_malformed(properties: Any, more: Any):
    made = _made(_f(properties, **more), {"n": 1})

    assert not made.keys() & {Proposal.BAD_ENUM, Proposal.OUT_OF_RANGE}
    assert (Proposal.UNDECLARED_ARGUMENT in made) == (not more)


def test_names_that_are_taken_are_not_proposed():
    schema = {"type": "object", "properties": {"tenant": {"type": "string"}}}
    made = _made({"name": "f", "parametersJsonSchema": schema}, {}, declared=frozenset({"f", "f_v2"}))

    assert made[Proposal.UNDECLARED_ARGUMENT][2] == "tenant_"
    assert made[Proposal.UNDECLARED_FUNCTION][0] == "f_v2_"


@pytest.mark.parametrize("args", [{}, {"city": "Pune"}, {"city": "Pune", "days": 9}, None, []])
def test_a_recorded_call_that_does_not_fit_is_not_drilled(args: Any):
    assert proposals(FORECAST, args) == []
