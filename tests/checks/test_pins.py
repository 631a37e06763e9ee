"""The file of a pin: what it looks like, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.errors import PinError
from gemtape.checks.pins import Pin, PinnedFunction, ResultField, nearest_set, read_pin, written_pin

PIN = Pin(
    "0.1.0",
    toolsets=(("a", "b"), ("c",)),
    functions={
        "b": PinnedFunction(
            ({"name": "b"},), {"": ResultField(("object",)), "/x/*": ResultField(("null",), True)}
        ),
        "a": PinnedFunction(({"name": "a"}, {"name": "a", "description": "A"})),
    },
)


def test_a_written_pin_is_read_as_it_was(tmp_path: Path):
    path = tmp_path / "contract.json"
    path.write_bytes(written_pin(PIN))

    assert read_pin(path) == PIN


def test_the_text_is_for_people_and_does_not_depend_on_order():
    text = written_pin(PIN).decode()

    assert text.index('"a": {') < text.index('"b": {')
    assert text.startswith("{\n  ")
    assert text.endswith("}\n")
    other = Pin("0.1.0", toolsets=PIN.toolsets, functions=dict(reversed(PIN.functions.items())))
    assert written_pin(other) == written_pin(PIN)


def test_a_field_that_is_always_there_is_written_without_more():
    assert (
        '"optional"'
        not in written_pin(
            Pin("1", functions={"f": PinnedFunction((), {"": ResultField(("null",))})})
        ).decode()
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "truncated"),
        ("{}", "missing required field"),
        ("[]", "Expected `object`"),
        ('{"gemtape": "1", "pin": 2, "more": []}', "of version 2; this gemtape reads version 1"),
        ('{"gemtape": "1", "pin": "x"}', "is no pin"),
        (f"{{\n<<<<<<< HEAD\n{'[' * 9}", "unsolved merge conflict"),
        ("[" * 100_000, "is no pin"),
        ('{"gemtape": "1", "function": {}}', "unknown field `function`"),
        (
            '{"gemtape": "1", "functions": {"f": {"declarations": [], "results": {"": {"types": ["text"]}}}}}',
            "text",
        ),
        (
            '{"gemtape": "1", "functions": {"f": {"declarations": [], "results": {"": {"types": []}}}}}',
            "needs a type",
        ),
        (
            '{"gemtape": "1", "functions": {"f": {"declarations": [], "results": {"a": {"types": ["null"]}}}}}',
            "'a' is no JSON Pointer",
        ),
        (
            f'{{"gemtape": "1", "functions": {{"f": {{"declarations": [{{"minimum": {"9" * 30}}}]}}}}}}',
            "cannot be compared",
        ),
        (
            f'{{"gemtape": "1", "functions": {{"f": {{"declarations": [{{"a": {"[" * 300}{"]" * 300}}}]}}}}}}',
            "cannot be compared",
        ),
        ('{"gemtape": "\udcff"}', "contract.json is no pin"),
    ],
)
def test_what_is_no_pin_is_refused(text: str, words: str, tmp_path: Path):
    path = tmp_path / "contract.json"
    path.write_bytes(text.encode(errors="surrogateescape"))

    with pytest.raises(PinError, match=words):
        read_pin(path)


def test_a_missing_pin_is_refused(tmp_path: Path):
    with pytest.raises(PinError, match=r"there is no pin .*contract\.json; `gemtape pin"):
        read_pin(tmp_path / "contract.json")


def test_a_pin_that_cannot_be_opened_is_refused(tmp_path: Path):
    with pytest.raises(PinError, match="Is a directory"):
        read_pin(tmp_path)


def test_children_of_each_place():
    fields = {"": ResultField(("object",)), "/a": ResultField(("array",)), "/a/*": ResultField(("string",))}

    assert PinnedFunction((), fields).children == {"": {"a": fields["/a"]}, "/a": {"*": fields["/a/*"]}}


@pytest.mark.parametrize(
    ("names", "near"),
    [(("a",), ("a", "b")), (("b", "c"), ("c",)), (("x",), None), ((), None), (("a", "b", "c"), ("a", "b"))],
)
def test_the_nearest_set(names: tuple[str, ...], near: tuple[str, ...] | None):
    assert nearest_set(PIN.toolsets, names) == near
