"""Between entries and rows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.models import Chunk, Failure, Response
from gemtape.cassettes.rows import (
    check_types,
    failure_of,
    from_json_path,
    headers_of,
    response_columns,
    response_of,
    to_json_path,
)

CHUNKS = st.lists(st.builds(Chunk, st.integers(0, 10**6), st.binary(max_size=200)), max_size=5).map(tuple)
HEADERS = st.lists(st.tuples(st.text(), st.text()), max_size=3).map(tuple)
RESPONSES = st.builds(Response, st.integers(100, 599), HEADERS, CHUNKS, st.booleans())


@given(RESPONSES, st.binary(max_size=300))
def test_answer_comes_back_byte_for_byte(response: Response, dictionary: bytes):
    """With its chunk boundaries, offsets and headers, whatever the dictionary is."""
    assert response_of(response_columns(response, (), dictionary), dictionary) == response


@pytest.mark.parametrize("size", [5 * 1024 * 1024, 100_000])
def test_large_answer_comes_back(size: int):
    response = Response(200, (), (Chunk(1, bytes(range(256)) * (size // 256)), Chunk(2, b"end")))

    assert response_of(response_columns(response, (), b""), b"") == response


def test_repeated_content_costs_next_to_nothing():
    content = json.dumps({"text": " ".join(str(number * 7919) for number in range(300))}).encode()
    columns = response_columns(Response(200, (), (Chunk(1, b'{"candidates": [%s]}' % content),)), (), content)

    assert len(columns["body"]) < len(content) / 20


def test_no_answer_has_empty_columns():
    columns = response_columns(None, (), b"")

    assert columns == {
        "status": None,
        "response_headers": None,
        "body": None,
        "chunks": None,
        "redacted": None,
        "cut": 0,
    }
    assert response_of(columns, b"") is None


def test_redacted_spans_are_listed():
    columns = response_columns(Response(200, (), (Chunk(1, b"abcdef"),)), ((1, 3), (4, 5)), b"")

    assert json.loads(columns["redacted"]) == [[1, 3], [4, 5]]


GOOD = response_columns(Response(200, (("a", "b"),), (Chunk(1, b"abc"), Chunk(2, b"d"))), (), b"")


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"body": GOOD["body"][:-3]}, id="cut body"),
        pytest.param({"body": b"abc"}, id="no zlib"),
        pytest.param({"body": None}, id="no body"),
        pytest.param({"chunks": "[[1, 3]]"}, id="chunks do not add up"),
        pytest.param({"chunks": "[[1]]"}, id="chunk without size"),
        pytest.param({"chunks": '[[1, "a"]]'}, id="size is text"),
        pytest.param({"chunks": "{"}, id="chunks are no JSON"),
        pytest.param({"chunks": None}, id="no chunks"),
        pytest.param({"response_headers": "[[1,2,3]]"}, id="header is no pair"),
        pytest.param({"response_headers": "[[1,2]]"}, id="header is no text"),
        pytest.param({"response_headers": "5"}, id="headers are no list"),
    ],
)
def test_damaged_answer_is_noticed(wrong: dict[str, Any]):
    import zlib

    with pytest.raises((ValueError, TypeError, zlib.error)):
        response_of({**GOOD, **wrong}, b"")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (None, None),
        (("contents",), "$.contents"),
        (("request", "system_instruction"), "$.request.system_instruction"),
    ],
)
def test_json_paths(place: tuple[str, ...] | None, path: str | None):
    assert to_json_path(place) == path
    assert from_json_path(path) == place


def test_headers_keep_order_and_spelling():
    assert headers_of('[["B", "1"], ["a", "2"], ["B", "3"]]') == (("B", "1"), ("a", "2"), ("B", "3"))


@pytest.mark.parametrize("failure", [None, *Failure])
def test_failures(failure: Failure | None):
    assert failure_of(None if failure is None else str(failure)) is failure


ROW: dict[str, Any] = {
    "started_at": 1.0, "duration_ms": 5, "method": "POST", "upstream": "", "path": "/", "query": "",
    "request_headers": "[]", "contents_at": None, "tools_at": None, "instruction_at": None, "response_headers": "[]",
    "chunks": "[]", "redacted": None, "failure": None, "status": 200, "history": 1, "tools": None, "body": b"",
}  # fmt: skip


@pytest.mark.parametrize("name", ROW)
def test_column_of_a_wrong_type_is_noticed(name: str):
    check_types(ROW)

    with pytest.raises(TypeError, match=name):
        check_types({**ROW, name: "x" if name == "body" else b"x"})
