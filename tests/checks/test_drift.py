"""Which changes of a declaration break, widen, or reword it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gemtape.checks.drift import Kind, changes, nearest
from tests.checks.respelled import lowered

GRID = {"type": "OBJECT", "properties": {"x": {"type": "NUMBER"}}}
PARAMETERS: dict[str, Any] = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING", "description": "Name of the city.", "not": {"enum": ["Pune"]}},
        "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
        "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
        "tags": {"type": "ARRAY", "items": {"type": "STRING"}, "maxItems": 3},
        "when": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
        "place": {"anyOf": [GRID, {"type": "STRING", "maxLength": 3}]},
        "date": {"type": "STRING", "format": "date-time"},
    },
    "required": ["city", "days"],
}
PINNED = {"name": "get_forecast", "description": "Forecast of a city.", "parameters": PARAMETERS}
GONE = object()


def _changed(*steps: tuple[tuple[str, ...], Any]) -> dict[str, Any]:
    """The pinned declaration with other values at some places."""
    declared = copy.deepcopy(PINNED)
    for (*way, last), value in steps:
        target: Any = declared
        for step in way:
            target = target[step]
        if value is GONE:
            del target[last]
        else:
            target[last] = value
    return declared


PROPERTIES = ("parameters", "properties")
CASES = {
    "an argument removed": (((*PROPERTIES, "unit"), GONE), Kind.BREAKING, "unit removed"),
    "an argument added": (((*PROPERTIES, "hours"), {"type": "INTEGER"}), Kind.WIDENING, "hours added"),
    "an argument required": (
        (("parameters", "required"), ["city", "days", "unit"]),
        Kind.BREAKING,
        "unit is required now",
    ),
    "an argument not required": (
        (("parameters", "required"), ["city"]),
        Kind.WIDENING,
        "days is not required now",
    ),
    "another type": (
        ((*PROPERTIES, "days", "type"), "STRING"),
        Kind.BREAKING,
        'type of days: "integer" → "string"',
    ),
    "null allowed": (((*PROPERTIES, "city", "nullable"), True), Kind.WIDENING, 'type of city: "null" added'),
    "a value removed": (
        ((*PROPERTIES, "unit", "enum"), ["celsius"]),
        Kind.BREAKING,
        'values of unit: "fahrenheit" removed',
    ),
    "a value added": (
        ((*PROPERTIES, "unit", "enum"), ["celsius", "fahrenheit", "kelvin"]),
        Kind.WIDENING,
        'values of unit: "kelvin" added',
    ),
    "values restricted": (
        ((*PROPERTIES, "city", "enum"), ["Pune"]),
        Kind.BREAKING,
        'values of city is restricted to "Pune"',
    ),
    "values free": (((*PROPERTIES, "unit", "enum"), GONE), Kind.WIDENING, "values of unit is free"),
    "a tighter limit": (((*PROPERTIES, "days", "maximum"), 5), Kind.BREAKING, "maximum of days: 7 → 5"),
    "a wider limit": (((*PROPERTIES, "days", "maximum"), 14), Kind.WIDENING, "maximum of days: 7 → 14"),
    "a limit removed": (
        ((*PROPERTIES, "days", "minimum"), GONE),
        Kind.WIDENING,
        "minimum of days: 1 → nothing",
    ),
    "a limit added": (
        ((*PROPERTIES, "city", "minLength"), 2),
        Kind.BREAKING,
        "minLength of city: nothing → 2",
    ),
    "a pattern added": (
        ((*PROPERTIES, "city", "pattern"), "^P"),
        Kind.BREAKING,
        "pattern of city changed",
    ),
    "items of another type": (
        ((*PROPERTIES, "tags", "items", "type"), "INTEGER"),
        Kind.BREAKING,
        'type of tags[]: "string" → "integer"',
    ),
    "an alternative added": (
        ((*PROPERTIES, "when", "anyOf"), [{"type": "STRING"}, {"type": "INTEGER"}, {"type": "BOOLEAN"}]),
        Kind.WIDENING,
        'type of when: "boolean" added',
    ),
    "an alternative removed": (
        ((*PROPERTIES, "when", "anyOf"), [{"type": "STRING"}]),
        Kind.BREAKING,
        'type of when: "integer" removed',
    ),
    "an alternative in place of none": (
        (
            (*PROPERTIES, "city"),
            {
                "anyOf": [{"type": "STRING"}, GRID],
                "description": "Name of the city.",
                "not": {"enum": ["Pune"]},
            },
        ),
        Kind.WIDENING,
        "alternatives of city changed",
    ),
    "another one of several alternatives": (
        ((*PROPERTIES, "place", "anyOf"), [{"type": "STRING", "maxLength": 2}, GRID]),
        Kind.BREAKING,
        "maxLength of place: 3 → 2",
    ),
    "none of several alternatives": (
        ((*PROPERTIES, "place"), GRID),
        Kind.BREAKING,
        "alternatives of place changed",
    ),
    "any number in place of an integer": (
        ((*PROPERTIES, "days", "type"), "NUMBER"),
        Kind.WIDENING,
        'type of days: "number" added',
    ),
    "another format": (
        ((*PROPERTIES, "date", "format"), "date"),
        Kind.WORDING,
        'format of date: "date-time" → "date"',
    ),
    "a keyword that is not checked": (
        ((*PROPERTIES, "tags", "uniqueItems"), True),
        Kind.BREAKING,
        "uniqueItems of tags added",
    ),
    "another one that was not checked": (
        ((*PROPERTIES, "city", "not"), {"enum": ["Rome"]}),
        Kind.BREAKING,
        "not of city changed",
    ),
    "one that is not checked removed": (
        ((*PROPERTIES, "city", "not"), GONE),
        Kind.WIDENING,
        "not of city removed",
    ),
    "another description": (
        (("description",), "Weather."),
        Kind.WORDING,
        'description: "Forecast of a city." → "Weather."',
    ),
    "another description of an argument": (
        ((*PROPERTIES, "city", "description"), "Town."),
        Kind.WORDING,
        'description of city: "Name of the city." → "Town."',
    ),
    "a description removed": (
        ((*PROPERTIES, "city", "description"), GONE),
        Kind.WORDING,
        'description of city removed: "Name of the city."',
    ),
    "an example added": (
        ((*PROPERTIES, "city", "example"), "Pune"),
        Kind.WORDING,
        'example of city added: "Pune"',
    ),
    "nothing else allowed": (
        (("parameters", "additionalProperties"), False),
        Kind.BREAKING,
        "undeclared fields of the arguments are ruled out",
    ),
    "asynchronous now": ((("behavior",), "NON_BLOCKING"), Kind.BREAKING, 'behavior nothing → "NON_BLOCKING"'),
}


@pytest.mark.parametrize(("step", "kind", "words"), CASES.values(), ids=CASES)
def test_a_change_in_either_spelling(step: tuple[tuple[str, ...], Any], kind: Kind, words: str):
    declared = _changed(step)

    assert [(change.kind, change.words) for change in changes(PINNED, declared)] == [(kind, words)]
    respelled = [(change.kind, change.words) for change in changes(lowered(PINNED), lowered(declared))]
    assert respelled == [(kind, words)]


def test_names_of_types_are_values_like_others():
    """A column's type may be an argument: `integer` is no `number` there."""
    pinned, declared = (
        {"name": "f", "parameters": {"properties": {"kind": {"type": "STRING", "enum": values}}}}
        for values in (["integer", "number"], ["number"])
    )

    assert [(change.kind, change.words) for change in changes(pinned, declared)] == [
        (Kind.BREAKING, 'values of kind: "integer" removed')
    ]


