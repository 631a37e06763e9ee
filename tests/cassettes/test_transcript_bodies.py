from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from gemtape.cassettes.errors import TranscriptError
from gemtape.cassettes.models import Chunk, Request
from gemtape.cassettes.transcript_bodies import (
    AnswerBody,
    Body,
    Piece,
    read_body,
    read_chunks,
    streams_array,
    write_answer_body,
    write_request_body,
)


def names(form) -> list[str]:
    return list(msgspec.json.decode(msgspec.json.encode(form)))


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b'{"b": 1,"a" : [1.0, 1E5]}', "body"),
        (b'{"big": 123456789012345678901234567890}', "body"),
        (b"null", "body"),
        (b'{"a":1}\n', "body"),
        (b'{\n  "a": 12345678901234567890123}', "body_text"),
        (b"a=1&b=2", "body_text"),
        (b'{"a":' * 200 + b"1" + b"}" * 200, "body_text"),
        ("é\u2028\x00".encode(), "body_text"),
        (b"\xff\x00", "body_base64"),
    ],
)
def test_request_body_is_json_where_its_value_survives(body, name):
    form = write_request_body(body)
    assert names(form) == [name]
    if body != b'{"a":1}\n':
        assert read_body(form) == body


def test_pretty_printed_request_keeps_its_value_on_one_line():
    assert read_body(write_request_body(b'{\n  "b": 1,\n  "a": "x"\n}\n')) == b'{"a":"x","b":1}'


def test_no_body_has_no_form():
    assert names(write_request_body(b"")) == []
    assert read_body(Body()) == b""


@pytest.mark.parametrize(
    ("data", "typed", "name"),
    [
        (b'{"a": 1}', True, "body"),
        (b'{"a": 1}', False, "body_text"),
        (b'{\n  "a": 1\n}\n', True, "body_text"),
        (b"not json", True, "body_text"),
        (b"\xff", True, "body_base64"),
    ],
)
def test_answer_of_one_piece_has_the_most_readable_form_that_keeps_its_bytes(data, typed, name):
    form = write_answer_body([Chunk(3, data)], array=True, duration_ms=9, typed=typed)
    assert names(form) == [name]
    assert read_chunks(form, array=True, duration_ms=9) == (Chunk(9, data),)


EVENTS = [b'{"a": 1}', b'{"b":"]"}', b'{"c":[1]}']
SSE = [b"data: " + event + b"\r\n\r\n" for event in EVENTS]
ARRAY = [b'[{"a": 1}\n', b',\r\n{"b":"]"}\n', b',\r\n{"c":[1]}\n]']


@pytest.mark.parametrize(
    ("pieces", "array"), [(SSE, False), (SSE[:1], False), (ARRAY, True), ([b'[{"a": 1}\n]'], True)]
)
def test_stream_without_times_is_its_events(pieces, array):
    form = write_answer_body([Chunk(5, piece) for piece in pieces], array=array, duration_ms=5, typed=True)
    assert names(form) == ["events"]
    assert list(form.events) == [Raw(event) for event in EVENTS[: len(pieces)]]
    assert [chunk.data for chunk in read_chunks(form, array=array, duration_ms=5)] == pieces


@pytest.mark.parametrize(
    "pieces",
    [
        [*SSE[:2], b'data: {"c":\n'],
        [SSE[0] + SSE[1], SSE[2]],
        [SSE[0], SSE[1][:5], SSE[1][5:]],
        [b'data:{"a":1}\r\n\r\n', SSE[1]],
        [b'data: {"a":1}\n\n', SSE[1]],
        [b"data: [1]\r\n\r\n", SSE[1]],
        [b'data: {"a":"\xe2\x80\xa8"}\r\n\r\n', SSE[1]],
        [b'data: {"a"}\r\n\r\n', SSE[1]],
        [*SSE, b""],
        [b"\xc3", b"\xa9"],
    ],
)
def test_other_streams_keep_their_pieces(pieces):
    chunks = tuple(Chunk(7, piece) for piece in pieces)
    form = write_answer_body(chunks, array=False, duration_ms=7, typed=True)
    assert names(form) == ["chunks"]
    assert read_chunks(form, array=False, duration_ms=7) == chunks


