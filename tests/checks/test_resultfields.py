"""Fields of results: collected, merged, compared."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.checks.pins import PinnedFunction, ResultField
from gemtape.checks.resultfields import MOST_KEYS, Fields, differences, merged


def _fields(*results: Any) -> dict[str, ResultField]:
    fields = Fields()
    for result in results:
        fields.add(result)
    return fields.fields()


def _told(results: list[Any], result: Any) -> list[str]:
    return list(differences(PinnedFunction((), _fields(*results)), result))


ORDER = {"id": 7, "lines": [{"sku": "a", "price": 1.5}, {"sku": "b", "price": 2}], "note": None}


def test_fields_of_a_result():
    assert _fields(ORDER) == {
        "": ResultField(("object",)),
        "/id": ResultField(("number",)),
        "/lines": ResultField(("array",)),
        "/lines/*": ResultField(("object",)),
        "/lines/*/price": ResultField(("number",)),
        "/lines/*/sku": ResultField(("string",)),
        "/note": ResultField(("null",)),
    }


def test_what_is_sometimes_missing_is_optional():
    fields = _fields({"rows": [{"a": 1, "b": 1}, {"a": 1}]}, {"rows": [], "next": "x"})

    assert {place for place, field in fields.items() if field.optional} == {"/next", "/rows/*/b"}


def test_types_add_up():
    assert _fields({"a": 1}, {"a": None}, {"a": "x"})["/a"].types == ("null", "number", "string")


def test_keys_are_escaped_as_in_a_json_pointer():
    assert list(_fields({"a/b": {"~": 1}})) == ["", "/a~1b", "/a~1b/~0"]


def test_a_table_has_any_key():
    table = {f"ORD-{at}": {"total": at} for at in range(MOST_KEYS + 1)}

    assert list(_fields({"orders": table})) == ["", "/orders", "/orders/*", "/orders/*/total"]
    assert _told([{"orders": table}], {"orders": {"ORD-9999": {"total": 1}}}) == []
    assert _told([{"orders": table}], {"orders": {"X": {"total": 1, "tax": 2}}}) == [
        "/orders/*/tax (number) is not pinned"
    ]


def test_text_counts_as_what_it_spells():
    told = _told([{"result": json.dumps({"a": 1})}], {"result": {"a": 1, "b": "x"}})

    assert told == ["/result/b (string) is not pinned"]


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (ORDER, []),
        ({**ORDER, "lines": []}, []),
        ({**ORDER, "email": "x"}, ["/email (string) is not pinned"]),
        ({"id": 7, "lines": []}, ["/note is missing"]),
        ({**ORDER, "id": "7"}, ["/id is string, pinned as number"]),
        ({**ORDER, "lines": [{"sku": "a"}, {"sku": "b"}]}, ["/lines/*/price is missing"]),
        ({**ORDER, "lines": None}, ["/lines is null, pinned as array"]),
        ([ORDER], ["the result is array, pinned as object"]),
        (None, ["the result is null, pinned as object"]),
        (
            {**ORDER, "lines": [{"sku": "a", "price": 1, "cost": 1}, {"sku": "b", "price": 1, "cost": 2}]},
            ["/lines/*/cost (number) is not pinned"],
        ),
    ],
)
def test_differences(result: Any, told: list[str]):
    assert _told([ORDER], result) == told


def test_a_list_that_was_empty_when_it_was_pinned():
    assert _told([{"rows": []}], {"rows": [1]}) == ["/rows has items, and none were pinned"]
    assert _told([[]], [1]) == ["the result has items, and none were pinned"]


def test_merging_allows_what_either_allows():
    fields = merged(_fields({"a": 1, "b": 1}), _fields({"a": "x", "c": [1]}))

    assert fields == {
        "": ResultField(("object",)),
        "/a": ResultField(("number", "string")),
        "/b": ResultField(("number",), True),
        "/c": ResultField(("array",), True),
        "/c/*": ResultField(("number",)),
    }
    assert merged(None, fields) == fields
    assert merged(fields, None) == fields
    assert merged(None, None) is None


def test_a_star_that_was_written_by_hand_stays_what_it_is():
    """An update draws the keys of new results into it, whatever their number."""
    field = ResultField
    old = {"": field(("object",)), "/orders": field(("object",)), "/orders/*": field(("object",))}
    old["/orders/*/total"] = field(("number",))
    new = _fields({"orders": {"ORD-1": {"total": 1, "tax": 1}, "ORD-2": {"total": "x"}}})

    fields = merged(old, new)

    assert fields == {
        **old,
        "/orders/*/tax": field(("number",), True),
        "/orders/*/total": field(("number", "string")),
    }
    assert merged(fields, new) == fields


def test_a_large_text_has_the_fields_of_a_small_one():
    rows = [{"id": at, "name": "x" * 50} for at in range(5_000)]

    assert _told([{"result": json.dumps(rows[:1])}], {"result": json.dumps(rows)}) == []


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~*", max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.lists(values, min_size=1, max_size=4))
def test_what_was_pinned_does_not_differ(results: list[Any]):
    pinned = PinnedFunction((), _fields(*results))

    assert [list(differences(pinned, result)) for result in results] == [[]] * len(results)


@given(st.lists(values, min_size=1, max_size=3), st.lists(values, min_size=1, max_size=3))
def test_what_was_merged_does_not_differ(first: list[Any], second: list[Any]):
    pinned = PinnedFunction((), merged(_fields(*first), _fields(*second)))

    assert [list(differences(pinned, result)) for result in first + second] == [[]] * len(first + second)


@given(st.lists(values, min_size=1, max_size=3), st.lists(values, min_size=1, max_size=3))
def test_merging_once_more_changes_nothing(first: list[Any], second: list[Any]):
    fields = merged(_fields(*first), _fields(*second))

    assert merged(fields, _fields(*second)) == fields


def test_nesting_without_end_ends():
    deep: Any = 1
    for _ in range(500):
        deep = {"a": [deep]}

    assert _told([deep], deep) == []
