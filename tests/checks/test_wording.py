"""What a declaration says beside what calls are checked against, and where."""

from __future__ import annotations

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
        "description of anyOf.0": "All of it.",
    }


def test_keywords_that_are_not_checked():
    assert unchecked(DECLARATION) == {"uniqueItems of tags": True, "not of tags[]": {"enum": ["b"]}}


def test_what_is_no_schema_says_nothing():
    odd = {"name": "f", "description": 3, "parameters": ["x"], "response": {"properties": ["x"]}}

    assert texts(odd) == {"description": 3}
    assert unchecked(odd) == {}
