from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.errors import TranscriptError
from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.transcript import read_lines, read_transcript, write_line, write_transcript
from tests.captures import CAPTURES, capture_exchanges

PATH = "/v1beta/models/gemini-3-pro-preview:generateContent"
JSON_TYPE = ("content-type", "application/json; charset=UTF-8")


def read(**line) -> Exchange:
    """The exchange that one line stands for."""
    (exchange,) = read_lines([json.dumps(line).encode()], "x.jsonl")
    return exchange


def test_line_with_only_what_is_required():
    exchange = read(request={"path": PATH}, response={})
    assert exchange == Exchange(Request("POST", PATH), Response(200))
    assert exchange.number == 1


def test_line_with_everything():
    exchange = read(
        request={
            "method": "PUT",
            "path": PATH,
            "query": {"alt": "sse", "pageSize": 10, "flag": True, "q": "a b&c"},
            "headers": [["a", "1"], ["A", "2"]],
            "body_text": "é",
        },
        response={
            "status": 503,
            "headers": {"retry-after": 3},
            "chunks": [{"offset_ms": 5, "data": "é"}, {"offset_ms": 6, "data_base64": "/w=="}],
            "cut": False,
        },
        failure="client-gone",
        started_at=1.5,
        duration_ms=8,
    )
    assert exchange == Exchange(
        Request(
            "PUT", PATH, "alt=sse&pageSize=10&flag=true&q=a%20b%26c", (("a", "1"), ("A", "2")), "é".encode()
        ),
        Response(503, (("retry-after", "3"),), (Chunk(5, "é".encode()), Chunk(6, b"\xff"))),
        Failure.CLIENT_GONE,
        1.5,
        8,
    )


@pytest.mark.parametrize("failure", list(Failure))
def test_failure_stands_without_an_answer_or_cuts_it(failure):
    assert read(request={"path": PATH}, failure=failure).response is None
    exchange = read(request={"path": PATH}, failure=failure, response={"body_text": "x"})
    assert exchange.response == Response(200, (), (Chunk(0, b"x"),), cut=True)


def test_json_bodies_keep_their_spelling():
    line = b'{"request":{"path":"/v1/x","body":{"a" : 1.0,"a":1E2}},"response":{"body":[ 12345678901234567890123 ]}}'
    (exchange,) = read_lines([line], "x")
    assert exchange.request.body == b'{"a" : 1.0,"a":1E2}'
    assert exchange.response == Response(200, (JSON_TYPE,), (Chunk(0, b"[ 12345678901234567890123 ]"),))


@pytest.mark.parametrize(
    ("query", "content_type", "pieces"),
    [
        ({"alt": "sse"}, "text/event-stream", [b'data: {"a":1}\r\n\r\n', b'data: {"b":2}\r\n\r\n']),
        ({}, JSON_TYPE[1], [b'[{"a":1}\n', b',\r\n{"b":2}\n]']),
    ],
)
def test_events_become_the_stream_that_was_asked_for(query, content_type, pieces):
    path = PATH.replace("generate", "streamGenerate")
    line = f'{{"request":{{"path":"{path}","query":{json.dumps(query)}}},"response":{{"events":[{{"a":1}},{{"b":2}}]}},"duration_ms":4}}'
    (exchange,) = read_lines([line.encode()], "x")
    assert exchange.response == Response(
        200, (("content-type", content_type),), tuple(Chunk(4, piece) for piece in pieces)
    )


def test_time_may_be_written_for_people():
    assert (
        read(request={"path": PATH}, response={}, started_at="2026-01-02T03:04:05.5Z").started_at
        == 1767323045.5
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "malformed"),
        ("[]", "Expected object, got array"),
        ('{"request":{"path":"/a"},"response":{}} x', "trailing"),
        ('{"requst":{}}', "unknown key 'requst'"),
        ('{"request":{"path":"/a","boddy":1},"response":{}}', "unknown key 'boddy' in request"),
        ('{"request":{"path":"/a"},"response":{"stats":1}}', "unknown key 'stats' in response"),
        (
            '{"request":{"path":"/a"},"response":{"chunks":[{"data":"","at":1}]}}',
            r"unknown key 'at' in response.chunks\[0\]",
        ),
        ('{"response":{}}', "missing key 'request'"),
        ('{"request":{},"response":{}}', "missing key 'path' in request"),
        ('{"request":{"path":"/a"}}', "neither response nor failure"),
        ('{"request":{"path":"a"},"response":{}}', "begin with a slash"),
        ('{"request":{"path":"/a?alt=sse"},"response":{}}', "belongs into request.query"),
        ('{"request":{"path":"/a","method":"GE T"},"response":{}}', "no HTTP method"),
        ('{"request":{"path":"/a","headers":{"a b":""}},"response":{}}', "invalid header name"),
        (
            '{"request":{"path":"/a","headers":{"a":"b\\r\\nc: d"}},"response":{}}',
            "invalid value of header a",
        ),
        (
            '{"request":{"path":"/a","query":[["a"]]},"response":{}}',
            r"array of length 2 - at \$.request.query\[0\]",
        ),
        ('{"request":{"path":"/a"},"resp', "the line ends in the middle of its JSON: the file was cut"),
        ('{"request":{"path":"/a","body":1,"body_text":""},"response":{}}', "both body and body_text"),
        (
            '{"request":{"path":"/a"},"response":{"status":"200"}}',
            r"Expected int, got str - at \$.response.status",
        ),
        ('{"request":{"path":"/a"},"response":{"status":99}}', "no HTTP status"),
        ('{"request":{"path":"/a"},"response":{"events":["x"]}}', "has to be a JSON object"),
        ('{"request":{"path":"/a"},"response":{"body_base64":"?"}}', "invalid base64"),
        ('{"request":{"path":"/a"},"failure":"gone"}', "Invalid enum value 'gone'"),
        ('{"request":{"path":"/a"},"response":{},"started_at":"noon"}', "started_at is neither"),
        (
            '{"request":{"path":"/a"},"response":{},"duration_ms":-1}',
            r"Expected int >= 0 - at \$.duration_ms",
        ),
        (
            '{"request":{"path":"/a"},"response":{},"duration_ms":10000000000000000000000}',
            r"- at \$.duration_ms",
        ),
        (
            '{"request":{"path":"/a"},"response":{"chunks":[{"data":"","offset_ms":9007199254740993}]}}',
            r"<= 9007199254740992 - at \$.response.chunks\[0\].offset_ms",
        ),
        (
            '{"request":{"path":"/a","body":' + "[" * 500_000 + "]" * 500_000 + '},"response":{}}',
            "nested too deep",
        ),
    ],
)
def test_line_that_breaks_the_format_is_named_with_its_fault(line, message):
    with pytest.raises(TranscriptError, match=r"^run\.jsonl:3: .*" + message):
        list(read_lines([b'{"request":{"path":"/a"},"response":{}}', b"\n", line.encode()], "run.jsonl"))


