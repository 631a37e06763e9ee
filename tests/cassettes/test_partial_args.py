"""Streamed arguments become the call that they spell out."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.canonical import stored_form
from gemtape.cassettes.partial_args import fold_partial_calls, is_partial
from tests.strategies import HOSTILE, KEYS, LEAVES, values


def start(name: str = "f", *, signature: str | None = None, **more: Any) -> dict[str, Any]:
    part: dict[str, Any] = {"functionCall": {"name": name, "willContinue": True, **more}}
    return {**part, "thoughtSignature": signature} if signature else part


def piece(*fragments: tuple[str, Any], more: bool = True) -> dict[str, Any]:
    kinds = {
        str: "stringValue",
        bool: "boolValue",
        int: "numberValue",
        float: "numberValue",
        type(None): "nullValue",
    }
    args = [{"jsonPath": path, kinds[type(value)]: value} for path, value in fragments]
    return {"functionCall": {"partialArgs": args, **({"willContinue": True} if more else {})}}


END: dict[str, Any] = {"functionCall": {}}


def folded_args(*fragments: tuple[str, Any]) -> Any:
    (part,) = fold_partial_calls([start(), *[piece(fragment) for fragment in fragments], END])
    return part["functionCall"].get("args")


def test_a_run_becomes_one_call_with_its_signature():
    parts = [
        start("book", signature="SIG", id="c1"),
        piece(("$.city", "New ")),
        piece(("$.city", "Delhi"), ("$.nights", 3)),
        END,
    ]
    assert fold_partial_calls(parts) == [
        {
            "functionCall": {"name": "book", "id": "c1", "args": {"city": "New Delhi", "nights": 3}},
            "thoughtSignature": "SIG",
        }
    ]


@pytest.mark.parametrize(
    ("fragments", "args"),
    [
        pytest.param(
            [("$.a", 1), ("$.b", True), ("$.c", None), ("$.d", 1.5)],
            {"a": 1, "b": True, "c": None, "d": 1.5},
            id="kinds",
        ),
        pytest.param([("$.a.b.c", "x")], {"a": {"b": {"c": "x"}}}, id="nested"),
        pytest.param([("$.a[0]", "x"), ("$.a[1]", "y"), ("$.a[0]", "z")], {"a": ["xz", "y"]}, id="list"),
        pytest.param([("$.a[1].b", 2), ("$.a[0].b", 1)], {"a": [{"b": 1}, {"b": 2}]}, id="list out of order"),
        pytest.param([("$.a[0][1]", 1)], {"a": [[None, 1]]}, id="list of lists"),
        pytest.param([("$['a b'].c", 1), ('$["d"]', 2)], {"a b": {"c": 1}, "d": 2}, id="quoted keys"),
        pytest.param([("$.a", "x"), ("$.a", 1), ("$.a", "y")], {"a": "y"}, id="other kind starts anew"),
        pytest.param([("$.a", "x"), ("$.b", "y"), ("$.a", "z")], {"a": "xz", "b": "y"}, id="interleaved"),
        pytest.param([("$.a", 1), ("$.a.b", 2)], {"a": 1}, id="into a scalar"),
        pytest.param([("$.a", 1), ("$[0]", 2)], {"a": 1}, id="index into an object"),
        pytest.param([("$.a[0]", 1), ("$.a.b", 2)], {"a": [1]}, id="key into a list"),
        pytest.param([("$.a", 1), ("$.b[999999999]", 2)], {"a": 1, "b": []}, id="index far out"),
        pytest.param([("$.a", 1), ("$.b[" + "9" * 5000 + "]", 2)], {"a": 1, "b": 2}, id="index without end"),
        pytest.param([("$.a", 1), ("$" + ".x" * 500, 2)], {"a": 1}, id="path too deep"),
        pytest.param([("$.a", 1), ("$", 2), ("", 3)], {"a": 1}, id="paths to nowhere"),
    ],
)
def test_paths(fragments: list[tuple[str, Any]], args: Any):
    assert folded_args(*fragments) == args


def test_how_far_a_path_may_lead():
    deep: Any = 1
    for _ in range(32):
        deep = {"x": deep}

    assert folded_args(("$" + ".x" * 32, 1)) == deep
    assert folded_args(("$" + ".x" * 33, 1)) is None
    assert len(folded_args(("$.a[64]", 1))["a"]) == 65
    assert folded_args(("$.a[65]", 1)) == {"a": []}


def test_a_fragment_without_a_value_adds_nothing():
    parts = [
        start(),
        piece(("$.a", "x")),
        {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "willContinue": False}]}},
    ]

    assert fold_partial_calls(parts) == [{"functionCall": {"name": "f", "args": {"a": "x"}}}]


def test_a_call_that_streams_nothing_has_no_args():
    assert fold_partial_calls([start(), END]) == [{"functionCall": {"name": "f"}}]


def test_runs_follow_one_another_and_other_parts_stay():
    text, whole = {"text": "a"}, {"functionCall": {"name": "h", "args": {"x": 1}}}
    parts = [
        text,
        start("f"),
        piece(("$.a", 1)),
        END,
        start("g"),
        piece(("$.b", 2), more=False),
        whole,
        text,
        END,
    ]

    assert fold_partial_calls(parts) == [
        text,
        {"functionCall": {"name": "f", "args": {"a": 1}}},
        {"functionCall": {"name": "g", "args": {"b": 2}}},
        whole,
        text,
        END,
    ]


@pytest.mark.parametrize(
    "following", [{"name": "g"}, {"name": "g", "willContinue": True}], ids=["whole", "streamed"]
)
def test_a_named_call_ends_a_run_that_was_left_open(following: dict[str, Any]):
    parts = [start("f"), piece(("$.a", 1)), {"functionCall": following}, END]
    names = [part["functionCall"].get("name") for part in fold_partial_calls(parts)]

    assert names == (["f", "g"] if following.get("willContinue") else ["f", "g", None])


def test_a_cut_run_keeps_what_came():
    assert fold_partial_calls([start(), piece(("$.a", "x"))]) == [
        {"functionCall": {"name": "f", "args": {"a": "x"}}}
    ]


def test_other_parts_between_pieces_do_not_end_a_run():
    parts = [start(), {"text": "a"}, piece(("$.a", 1)), END]

    assert fold_partial_calls(parts) == [{"functionCall": {"name": "f", "args": {"a": 1}}}, {"text": "a"}]


def test_args_that_came_whole_are_kept_beside_the_streamed_ones():
    parts = [start(args={"a": {"x": 1}}), piece(("$.a.y", 2)), END]
    before = copy.deepcopy(parts)

    assert fold_partial_calls(parts) == [{"functionCall": {"name": "f", "args": {"a": {"x": 1, "y": 2}}}}]
    assert parts == before


def test_whole_calls_stay_the_very_objects():
    part = {"functionCall": {"name": "f", "args": {}, "willContinue": False}}

    assert fold_partial_calls([part])[0] is part
    assert not is_partial(part["functionCall"])  # type: ignore[arg-type]


@given(
    st.lists(
        HOSTILE
        | st.fixed_dictionaries(
            {
                "functionCall": st.fixed_dictionaries(
                    {},
                    optional={
                        "name": LEAVES,
                        "willContinue": LEAVES,
                        "args": HOSTILE,
                        "partialArgs": st.lists(
                            st.dictionaries(KEYS, values(LEAVES, KEYS), max_size=4), max_size=3
                        )
                        | HOSTILE,
                    },
                )
            }
        ),
        max_size=5,
    )
)
def test_nothing_raises_and_nothing_is_changed_in_place(parts: list[Any]):
    before = stored_form(parts)

    stored_form(fold_partial_calls(parts))

    assert stored_form(parts) == before
