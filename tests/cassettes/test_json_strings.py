from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.json_strings import Text, json_strings
from gemtape.cassettes.positions import Rule
from gemtape.cassettes.shapes import Shapes

KEY = "AIza" + "x" * 35
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def strings_of(text: str | bytes):
    body = text.encode() if isinstance(text, str) else text
    return list(json_strings(body, [(0, len(body))]))


def leaves(value, path=()):
    """All strings of a value with their paths, keys among them without one."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield (), key
            yield from leaves(item, (*path, key))


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_strings_are_read_with_their_paths(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    found = [(string.path, string.decoded.text) for string in strings_of(text)]
    assert found == list(leaves(value))


@given(st.text(), st.integers(0, 20), st.integers(0, 20), st.booleans())
def test_part_of_a_string_can_be_replaced_in_its_bytes(text, start, length, ascii_only):
    """Whatever the spelling, the bytes outside the part keep theirs and the JSON stays valid."""
    body = json.dumps({"k": text}, ensure_ascii=ascii_only).encode()
    string = strings_of(body)[1]
    start, end = min(start, len(text)), min(start + length, len(text))
    first, last = string.span(start, end)
    edited = body[:first] + b"#" + body[last:]
    assert json.loads(edited) == {"k": text[:start] + "#" + text[end:]}


def test_every_escape_is_decoded():
    (string,) = strings_of(r'["a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\ud800z"]')
    assert string.decoded.text == 'a"\\/\b\f\n\r\tAé😀\ud800z'


@pytest.mark.parametrize(
    "spelled",
    [KEY, KEY.replace("A", "\\u0041"), KEY.replace("z", "\\u007a"), "".join(f"\\u{ord(c):04X}" for c in KEY)],
)
def test_secret_is_found_however_it_is_spelled(spelled):
    body = f'{{"text": "é \\n{spelled}\\n"}}'
    string = strings_of(body)[1]
    ((start, end),) = string.secrets(Shapes())
    assert body.encode()[start:end].decode() == spelled


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_secret_is_found_in_json_that_a_string_quotes(levels):
    text = '{"token": "\\u0041Iza' + "x" * 35 + '", "path": "1\\/\\/0' + "y" * 20 + '"}'
    for _ in range(levels):
        text = json.dumps({"result": text})
    edited = text.encode()
    spans = [span for string in strings_of(edited) for span in string.secrets(Shapes())]
    for start, end in reversed(spans):
        edited = edited[:start] + b"#" + edited[end:]
    value = json.loads(edited)
    for _ in range(levels):
        value = json.loads(value["result"])
    assert value == {"token": "#", "path": "#"}


def test_place_decides_what_is_a_secret():
    part = {"thoughtSignature": KEY, "functionCall": {"id": KEY, "args": {"id": KEY}}}
    body = json.dumps({"contents": [{"parts": [part]}], "access_token": "anything"})
    rules = {string.path[-1]: string.rule for string in strings_of(body) if len(string.path) in (1, 5, 6)}
    assert rules == {"thoughtSignature": Rule.PROTECTED, "id": Rule.PROTECTED, "access_token": Rule.SECRET}
    secrets = [body[start:end] for string in strings_of(body) for start, end in string.secrets(Shapes())]
    assert secrets == [KEY, "anything"]


def test_cut_text_gives_what_can_be_read():
    body = '{"contents": [{"parts": [{"text": "a"}, {"thoughtSignature": "' + KEY
    last = strings_of(body)[-1]
    assert (last.path, last.rule) == (("contents", 0, "parts", 1, "thoughtSignature"), Rule.PROTECTED)
    assert last.decoded.text == KEY


@given(st.binary() | st.text(alphabet='{}[]",:\\ua0', max_size=60).map(str.encode))
def test_any_bytes_can_be_read(body):
    for string in strings_of(body):
        assert 0 <= string.start <= string.end <= len(body)
        string.secrets(Shapes())


def test_deep_nesting_costs_its_length():
    body = b'{"a":["x",' * 20_000
    assert sum(string.decoded.text == "x" for string in strings_of(body)) == 20_000


def test_origin_counts_bytes_of_invalid_utf8():
    text = Text(b"\xff\xc3\xa9x".decode("utf-8", "surrogateescape"))
    assert [text.origin(index) for index in range(4)] == [0, 1, 3, 4]


def test_origins_may_be_asked_in_any_order():
    text = Text("äöü€x")
    assert [text.origin(index) for index in (3, 1, 5, 0, 4)] == [6, 2, 10, 0, 9]


def test_many_secrets_in_one_long_text_cost_one_pass():
    """Counting from the start for each of them would take minutes."""
    (string,) = strings_of(json.dumps(["é" + f"{KEY} " * 40_000], ensure_ascii=False))
    assert len(string.secrets(Shapes())) == 40_000
