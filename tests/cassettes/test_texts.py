"""Bytes that are no UTF-8 are kept in a form that can be stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.texts import storable_headers, storable_text, storable_url

ANY = st.text(st.characters(exclude_categories=[]))


def _from_wire(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def test_url_is_percent_encoded():
    assert storable_url(_from_wire(b"/caf\xe9?")) == "/caf%E9?"


def test_header_is_read_as_latin_1():
    headers = (("x", _from_wire(b"caf\xe9")), ("y", "plain"))

    assert storable_headers(headers) == (("x", "café"), ("y", "plain"))


@pytest.mark.parametrize("byte", [0x80, 0xC3, 0xFF])
def test_each_byte_comes_through(byte: int):
    assert storable_text(_from_wire(bytes([byte]))) == chr(byte)
    assert storable_url(_from_wire(bytes([byte]))) == f"%{byte:02X}"


def test_text_that_can_be_stored_stays():
    headers = (("a", "€"),)

    assert storable_url("/ü/€") == storable_text("/ü/€") == "/ü/€"
    assert storable_headers(headers) == headers


def test_surrogates_that_stand_for_no_byte_become_question_marks():
    assert storable_url("a\ud800") == "a%3F"
    assert storable_text("a\udfff") == "a?"


@given(ANY)
def test_any_text_can_be_stored(text: str):
    storable_url(text).encode()
    storable_headers(((text, text),))[0][0].encode()