def test_a_key_of_a_table_that_gets_a_type_of_its_own_breaks():
    table = {"type": "object", "additionalProperties": {"type": "string"}}
    pinned, declared = (
        {"name": "f", "parametersJsonSchema": {**table, "properties": properties}}
        for properties in ({}, {"size": {"type": "integer"}})
    )

    assert [(change.kind, change.words) for change in changes(pinned, declared)] == [
        (Kind.BREAKING, 'type of size: "string" → "integer"'),
        (Kind.WIDENING, "size added"),
    ]


def test_values_say_their_type():
    """Some generators write the type of a literal, others do not."""
    bare, typed = (
        {"name": "f", "parametersJsonSchema": {"properties": {"kind": kind}}}
        for kind in ({"const": "a"}, {"const": "a", "type": "string"})
    )

    assert changes(bare, typed) == []
    assert changes(typed, bare) == []


def test_a_description_in_the_response_hides_none_of_an_argument():
    """Both may be called alike."""
    pinned, declared = (
        {
            "name": "f",
            "parameters": {"properties": {"id": {"type": "STRING", "description": words}}},
            "response": {"properties": {"id": {"type": "STRING", "description": "As asked."}}},
        }
        for words in ("Of the order.", "Of the customer.")
    )

    assert [(change.kind, change.words) for change in changes(pinned, declared)] == [
        (Kind.WORDING, 'description of id: "Of the order." → "Of the customer."')
    ]


