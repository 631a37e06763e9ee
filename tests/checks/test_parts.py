from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.parts import KEYS, call_of, describe, is_media, kind_of, signature_of, value_key
from tests.checks.tape import thought
from tests.factories import call, result


@pytest.mark.parametrize(("value", "expected"), [("S", "S"), ("", None), (None, None), (3, None)])
def test_a_signature_is_a_text_that_says_something(value: Any, expected: str | None):
    assert signature_of({"thoughtSignature": value}) == expected


def test_a_call_is_an_object():
    assert call_of(call("a")) == {"name": "a", "args": {}}
    assert call_of({"functionCall": "a"}) is None
    assert call_of({}) is None


def test_the_kind_of_a_part_leaves_out_how_it_came():
    assert kind_of({"text": "A", "thought": True, "thoughtSignature": "S"}) == {"text"}
    assert kind_of({"thoughtSignature": "S"}) == frozenset()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"inlineData": {}}, True),
        ({"fileData": {}, "videoMetadata": {}}, True),
        ({"inlineData": {}, "text": "A"}, False),
        ({"thoughtSignature": "S"}, False),
    ],
)
def test_what_media_are(part: dict, expected: bool):
    assert is_media(part) is expected


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (call("a"), "call a"),
        ({"functionCall": {}}, "call (unnamed)"),
        (result("a", {}), "response a"),
        ({"functionResponse": {"name": 3}}, "response (unnamed)"),
        (thought("hmm"), "a thought"),
        ({"text": "", "thoughtSignature": "S"}, "an empty part"),
        ({"thoughtSignature": "S"}, "an empty part"),
        ({"text": "A"}, "a part with text"),
        ({"inlineData": {}, "videoMetadata": {}}, "a part with inlineData and videoMetadata"),
    ],
)
def test_a_part_in_words(part: dict, words: str):
    assert describe(part) == words


def test_equal_values_whatever_their_marks():
    assert value_key(call("a", {"x": None}, signature="S", id="1")) == value_key(call("a"))
    assert value_key({"text": "A", "thoughtSignature": "S"}) == value_key({"text": "A"})
    assert value_key({"text": "A"}) != value_key({"text": "A", "thought": True})


SEARCH = {"toolCall": {"id": "s", "toolType": "X"}}


@pytest.mark.parametrize(
    ("first", "second", "found_by"),
    [
        (call("a", {"n": 1}, id="1"), call("a", {"n": 2}, id="1"), [0, 3, 4]),
        (call("a", {"n": 1}, signature="S"), call("b", {"n": 2}, signature="S"), [2]),
        (call("a", {"n": 1}, id="1"), call("b", {"n": 1}, id="1"), [3]),
        (call("a", {"n": 1}), call("a", {"n": 1}), [1, 4]),
        ({"text": "A"}, {"text": "B"}, [5]),
        ({"inlineData": {"data": "A"}}, {"fileData": {"fileUri": "B"}}, [5]),
        (SEARCH, {"toolCall": {"id": "s", "toolType": "Y"}}, [3, 5]),
        ({"thoughtSignature": "S"}, {"text": "", "thoughtSignature": "S"}, []),
        (call("a"), {"text": "a"}, []),
    ],
    ids=["args", "signature", "name", "equal", "text", "media", "server-side", "empty", "kinds"],
)
def test_by_what_a_part_is_found_again(first: dict, second: dict, found_by: list):
    matches = [at for at, key in enumerate(KEYS) if key(first) is not None and key(first) == key(second)]

    assert matches == found_by
