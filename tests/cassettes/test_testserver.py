"""Recordings of google/test-server: two small ones of our own, and Google's where they lie beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.errors import TranscriptError
from gemtape.cassettes.folding import fold_answer
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.testserver import parse_recording, read_recording
from gemtape.checks.judge import Judge

DATA = Path(__file__).parents[1] / "data" / "testserver"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "js-genai"
EXPLAINED: dict[tuple[str, int, str], str] = {}
"""Errors that Google's recordings hold although the API answered 200: file, exchange, rule, and the reason."""


def _recording(response: dict[str, Any], **request: Any) -> bytes:
    interaction = {"request": {"url": "/v1beta/models/m:generateContent", **request}, "response": response}
    return json.dumps({"recordID": "r", "interactions": [interaction]}, indent=2).encode()


def _only(data: bytes) -> Exchange:
    (exchange,) = parse_recording(data, "r.json")
    return exchange


def test_a_stream_is_framed_as_googles_servers_do():
    first, second = read_recording(DATA / "forecast_stream.json")

    assert (first.request.method, first.request.path, first.request.query) == (
        "POST",
        "/v1beta/models/gemini-3-flash-preview:streamGenerateContent",
        "alt=sse",
    )
    assert first.request.json["contents"] == [{"parts": [{"text": "Will it rain in Pune?"}], "role": "user"}]
    assert first.response is not None
    assert [chunk.data[:20] for chunk in first.response.chunks] == [b'data: {"candidates":'] * 2
    assert all(
        chunk.data.endswith(b"}\r\n\r\n") and chunk.data.count(b"\n") == 2 for chunk in first.response.chunks
    )
    assert [call["name"] for call in fold_answer(first.response).calls] == ["get_forecast"]
    assert second.request.json["contents"][2]["parts"][0]["functionResponse"]["response"] == {"rain": False}


def test_times_come_from_the_date_header_and_never_go_back():
    first, second = read_recording(DATA / "forecast_stream.json")
    (undated,) = read_recording(DATA / "unknown_model.json")

    assert (first.started_at, second.started_at, undated.started_at) == (1755305158.0, 1755305159.0, 0.0)
    body = json.loads((DATA / "forecast_stream.json").read_bytes())
    body["interactions"][1]["response"]["headers"]["Date"] = "Fri, 15 Aug 2025 00:00:00 GMT"
    assert [item.started_at for item in parse_recording(json.dumps(body).encode(), "r")] == [1755305158.0] * 2


@pytest.mark.parametrize("date", ["yesterday", "", "Sat, 99 Aug 2025 00:45:58 GMT"])
def test_a_date_that_is_none_is_none(date: str):
    assert _only(_recording({"headers": {"Date": date}})).started_at == 0.0


def test_framing_is_left_out_since_the_body_is_parsed():
    first, _ = read_recording(DATA / "forecast_stream.json")

    assert first.response is not None
    assert [name for name, _ in first.response.headers] == [
        "Content-Disposition",
        "Content-Type",
        "Date",
        "Server-Timing",
    ]
    assert [name for name, _ in first.request.headers] == ["Content-Type", "Test-Name"]


def test_an_error_is_plain_json_whatever_its_content_type_says():
    (exchange,) = read_recording(DATA / "unknown_model.json")

    assert exchange.response is not None
    assert exchange.status == 404
    assert json.loads(exchange.response.body)["error"]["status"] == "NOT_FOUND"
    assert exchange.request.upstream == "https://us-central1-aiplatform.googleapis.com:8443"


def test_the_upstream_is_the_server_that_answered():
    first, _ = read_recording(DATA / "forecast_stream.json")

    assert first.request.upstream == "https://generativelanguage.googleapis.com"
    assert _only(_recording({})).request.upstream == ""


@pytest.mark.parametrize(
    ("kind", "segments", "body"),
    [
        ("application/json", [{"n": 1}], b'{"n":1}'),
        ("application/json; charset=UTF-8", [{"n": 1}, {"n": 2}], b'[{"n":1},{"n":2}]'),
        ("text/event-stream", [{"n": 1}], b'data: {"n":1}\r\n\r\n'),
        ("text/event-stream", [], b""),
        ("text/plain", None, b""),
    ],
)
def test_bodies(kind: str, segments: list | None, body: bytes):
    response: dict[str, Any] = {"headers": {"Content-Type": kind}}
    if segments is not None:
        response["bodySegments"] = segments

    answer = _only(_recording(response)).response
    assert answer is not None
    assert answer.body == body


def test_a_request_may_have_no_body_and_repeat_a_parameter():
    exchange = _only(_recording({}, method="GET", url="/v1beta/files?pageSize=2&filter=a&filter=b"))

    assert (exchange.request.method, exchange.request.body) == ("GET", b"")
    assert exchange.request.query == "pageSize=2&filter=a&filter=b"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"recordID": "r"}',
        b'{"interactions": [{"request": {}, "response": {}}]}',
        b'{"interactions": [{"request": {"url": 3}, "response": {}}]}',
        b'{"interactions": [{"request": {"url": "/x"}, "response": {"bodySegments": 3}}]}',
        b'{"interactions": [{"request": {"url": "x"}, "response": {}}]}',
        b'{"interactions": [{"request": {"url": "/x"}, "response": {"statusCode": 7}}]}',
        b"[" * 100_000,
        b'>402 {"setup":{}}\n<27 {}\n',
    ],
    ids=lambda data: data[:40].decode(errors="replace"),
)
def test_what_is_no_recording_is_refused_by_name(data: bytes):
    with pytest.raises(TranscriptError, match=r"^r\.json"):
        list(parse_recording(data, "r.json"))


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(TranscriptError, match=r"nothing\.json"):
        list(read_recording(tmp_path / "nothing.json"))


@pytest.mark.parametrize("path", sorted(DATA.glob("*.json")), ids=lambda path: path.stem)
def test_our_own_recordings_hold_no_violation(path: Path):
    assert _errors(path) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason="Google's recordings are not there")
def test_googles_recordings_hold_no_error_where_the_api_answered_200():
    paths = sorted(CORPUS.glob("*.json"))

    found = [error for path in paths for error in _errors(path)]
    assert sum(len(list(read_recording(path))) for path in paths) == 130
    assert set(found) == set(EXPLAINED)


def _errors(path: Path) -> list[tuple[str, int, str]]:
    judge = Judge()
    found = []
    with Cassette.temporary() as cassette:
        for exchange in read_recording(path):
            _, violations = cassette.append(cassette.prepare(exchange), judge.judge)
            found += [
                (path.stem, item.exchange, item.rule)
                for item in violations
                if item.severity == "error" and item.status == 200
            ]
    return found