def test_spellings_of_the_same_schema_are_equal():
    assert changes(PINNED, lowered(PINNED)) == []
    assert changes(lowered(PINNED), PINNED) == []


@pytest.mark.parametrize("values", [1_000, 60_000])
def test_a_long_enumeration_is_compared(values: int):
    """However long it is: each value is looked for once."""
    old, new = (
        {"name": "f", "parameters": {"type": "STRING", "enum": [f"{prefix}{at}" for at in range(values)]}}
        for prefix in "ab"
    )

    assert [change.kind for change in changes(old, new)] == [Kind.BREAKING]


def test_the_worst_change_comes_first():
    declared = _changed(
        (("description",), "New."), ((*PROPERTIES, "hours"), {}), ((*PROPERTIES, "unit"), GONE)
    )

    assert [change.kind for change in changes(PINNED, declared)] == [
        Kind.BREAKING,
        Kind.WIDENING,
        Kind.WORDING,
    ]


def test_the_nearest_variant_is_compared():
    other = {"name": "get_forecast", "description": "Another agent's.", "parameters": {"type": "OBJECT"}}

    assert nearest([other, PINNED], PINNED) == []
    reworded = _changed((("description",), "New."))
    assert [change.kind for change in nearest([other, PINNED], reworded)] == [Kind.WORDING]


def test_of_variants_with_as_many_differences_the_one_whose_words_are_alike_is_compared():
    """Agents that share a function often differ in its description alone."""
    cities, places = ({**PINNED, "description": f"Forecast of a {where}."} for where in ("city", "place"))
    declared = {**PINNED, "description": "Daily forecast of a place."}

    told = [change.words for change in nearest([cities, places], declared)]
    assert told == [change.words for change in nearest([places, cities], declared)]
    assert told == ['description: "Forecast of a place." → "Daily forecast of a place."']


@pytest.mark.parametrize("odd", [None, 5, "x", [], {"type": 5, "properties": []}, {"properties": {"a": 1}}])
def test_whatever_stands_for_a_schema_is_compared(odd: Any):
    declared = {"name": "get_forecast", "parameters": odd}

    assert changes(declared, declared) == []
    assert changes(PINNED, declared)
    assert all(change.words for change in changes(declared, PINNED))


def test_changes_of_one_kind_are_told_in_a_constant_order():
    """Whatever order a set of names has in this process: a baseline knows a violation by its words."""
    names = [f"p{at:02}" for at in range(20)]
    old = {"name": "f", "parameters": {"type": "OBJECT", "properties": {name: {} for name in names}}}

    told = [change.words for change in changes(old, {"name": "f", "parameters": {"type": "OBJECT"}})]
    assert told == [f"{name} removed" for name in names]
