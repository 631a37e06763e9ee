"""The texts of a result, and what is looked for in them."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.texts import MOST_CHARACTERS, MOST_VALUES, first_mark, mark, texts


def test_every_text_with_its_place_and_key():
    value = {"a": "x", "b": [{"c": "y"}, "z", 3], "d": {"e/f": ["w"]}}

    assert [tuple(text) for text in texts(value)] == [
        (("a",), "a", "x"),
        (("b", 0, "c"), "c", "y"),
        (("b", 1), "b", "z"),
        (("d", "e/f", 0), "e/f", "w"),
    ]


def test_json_in_a_text_is_looked_into():
    inner = '{"c": ["y", "{\\"d\\": \\"z\\"}"]}'

    assert [tuple(text) for text in texts({"a": [inner], "b": "{no json"})] == [
        (("a", 0), "a", inner),
        (("a", 0), "c", "y"),
        (("a", 0), "c", '{"d": "z"}'),
        (("a", 0), "d", "z"),
        (("b",), "b", "{no json"),
    ]


@pytest.mark.parametrize("value", [None, 3, True, {}, [], [[]], {"a": None}])
def test_no_text_no_finds(value: Any):
    assert list(texts(value)) == []


def test_reading_ends_at_a_bound():
    assert len(list(texts(["x"] * (MOST_VALUES + 10)))) < MOST_VALUES
    assert [len(text.text) for text in texts(["x" * (MOST_CHARACTERS - 1), "yyy", "z"])] == [
        MOST_CHARACTERS - 1,
        1,
    ]


def test_deep_values_are_walked_without_recursion():
    value: Any = "x"
    for _ in range(5000):
        value = [value]

    assert len(next(texts(value)).place) == 5000


def test_the_first_mark_that_holds_is_found():
    marks = (mark("a number", "No", r"No\.\d"), mark("a dot", "."))

    found = [first_mark(text, marks) for text in ("No.7", "No.x", "No")]
    assert [item.what if item else None for item in found] == ["a number", "a dot", None]
