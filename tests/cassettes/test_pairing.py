"""Which response answers which call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.pairing import Named, named, pair

NAMED = st.builds(Named, st.none() | st.sampled_from("abc"), st.none() | st.sampled_from("fg"))


def _all(*pairs: tuple[str | None, str | None]) -> list[Named]:
    return [Named(*item) for item in pairs]


@pytest.mark.parametrize(
    ("calls", "responses", "answered"),
    [
        pytest.param(_all(("1", "f"), ("2", "f")), _all(("2", "f"), ("1", "f")), [1, 0], id="by id"),
        pytest.param(_all((None, "f"), (None, "g")), _all((None, "g"), (None, "f")), [1, 0], id="by name"),
        pytest.param(
            _all((None, "f"), (None, "f")), _all((None, "f"), (None, "f")), [0, 1], id="by position"
        ),
        pytest.param(_all(("1", "f"), (None, "f")), _all((None, "f"), ("1", "f")), [1, 0], id="ids first"),
        pytest.param(_all(("1", "f")), _all((None, "f")), [0], id="id on the call only"),
        pytest.param(_all((None, "f")), _all(("1", "f")), [0], id="id on the response only"),
        pytest.param(_all(("1", "f")), _all(("9", "f")), [0], id="other id, same name"),
        pytest.param(_all(("1", "f")), _all(("1", "g")), [0], id="same id, other name"),
        pytest.param(_all(("1", "f")), _all(("9", "g")), [None], id="neither"),
        pytest.param(
            _all(("1", "f"), ("1", "f")),
            _all(("1", "f"), ("1", "f"), ("1", "f")),
            [0, 1, None],
            id="id twice",
        ),
        pytest.param(_all((None, "f")), _all((None, "f"), (None, "f")), [0, None], id="one too many"),
        pytest.param([], _all((None, "f")), [None], id="no calls"),
        pytest.param(_all((None, "f")), [], [], id="no responses"),
        pytest.param(_all((None, None)), _all((None, None)), [0], id="no names"),
    ],
)
def test_pair(calls: list[Named], responses: list[Named], answered: list[int | None]):
    assert pair(calls, responses) == answered


@given(st.lists(NAMED, max_size=6), st.lists(NAMED, max_size=6))
def test_no_call_is_given_out_twice(calls: list[Named], responses: list[Named]):
    answered = [index for index in pair(calls, responses) if index is not None]

    assert len(answered) == len(set(answered))
    assert all(0 <= index < len(calls) for index in answered)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"id": "a", "name": "f"}, Named("a", "f")),
        ({"id": "", "name": ""}, Named(None, "")),
        ({"id": 1, "name": ["f"]}, Named(None, None)),
        ({}, Named(None, None)),
        (None, Named(None, None)),
        ("f", Named(None, None)),
    ],
)
def test_named(value: Any, read: Named):
    assert named(value) == read
