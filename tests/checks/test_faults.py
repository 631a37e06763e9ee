"""Every class of fault, for both spellings of schemas."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.arguments import signature
from gemtape.checks.faults import ArgumentFault, Fault
from tests.checks.respelled import lowered

PROPERTIES = {
    "city": {"type": "STRING", "minLength": "2"},
    "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
    "hot": {"type": "BOOLEAN"},
    "limit": {"type": "NUMBER"},
    "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
    "mood": {"type": "STRING", "nullable": True},
    "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "maxItems": 2},
    "order": {"type": "STRING", "pattern": "^ORD-[0-9]+$"},
    "range": {
        "type": "OBJECT",
        "properties": {"from": {"type": "INTEGER"}, "to": {"type": "INTEGER"}},
        "required": ["from"],
    },
    "when": {"anyOf": [{"type": "INTEGER"}, {"type": "OBJECT", "properties": {"at": {"type": "INTEGER"}}}]},
}
OPENAPI = {"type": "OBJECT", "properties": PROPERTIES, "required": ["city"]}


SPELLINGS = {"parameters": OPENAPI, **lowered({"parameters": OPENAPI})}


def _faults(args: Any, spelling: str = "parameters") -> list[ArgumentFault]:
    takes = signature({"name": "f", spelling: SPELLINGS[spelling]})
    assert takes is not None
    return takes.faults(args)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("args", "fault", "place"),
    [
        ({}, Fault.MISSING, ("city",)),
        ({"city": "Pune", "range": {"to": 3}}, Fault.MISSING, ("range", "from")),
        ({"city": "Pune", "days": "3"}, Fault.COERCIBLE, ("days",)),
        ({"city": "Pune", "days": " 3.0 "}, Fault.COERCIBLE, ("days",)),
        ({"city": "Pune", "limit": "-1.5e3"}, Fault.COERCIBLE, ("limit",)),
        ({"city": "Pune", "hot": "true"}, Fault.COERCIBLE, ("hot",)),
        ({"city": "Pune", "hot": 1}, Fault.COERCIBLE, ("hot",)),
        ({"city": 4711}, Fault.COERCIBLE, ("city",)),
        ({"city": True}, Fault.COERCIBLE, ("city",)),
        ({"city": "Pune", "days": None}, Fault.COERCIBLE, ("days",)),
        ({"city": "Pune", "when": "5"}, Fault.COERCIBLE, ("when",)),
        ({"city": "Pune", "tags": ["a", 1]}, Fault.COERCIBLE, ("tags", 1)),
        ({"city": None}, Fault.TYPE, ("city",)),
        ({"city": ["Pune"]}, Fault.TYPE, ("city",)),
        ({"city": "Pune", "days": "14"}, Fault.TYPE, ("days",)),
        ({"city": "Pune", "days": "three"}, Fault.TYPE, ("days",)),
        ({"city": "Pune", "days": 2.5}, Fault.TYPE, ("days",)),
        ({"city": "Pune", "hot": 2}, Fault.TYPE, ("hot",)),
        ({"city": "Pune", "range": '{"from": 1}'}, Fault.TYPE, ("range",)),
        ({"city": "Pune", "tags": [None]}, Fault.TYPE, ("tags", 0)),
        ({"city": "Pune", "when": {"at": "noon"}}, Fault.TYPE, ("when", "at")),
        ({"city": "Pune", "when": []}, Fault.TYPE, ("when",)),
        ({"city": "Pune", "unit": "kelvin"}, Fault.ENUM, ("unit",)),
        ({"city": "Pune", "days": 14}, Fault.RANGE, ("days",)),
        ({"city": "Pune", "days": 0}, Fault.RANGE, ("days",)),
        ({"city": "P"}, Fault.RANGE, ("city",)),
        ({"city": "Pune", "tags": ["a", "b", "c"]}, Fault.RANGE, ("tags",)),
        ({"city": "Pune", "order": "100"}, Fault.RANGE, ("order",)),
        ({"city": "Pune", "tenant": "x"}, Fault.EXTRA, ("tenant",)),
        ({"city": "Pune", "range": {"from": 1, "step": 2}}, Fault.EXTRA, ("range", "step")),
        ("Pune", Fault.TYPE, ()),
        (None, Fault.TYPE, ()),
    ],
    ids=lambda value: str(value) if isinstance(value, (dict, str)) else "",
)
def test_each_fault_is_classed_and_placed(args: Any, fault: Fault, place: tuple, spelling: str):
    assert [(item.fault, item.place) for item in _faults(args, spelling)] == [(fault, place)]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "args",
    [
        {"city": "Pune"},
        {"city": "Pune", "days": 3.0, "hot": False, "limit": 2, "unit": "celsius"},
        {"city": "Pune", "mood": None, "tags": [], "order": "ORD-100"},
        {"city": "Pune", "range": {"from": 1}, "when": {"at": 3}},
        {"city": "Pune", "when": {"anything": "goes"}},
    ],
    ids=str,
)
def test_what_fits_has_no_fault(args: Any, spelling: str):
    assert _faults(args, spelling) == []


def test_several_faults_are_all_told():
    faults = _faults({"days": 14, "unit": "kelvin", "tenant": "x"})

    assert {item.fault for item in faults} == {Fault.MISSING, Fault.RANGE, Fault.ENUM, Fault.EXTRA}


def test_a_value_of_the_wrong_type_has_one_fault():
    """It misses its enumeration as well, which says nothing new."""
    takes = signature({"parameters": {"properties": {"n": {"type": "INTEGER", "enum": ["1", "2"]}}}})

    assert takes is not None
    assert [item.fault for item in takes.faults({"n": [1]})] == [Fault.TYPE]
    assert takes.faults({"n": 2}) == []


@pytest.mark.parametrize(
    "extra",
    [
        {"additionalProperties": False},
        {"properties": {}, "additionalProperties": False},
        {"properties": {"y": {}}, "additionalProperties": False},
        {"properties": {"x": False}},
    ],
    ids=str,
)
def test_an_extra_argument_may_be_ruled_out(extra: dict):
    takes = signature({"parametersJsonSchema": {"type": "object", **extra}})

    assert takes is not None
    assert [(item.fault, item.place, item.forbidden) for item in takes.faults({"x": 1})] == [
        (Fault.EXTRA, ("x",), True)
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            {"city": "Pune", "days": "3"},
            'days is the string "3"; declared: integer (a coercing validator takes it as 3)',
        ),
        ({"city": "Pune", "days": []}, "days is a list; declared: integer"),
        ({"city": "Pune", "when": False}, "when is the boolean false; declared: integer or object"),
        ({"city": {}}, "city is an object; declared: string"),
        ({}, "city is required and missing"),
        ({"city": "Pune", "unit": "kelvin"}, 'unit is "kelvin"; allowed: "celsius", "fahrenheit"'),
        ({"city": "Pune", "days": 14}, "days is 14; declared: maximum 7"),
        ({"city": "x" * 99, "order": "y" * 99}, f'order is "{"y" * 40}…"; declared: pattern "^ORD-[0-9]+$"'),
        ({"city": "Pune", "tags": ["a", None]}, "tags[1] is null; declared: string"),
        ({"city": "Pune", "tenant": 1}, "tenant is not declared"),
    ],
)
def test_messages(args: Any, message: str):
    assert _faults(args)[0].message.startswith(message)


def test_a_long_enumeration_is_cut():
    takes = signature({"parameters": {"properties": {"n": {"enum": [str(at) for at in range(20)]}}}})

    assert takes is not None
    assert takes.faults({"n": "x"})[0].message.endswith('"7" and 12 more')