def test_stream_with_times_keeps_them():
    chunks = tuple(Chunk(index, piece) for index, piece in enumerate(SSE))
    form = write_answer_body(chunks, array=False, duration_ms=2, typed=True)
    assert names(form) == ["chunks"]
    assert read_chunks(form, array=False, duration_ms=2) == chunks


@given(
    st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=9) | st.sampled_from([*SSE, *ARRAY]))),
    st.booleans(),
    st.booleans(),
)
def test_every_answer_comes_back_byte_for_byte(pieces, array, typed):
    chunks = tuple(Chunk(*piece) for piece in pieces)
    form = write_answer_body(chunks, array=array, duration_ms=3, typed=typed)
    line = msgspec.json.decode(msgspec.json.encode(form), type=AnswerBody)
    back = read_chunks(line, array=array, duration_ms=3)
    assert [chunk.data for chunk in back] == [chunk.data for chunk in chunks]
    assert len(chunks) < 2 or back == chunks


def test_line_separators_are_escaped_in_events():
    form = AnswerBody(events=[Raw('{"a":"\u2028\u2029"}'.encode())])
    (chunk,) = read_chunks(form, array=False, duration_ms=0)
    assert chunk.data == b'data: {"a":"\\u2028\\u2029"}\r\n\r\n'


def test_no_events_are_an_empty_array_or_nothing():
    assert read_chunks(AnswerBody(events=[]), array=True, duration_ms=0) == (Chunk(0, b"[]"),)
    assert read_chunks(AnswerBody(events=[]), array=False, duration_ms=0) == ()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (AnswerBody(body=Raw(b"1"), body_text=""), "both body and body_text"),
        (AnswerBody(body_base64="", events=[]), "both body_base64 and events"),
        (AnswerBody(events=[], chunks=[]), "both events and chunks"),
        (AnswerBody(body_base64="x"), "invalid base64"),
        (AnswerBody(body_base64="a\nb="), "invalid base64"),
        (AnswerBody(events=[Raw(b"1")]), "has to be a JSON object"),
        (AnswerBody(chunks=[Piece()]), "lacks its data"),
        (AnswerBody(chunks=[Piece(data="", data_base64="")]), "both data and data_base64"),
        (AnswerBody(chunks=[Piece(data_base64="é")]), "invalid base64"),
    ],
)
def test_contradictions_are_named(form, message):
    with pytest.raises(TranscriptError, match=message):
        read_chunks(form, array=False, duration_ms=0)


@pytest.mark.parametrize(
    ("path", "query", "content_type", "array"),
    [
        ("/v1beta/models/m:streamGenerateContent", "", None, True),
        ("/v1beta/models/m:streamGenerateContent", "alt=sse", None, False),
        ("/v1beta/models/m:streamGenerateContent", "a=b&alt=sse", None, False),
        ("/v1beta/models/m:streamGenerateContent", "", "text/event-stream; charset=utf-8", False),
        ("/v1beta/models/m:streamGenerateContent", "alt=sse", "application/json", True),
        ("/v1internal:streamGenerateContent", "", None, True),
        ("/v1beta/openai/chat/completions", "", None, False),
        ("/v1beta/interactions", "", None, False),
    ],
)
def test_form_of_a_stream_follows_its_content_type_else_its_request(path, query, content_type, array):
    assert streams_array(Request("POST", path, query), content_type) is array


def test_a_body_that_has_to_be_exact_keeps_every_byte():
    for body in (b'{"a": 1,\n "b": 2}\n', b'{"b":1,"a": 2}', b"\x00\xff", b"text"):
        assert read_body(write_request_body(body, exact=True)) == body
    assert names(write_request_body(b'{"a":\n1}', exact=True)) == ["body_text"]
