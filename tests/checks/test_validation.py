"""What no validation, a coercing and a strict validator let through, for both spellings of schemas."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.checks.validation import Validation, validate, written_call

OBJECT = {
    "type": "OBJECT",
    "properties": {
        "city": {"type": "STRING"},
        "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
        "hot": {"type": "BOOLEAN"},
        "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
        "range": {"type": "OBJECT", "properties": {"from": {"type": "INTEGER"}}},
        "hours": {"type": "ARRAY", "items": {"type": "INTEGER"}},
    },
    "required": ["city"],
}
JSON_SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "hot": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "range": {"type": "object", "properties": {"from": {"type": "integer"}}},
        "hours": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["city"],
}
DECLARATIONS = [{"name": "f", "parameters": OBJECT}, {"name": "f", "parametersJsonSchema": JSON_SCHEMA}]
spelled = pytest.mark.parametrize("declaration", DECLARATIONS, ids=["parameters", "parametersJsonSchema"])


@spelled
@pytest.mark.parametrize(
    ("args", "coerced"),
    [
        ({"city": "Pune"}, {"city": "Pune"}),
        ({"city": "Pune", "days": "3"}, {"city": "Pune", "days": 3}),
        ({"city": "Pune", "days": 3, "tenant": "x"}, {"city": "Pune", "days": 3}),
        ({"city": 5}, {"city": "5"}),
        ({"city": "Pune", "hot": "yes"}, {"city": "Pune", "hot": True}),
        ({"city": "Pune", "days": None}, {"city": "Pune"}),
        ({"city": "Pune", "range": {"from": "2", "to": 3}}, {"city": "Pune", "range": {"from": 2}}),
        ({"city": "Pune", "hours": ["1", 2]}, {"city": "Pune", "hours": [1, 2]}),
        ({"city": "Pune", "days": "14"}, None),
        ({"city": "Pune", "days": 14}, None),
        ({"city": "Pune", "unit": "kelvin"}, None),
        ({"city": {}}, None),
        ({"days": 3}, None),
        ([], None),
    ],
)
def test_what_a_coercing_validator_hands_on(declaration: dict[str, Any], args: Any, coerced: Any):
    before = repr(args)

    outcome = validate(declaration, args, Validation.COERCE)

    assert (None if outcome.rejected else outcome.args) == coerced
    assert repr(args) == before


@spelled
@pytest.mark.parametrize(
    "args",
    [{"city": "Pune", "days": "3"}, {"city": "Pune", "tenant": "x"}, {"city": "Pune", "days": 14}, {}],
)
def test_a_strict_validator_rejects_whatever_does_not_fit(declaration: dict[str, Any], args: Any):
    outcome = validate(declaration, args, Validation.STRICT)

    assert outcome.rejected
    assert outcome.error
    assert not validate(declaration, args, Validation.NONE).rejected


def test_many_faults_are_mended_in_rounds():
    many = {f"extra{at}": at for at in range(60)}

    outcome = validate(DECLARATIONS[0], {"city": "Pune", **many}, Validation.COERCE)

    assert outcome.args == {"city": "Pune"}
    assert not outcome.rejected


def test_a_fault_told_twice_is_mended_once():
    closed = {"additionalProperties": False, "properties": {"a": {"type": "string"}}}
    declaration = {"name": "f", "parametersJsonSchema": {"allOf": [closed, closed]}}

    assert validate(declaration, {"a": "x", "b": 1}, Validation.COERCE).args == {"a": "x"}


def test_without_a_schema_everything_is_let_through():
    assert validate({"name": "f"}, {"x": 1}, Validation.STRICT).args == {"x": 1}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(list(OBJECT["properties"])) | st.text(max_size=3), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@spelled
@given(args=json_values)
def test_what_coercing_lets_through_satisfies_the_strict_one(declaration: dict[str, Any], args: Any):
    outcome = validate(declaration, args, Validation.COERCE)

    assert outcome.rejected or not validate(declaration, outcome.args, Validation.STRICT).rejected


def test_calls_are_written_as_people_do():
    assert (
        written_call("f", {"city": "Köln", "days": "3", "on": True}) == 'f(city: "Köln", days: "3", on: true)'
    )
    assert written_call("f", None) == "f(null)"
    assert len(written_call("f", {"text": "x" * 999})) < 250
