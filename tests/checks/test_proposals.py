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


def test_names_that_are_taken_are_not_proposed():
    schema = {"type": "object", "properties": {"tenant": {"type": "string"}}}
    made = _made({"name": "f", "parametersJsonSchema": schema}, {}, declared=frozenset({"f", "f_v2"}))

    assert made[Proposal.UNDECLARED_ARGUMENT][2] == "tenant_"
    assert made[Proposal.UNDECLARED_FUNCTION][0] == "f_v2_"


@pytest.mark.parametrize("args", [{}, {"city": "Pune"}, {"city": "Pune", "days": 9}, None, []])
def test_a_recorded_call_that_does_not_fit_is_not_drilled(args: Any):
    assert proposals(FORECAST, args) == []
