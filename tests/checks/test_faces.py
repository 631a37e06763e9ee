from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.faces import call_key, face_of, squeezed_text, text_key, without_nulls
from tests.checks.tape import thought
from tests.factories import call


def face(*parts: dict[str, Any]) -> Any:
    return face_of(parts)


def test_likeness_counts_what_is_said_then_marks_then_names():
    issued = face(
        {"text": "A b"}, call("a", {"n": 1}, signature="S1", id="i1"), call("a", {"n": 2}), call("c")
    )

    assert issued.likeness(issued) == (4, 2, 3)
    assert issued.likeness(face({"text": "Ab"})) == (1, 0, 0)
    assert issued.likeness(face(call("a", {"n": 2}), call("a", {"n": 2}))) == (1, 0, 2)
    assert issued.likeness(face(call("z", signature="S1"))) == (0, 1, 0)
    assert issued.likeness(face(call("z", id="i1"))) == (0, 1, 0)
    assert issued.likeness(face(call("c", {"n": 9}))) == (0, 0, 1)


def test_empty_texts_are_nothing_in_common():
    assert face({"text": ""}).likeness(face({"text": " "})) == (0, 0, 0)


@pytest.mark.parametrize(
    ("inner", "outer", "expected"),
    [
        ([call("a")], [call("a"), call("b")], True),
        ([call("a")], [call("a"), {"text": "A"}], True),
        ([call("a"), call("a")], [call("a")], False),
        ([{"text": "A"}], [{"text": "A"}], True),
        ([{"text": "A"}, call("a")], [call("a")], False),
        ([], [call("a")], False),
        ([thought("hmm")], [call("a")], False),
    ],
)
def test_what_stands_within_another(inner: list, outer: list, expected: bool):
    assert face(*inner).within(face(*outer)) is expected


def test_thoughts_count_only_for_their_signature():
    assert face(thought("hmm", "S1")) == face(thought("other", "S1"))
    assert face(thought("hmm", "S1")) != face(thought("hmm", "S2"))
    assert face({**call("a"), "thought": True}).calls == face().calls


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"name": "a"}, {"name": "a", "args": {}}, True),
        ({"name": "a", "args": {"x": None}}, {"name": "a"}, True),
        ({"name": "a", "args": {"x": [{"y": None}]}}, {"name": "a", "args": {"x": [{}]}}, True),
        ({"name": "a", "args": {"x": [None]}}, {"name": "a", "args": {"x": []}}, False),
        ({"name": "a", "id": "1"}, {"name": "a", "id": "2"}, True),
        ({"name": "a"}, {"name": "b"}, False),
        ({"name": "a", "args": "{}"}, {"name": "a"}, False),
        ({"args": {}}, {"name": None, "args": {}}, True),
    ],
)
def test_which_calls_are_equal(first: dict, second: dict, same: bool):
    assert (call_key(first) == call_key(second)) is same


def test_values_without_nulls_keep_their_lists():
    assert without_nulls({"a": None, "b": [None, {"c": None}]}) == {"b": [None, {}]}


def test_texts_are_squeezed_over_parts():
    parts = [{"text": " A\n"}, thought("no"), {"text": "b\u00a0c"}, {"text": 3}, {"inlineData": {}}]

    assert squeezed_text(parts) == "Abc"
    assert text_key("") == b""
    assert text_key("\ud800") != text_key("\ud801")


@pytest.mark.parametrize(
    "part",
    [{"functionCall": 3}, {"functionCall": {"name": 5, "id": 7}}, {"thoughtSignature": 1}, {"text": None}],
)
def test_malformed_parts_have_a_face(part: dict):
    assert face(part).likeness(face(part))[1] == 0