def test_line_that_is_no_text_is_named():
    with pytest.raises(TranscriptError, match=r"^x:1: the line is not UTF-8"):
        list(read_lines([b'{"request":{"path":"/\xff"},"response":{}}'], "x"))


def test_file_is_read_line_by_line_and_numbered(tmp_path):
    """A blank line counts as a line and not as an exchange; a mark at the beginning is no part of the first."""
    path = tmp_path / "run.jsonl"
    line = '{"request":{"path":"/a"},"response":{"body_text":"\u2028"}}'
    path.write_bytes(f"\ufeff{line}\r\n\r\n{line}".encode())
    assert [exchange.number for exchange in read_transcript(path)] == [1, 2]
    with pytest.raises(TranscriptError, match=r"cannot read .*none\.jsonl: No such file"):
        list(read_transcript(tmp_path / "none.jsonl"))


PAIRS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "X-c"]),
        st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])),
    )
)
EXCHANGES = st.builds(
    Exchange,
    st.builds(
        Request,
        st.sampled_from(["GET", "POST"]),
        st.sampled_from([PATH, "/v1/models/m:streamGenerateContent", "/é"]),
        st.sampled_from(["", "alt=sse", "a=1&a=2", "a=%20b&c="]),
        PAIRS.map(tuple),
        st.sampled_from([b"", b'{"a": 1}', b"x", b"\xff"]),
    ),
    st.builds(
        Response,
        st.integers(100, 599),
        PAIRS.map(tuple) | st.just((("Content-Type", "text/event-stream"),)),
        st.lists(st.builds(Chunk, st.integers(0, 9), st.binary() | st.just(b'data: {"a": 1}\r\n\r\n'))).map(
            tuple
        ),
        st.booleans(),
    )
    | st.none(),
    st.sampled_from([None, *Failure]),
    st.floats(0, 4e9),
    st.integers(0, 9),
).filter(lambda exchange: exchange.response or exchange.failure)


@given(st.lists(EXCHANGES, max_size=3))
def test_what_is_written_is_read_again(exchanges):
    file = io.BytesIO()
    assert write_transcript(exchanges, file) == len(exchanges)
    lines = file.getvalue().splitlines(keepends=True)
    back = list(read_lines(lines, "x"))
    assert [write_line(exchange) for exchange in back] == lines
    for exchange, again in zip(exchanges, back, strict=True):
        assert (again.request, again.failure, again.started_at) == (
            exchange.request,
            exchange.failure,
            exchange.started_at,
        )
        if exchange.response and again.response:
            assert again.response.body == exchange.response.body
            assert (again.response.status, again.response.headers, again.response.cut) == (
                exchange.response.status,
                exchange.response.headers,
                exchange.response.cut,
            )


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_cassette_of_a_capture_is_the_same_after_export_and_import(capture, tmp_path):
    with Cassette.create(tmp_path / "first.db") as cassette:
        for exchange in capture_exchanges(capture):
            cassette.add(exchange)
        first = list(cassette.exchanges())
    lines = [write_line(exchange) for exchange in first]
    with Cassette.create(tmp_path / "second.db") as cassette:
        for exchange in read_lines(lines, "x"):
            cassette.add(exchange)
        second = list(cassette.exchanges())
    assert [write_line(exchange) for exchange in second] == lines
    for before, after in zip(first, second, strict=True):
        assert after.response is not None
        assert before.response is not None
        assert after.request == before.request
        assert after.response.body == before.response.body
        assert len(after.response.chunks) == len(before.response.chunks)
        assert after.response.cut is before.response.cut


@pytest.mark.parametrize("data", [b'{"a": 1,\n "a2": 2}\n', b"\x00\xff" * 9, "é\r\n".encode()])
def test_an_uploaded_file_is_written_and_read_to_the_byte(data: bytes, tmp_path):
    leg = Exchange(Request("POST", "/upload/v1beta/files", "upload_id=secret&a=1", body=data), Response(200))
    with Cassette.create(tmp_path / "run.db") as cassette:
        stored = cassette.add(leg).exchange()
    [again] = read_lines([write_line(stored)], "x")

    assert again.request == stored.request
    assert again.request.body == data
    with Cassette.create(tmp_path / "again.db") as cassette:
        assert cassette.add(again).exchange().request == stored.request
