from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.normal import normalise_base64
from gemtape.cassettes.routes import Surface
from gemtape.checks.signatures import alteration, bypass_of, is_decodable, same_bytes

SOME = base64.b64encode(bytes(range(100))).decode().rstrip("=")


@pytest.mark.parametrize(
    "value", ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]
)
def test_documented_values_are_known_raw_and_in_base64(value: str):
    encoded = base64.urlsafe_b64encode(value.encode()).decode()

    for spelling in (value, encoded):
        found = bypass_of(normalise_base64(spelling))
        assert found is not None
        assert found.value == value


def test_which_surfaces_document_a_value():
    anywhere = bypass_of(normalise_base64("skip_thought_signature_validator"))
    gemini_only = bypass_of(normalise_base64("context_engineering_is_the_way to_go"))

    assert anywhere is not None
    assert gemini_only is not None
    assert anywhere.surfaces == set(Surface)
    assert Surface.VERTEX not in gemini_only.surfaces
    assert Surface.GEMINI_API in gemini_only.surfaces


@given(st.binary())
def test_no_signature_is_taken_for_a_documented_value(data: bytes):
    assert bypass_of(normalise_base64(base64.b64encode(data).decode())) is None


@given(st.binary())
def test_base64_is_decodable_in_each_alphabet(data: bytes):
    assert is_decodable(normalise_base64(base64.b64encode(data).decode()))
    assert is_decodable(normalise_base64(base64.urlsafe_b64encode(data).decode()))


@pytest.mark.parametrize("value", ["a", "abcde", "ab=cd", "ab!d", "Öl", "٣٤٥٦", 1, None, ["ab"]])
def test_what_is_not_decodable(value: Any):
    assert not is_decodable(value)


def test_white_space_is_skipped():
    assert is_decodable("ab\ncd ef==".rstrip("="))


def test_unused_bits_do_not_make_other_bytes():
    assert same_bytes("QQ", "QR")
    assert not same_bytes("QQ", "Qg")
    assert same_bytes("!", "!")
    assert not same_bytes("!", "?")


@given(st.binary(min_size=20), st.integers(1, 3))
def test_encoding_again_is_recognised_up_to_three_times(data: bytes, times: int):
    issued = sent = base64.b64encode(data).decode()
    for _ in range(times):
        sent = base64.b64encode(sent.encode()).decode()

    assert "encoded twice" in alteration(normalise_base64(issued), normalise_base64(sent))


@given(st.binary(min_size=20), st.binary(min_size=6, max_size=30))
def test_joining_is_recognised_in_text_and_in_bytes(data: bytes, more: bytes):
    issued = normalise_base64(base64.b64encode(data).decode())
    other = normalise_base64(base64.b64encode(more).decode())

    for sent in (issued + "==" + other, other + issued, base64.b64encode(data + more).decode()):
        assert "joined" in alteration(issued, normalise_base64(sent))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 50, 133])
def test_truncation_is_recognised_at_either_end(length: int):
    assert "truncated" in alteration(SOME, SOME[:length])
    assert "truncated" in alteration(SOME, SOME[-length:])


def test_an_edit_is_what_is_left():
    assert alteration(SOME, "B" + SOME[1:]) == "is edited: it differs from character 1 on"
    assert alteration(SOME, SOME[:50] + "Ö" + SOME[51:]) == "is not base64 any more"


@given(st.text(), st.text())
def test_any_two_texts_get_words(issued: str, sent: str):
    assert alteration(issued, sent)
