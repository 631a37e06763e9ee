from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.bodies import find_secrets, is_clean_file
from gemtape.cassettes.canonical import NOT_JSON
from gemtape.cassettes.edits import apply_edits
from gemtape.cassettes.shapes import Shapes
from gemtape.cassettes.wide import find_wide, wide_encoding

KEY = "AIzaSy" + "k" * 33
PEM = "-----BEGIN PRIVATE KEY-----\r\n" + "MIIEvQIB" * 8 + "\r\n-----END PRIVATE KEY-----"
SHAPES = Shapes()
ENCODINGS = ["utf-16-le", "utf-16-be"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("secret", [KEY, PEM, "1//0" + "t" * 30])
@pytest.mark.parametrize("text", ["key: {}\r\n", '{{"k":"é😀{}"}}', "a😀\udc00{} and {}."])
def test_secrets_of_a_file_in_utf_16_are_replaced(encoding: str, mark: str, secret: str, text: str):
    """And every other byte is as it was."""
    body = (mark + text.format(secret, secret)).encode(encoding, "surrogatepass")

    edits = find_secrets(body, "application/json", NOT_JSON, SHAPES)

    wanted = (mark + text.format("REDACTED", "REDACTED")).encode(encoding, "surrogatepass")
    assert apply_edits(body, edits)[0] == wanted
    assert not is_clean_file(body, SHAPES)


def test_patterns_of_the_user_are_searched():
    body = "the word is swordfish".encode("utf-16")

    edits = find_wide(body, Shapes(["swordfish"]))

    assert apply_edits(body, edits)[0] == "the word is REDACTED".encode("utf-16")


@pytest.mark.parametrize(
    "body", [b"", b"a", b"\0", b"{}", b"\0\0\0 ftyp", b"\x89PNG", "\u043f\u0440".encode(), b"\xef\xbb\xbf{}"]
)
def test_what_does_not_begin_as_utf_16_is_none(body: bytes):
    assert wide_encoding(body) == ""


def test_key_in_bytes_that_only_begin_as_utf_16_is_found():
    body = b"\x01\0binary " + KEY.encode() + b"\0"

    edits = find_secrets(body, None, NOT_JSON, SHAPES)

    assert apply_edits(body, edits)[0] == b"\x01\0binary REDACTED\0"


@given(st.binary(max_size=40), st.binary(max_size=9), st.sampled_from(ENCODINGS))
def test_key_is_found_between_any_bytes(before: bytes, after: bytes, encoding: str):
    """Whatever is no text before it: the places stay right."""
    head = "\ufeff".encode(encoding) + before[: len(before) & ~1] + " ".encode(encoding)
    tail = " ".encode(encoding) + after

    body, _ = apply_edits(whole := head + KEY.encode(encoding) + tail, find_wide(whole, SHAPES))

    assert body == head + "REDACTED".encode(encoding) + tail
