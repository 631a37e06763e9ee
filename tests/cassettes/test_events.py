from __future__ import annotations

import json

import pytest

from gemtape.cassettes.canonical import NOT_JSON
from gemtape.cassettes.events import parse_events, split_events

SSE = "text/event-stream"
JSON = "application/json; charset=UTF-8"
ERROR = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_data_lines_end_as_the_standard_allows(end):
    body = f'data: {{"a":1}}{end}{end}: note{end}event: step{end}data:{{"a":{end}data: 2}}{end}{end}data: [DONE]{end}{end}'
    assert parse_events(body.encode(), SSE) == [{"a": 1}, {"a": 2}]


def test_an_event_whose_blank_line_never_came_counts():
    assert parse_events(b'data: {"a":1}\r\n\r\ndata: {"a":2}', SSE) == [{"a": 1}, {"a": 2}]


def test_a_cut_event_has_a_place_and_no_value():
    body = b'data: {"a":1}\n\ndata: {"a":"tw'
    events = split_events(body, SSE)
    assert [event.value for event in events] == [{"a": 1}, NOT_JSON]
    assert body[slice(*events[1].spans[0])] == b'{"a":"tw'
    assert parse_events(body, SSE) == [{"a": 1}]


@pytest.mark.parametrize("wrapped", [ERROR, [ERROR]])
def test_bare_json_between_events_is_an_event(wrapped):
    """Google writes an error that strikes in mid-stream as pretty-printed JSON without a field name."""
    body = b'data: {"a":1}\r\n\r\n' + json.dumps(wrapped, indent=2).encode() + b'\n\ndata: {"a":2}\n\n'
    assert parse_events(body, SSE) == [{"a": 1}, ERROR, {"a": 2}]
    assert parse_events(json.dumps(wrapped, indent=2).encode(), SSE) == [ERROR]


@pytest.mark.parametrize("content_type", [JSON, None])
def test_an_object_is_one_event_and_an_array_stands_for_its_elements(content_type):
    assert parse_events(b' {"a": [1, {"b": 2}]}\n', content_type) == [{"a": [1, {"b": 2}]}]
    assert parse_events(b'[{"a":"]}["}\n,\r\n{"a":2}\n]', content_type) == [{"a": "]}["}, {"a": 2}]


def test_a_json_array_cut_at_any_byte_gives_its_whole_elements():
    first, second = '{"a":"é\\"}{"}', '{"b":[{"c":"]"}]}'
    body = f"[{first}\n,\r\n{second}\n]".encode()
    ends = [len(f"[{first}".encode()), len(f"[{first}\n,\r\n{second}".encode())]
    for cut in range(len(body) + 1):
        whole = sum(cut >= end for end in ends)
        assert parse_events(body[:cut], JSON) == [json.loads(first), json.loads(second)][:whole], cut


@pytest.mark.parametrize("content_type", [SSE, None])
def test_a_stream_is_known_by_its_bytes_when_the_head_does_not_tell(content_type):
    assert parse_events(b'\xef\xbb\xbfdata: {"a":1}\n\n', content_type) == [{"a": 1}]


def test_spans_hold_the_json_text_of_their_events():
    body = 'data: {"a":\r\ndata: "é"}\r\n\r\ndata: {"b":1}\r\n\r\n'.encode()
    texts = [b"\n".join(body[start:end] for start, end in event.spans) for event in split_events(body, SSE)]
    assert texts == ['{"a":\n"é"}'.encode(), b'{"b":1}']


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00",
        b'data: {"a":"\xff"}\n\n',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'data: {"a":' + b"[" * 5_000,
        b'{"a":"' + b"\\" * 9_999,
        b"]}]}" * 1_000,
        b"data:\n" * 5_000,
        b"\r" * 5_000,
        b"null",
        b"[1, 2",
    ],
)
@pytest.mark.parametrize("content_type", [SSE, JSON, None, "", "\x00;"])
def test_hostile_bodies_have_no_events(body, content_type):
    assert parse_events(body, content_type) == []
    for event in split_events(body, content_type):
        assert all(0 <= start <= end <= len(body) for start, end in event.spans)
