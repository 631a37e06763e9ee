"""What a declaration says beside what calls are checked against, and where."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.wording import texts, unchecked

DECLARATION = {
    "name": "f",
    "description": "F.",
    "parameters": {
        "type": "OBJECT",
        "title": "Arguments",
        "properties": {
            "description": {"type": "STRING", "description": "Free text."},
            "not": {"type": "STRING", "format": "enum", "enum": ["a"]},
            "tags": {
                "type": "ARRAY",
                "uniqueItems": True,
                "items": {"type": "STRING", "format": "date", "not": {"enum": ["b"]}},
            },
            "ids": {"type": "ARRAY", "uniqueItems": False, "items": {"default": 1}},
        },
    },
    "response": {"anyOf": [{"type": "STRING", "description": "All of it."}]},
}


def test_texts_stand_where_people_find_them():
    assert texts(DECLARATION) == {
        "description": "F.",
        "title of the arguments": "Arguments",
        "description of description": "Free text.",
        "format of tags[]": "date",
        "default of ids[]": 1,
        "description of the response.anyOf.0": "All of it.",
    }


def test_keywords_that_are_not_checked():
    assert unchecked(DECLARATION) == {"uniqueItems of tags": True, "not of tags[]": {"enum": ["b"]}}


def test_arguments_and_response_that_are_called_alike_stand_apart():
    schemas = {
        key: {"properties": {"id": {"description": words, "not": {"const": words}}}}
        for key, words in (("parameters", "Asked for."), ("response", "Found."))
    }

    assert texts(schemas) == {"description of id": "Asked for.", "description of the response.id": "Found."}
    assert unchecked(schemas) == {
        "not of id": {"const": "Asked for."},
        "not of the response.id": {"const": "Found."},
    }


@pytest.mark.parametrize(
    "keyword",
    [{"propertyNames": {"type": "string"}}, {"unevaluatedProperties": True}, {"unevaluatedItems": True}],
)
def test_keywords_that_rule_nothing_out(keyword: dict[str, Any]):
    """As zod writes a record, for one."""
    assert unchecked({"parametersJsonSchema": {"properties": {"x": {"type": "object", **keyword}}}}) == {}


def test_what_is_no_schema_says_nothing():
    odd = {"name": "f", "description": 3, "parameters": ["x"], "response": {"properties": ["x"]}}

    assert texts(odd) == {"description": 3}
    assert unchecked(odd) == {}
