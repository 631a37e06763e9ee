"""Two JSON values side by side."""

from __future__ import annotations

import pytest
from hypothesis import given

from gemtape.cassettes.canonical import stored_form
from gemtape.cassettes.values import ABSENT, LONGEST, differing, dotted, pointer, same_items, shown
from tests.strategies import values


@pytest.mark.parametrize(
    ("recorded", "got", "places"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [(("a", "b"), 1, 2)]),
        ({"a": 1}, {}, [(("a",), 1, ABSENT)]),
        ({}, {"a": None}, [(("a",), ABSENT, None)]),
        ([1, 2], [1, 3], [((1,), 2, 3)]),
        ([1], [1, 2], [((1,), ABSENT, 2)]),
        ([1, 2], [2, 1], [((), [1, 2], [2, 1])]),
        ({"a": [1]}, {"a": {"b": 1}}, [(("a",), [1], {"b": 1})]),
        (1, True, [((), 1, True)]),
        ([1, True], [True, 1], [((), [1, True], [True, 1])]),
        (0, False, [((), 0, False)]),
        ("1", 1, [((), "1", 1)]),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, [(("a",), 1, 2), (("b",), 1, 2)]),
    ],
)
def test_places_that_differ(recorded, got, places):
    assert list(differing(recorded, got)) == places


@given(values(), values())
def test_values_differ_somewhere_exactly_if_their_stored_forms_do(recorded, got):
    places = list(differing(recorded, got))

    assert (places == []) == (stored_form(recorded) == stored_form(got))


def test_items_in_another_order_are_the_same_items():
    assert same_items([{"a": 1}, {"b": 2}], [{"b": 2}, {"a": 1}])
    assert not same_items([1, 1, 2], [1, 2, 2])
    assert not same_items([1], [1])
    assert not same_items("ab", "ba")


def test_pointer_escapes_what_it_has_to():
    assert pointer(("a/b", 0, "c~d")) == "/a~1b/0/c~0d"
    assert pointer(()) == ""


def test_dotted_path():
    assert dotted(("functionResponse", "items", 2, "total")) == "functionResponse.items[2].total"


def test_short_values_are_shown_as_json():
    assert shown({"b": 1, "a": "ü"}, ABSENT) == ('{"a":"ü","b":1}', "nothing")
    assert shown(b"1234", b"") == ("4 bytes", "0 bytes")


def test_long_values_are_cut_around_the_first_difference():
    recorded, got = shown("x" * 500 + "A" + "y" * 500, "x" * 500 + "B" + "y" * 500)

    assert recorded.startswith("…xxx")
    assert recorded.endswith("yyy…")
    assert "xAy" in recorded
    assert "xBy" in got
    assert len(recorded) == len(got) == LONGEST + 2


def test_long_value_beside_a_short_one_is_shown_from_its_start():
    assert shown("a" * 500, "b")[0] == '"' + "a" * (LONGEST - 1) + "…"


def test_nothing_in_a_value_can_drive_a_terminal():
    assert shown("\x1b[2J\x9b\u202e", 0)[0] == '"\\u001b[2J\\u009b\\u202e"'
