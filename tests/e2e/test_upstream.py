"""The upstream of the end-to-end tests: its transcripts are faithful, it answers them, and refuses what the API refuses."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.transcript import read_transcript
from gemtape.checks.config import Config
from gemtape.cli.report import build_report
from tests.e2e.another import issued, write_another
from tests.e2e.clients import CLIENTS
from tests.e2e.running import HERE, KEY
from tests.e2e.table import RESULTS
from tests.e2e.upstream import GOOGLE, Google

FLOWS = HERE / "flows"
TRANSCRIPTS = sorted(path.relative_to(FLOWS).as_posix() for path in FLOWS.rglob("*.jsonl"))


@contextmanager
def _google(transcript: str) -> Iterator[Google]:
    google = Google(FLOWS / transcript, KEY)
    try:
        yield google
    finally:
        google.close()


def _exchanges(transcript: str) -> list[Exchange]:
    return list(read_transcript(FLOWS / transcript))


def _ask(google: Google, exchange: Exchange, **headers: str) -> httpx.Response:
    request = exchange.request
    return httpx.request(
        request.method,
        f"{google.url}{request.path}{'?' if request.query else ''}{request.query}",
        headers={**dict(request.headers), **(headers or {"x-goog-api-key": KEY})},
        content=request.body,
        verify=False,  # spares it reading all certificates
        trust_env=False,
        timeout=20,
    )


def _with_body(exchange: Exchange, body: Any) -> Exchange:
    request = dataclasses.replace(exchange.request, body=json.dumps(body).encode())
    return dataclasses.replace(exchange, request=request)


def test_every_client_has_a_name_a_program_and_transcripts():
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)
    for client in CLIENTS:
        assert (HERE / "programs" / client.program).is_file()
        assert {client.transcript(flow) for flow in client.flows} <= set(TRANSCRIPTS)
        assert set(client.flows) <= set(RESULTS)
        assert set(client.limits) <= set(client.flows)


@pytest.mark.parametrize("transcript", [name for name in TRANSCRIPTS if not name.startswith("lost/")])
def test_what_it_plays_is_faithful(transcript: str):
    report = build_report([FLOWS / transcript], Config())

    assert [item.rule for item in report.cassettes[0].violations if item.severity != "info"] == []


@pytest.mark.parametrize("transcript", TRANSCRIPTS)
def test_it_answers_what_its_transcript_asks(transcript: str):
    with _google(transcript) as google:
        for exchange in _exchanges(transcript):
            answer = _ask(google, exchange)
            assert exchange.response
            assert answer.status_code == exchange.response.status
            assert answer.content == exchange.response.body
        assert (google.problems, google.refusals) == ([], [])


@pytest.mark.parametrize(
    "transcript", sorted({client.transcript(flow) for client in CLIENTS for flow in client.new})
)
def test_another_talk_is_faithful_too_and_was_issued_by_somebody_else(transcript: str, tmp_path: Path):
    another = write_another(FLOWS / transcript, tmp_path / "another.jsonl")

    (told,) = build_report([another], Config()).cassettes
    assert [item.rule for item in told.violations if item.severity != "info"] == []
    assert issued(FLOWS / transcript)
    assert issued(another).isdisjoint(issued(FLOWS / transcript))
    with _google(str(another)) as google:
        for exchange in read_transcript(another):
            assert exchange.response
            assert _ask(google, exchange).content == exchange.response.body
        assert (google.problems, google.refusals) == ([], [])
        assert {_ask(google, exchange).status_code for exchange in _exchanges(transcript)} == {400}
        assert set(google.refusals) == {"Corrupted thought signature."}


def test_it_wants_the_key():
    (exchange,) = _exchanges("unary.jsonl")
    with _google("unary.jsonl") as google:
        assert _ask(google, exchange, accept="*/*").status_code == 403
        assert _ask(google, exchange, authorization="Bearer gemtape-replays").status_code == 400
        assert _ask(google, exchange, authorization=f"Bearer {KEY}").status_code == 200
        assert len(google.refusals) == 2


def test_it_refuses_a_call_without_its_signature_and_one_with_another():
    exchange = _exchanges("parallel.jsonl")[1]
    body = json.loads(exchange.request.body)
    part = next(part for part in body["contents"][1]["parts"] if "thoughtSignature" in part)
    signature = part.pop("thoughtSignature")
    with _google("parallel.jsonl") as google:
        unsigned = _ask(google, _with_body(exchange, body))
        part["thoughtSignature"] = "A" + signature[1:]
        altered = _ask(google, _with_body(exchange, body))
        assert (unsigned.status_code, altered.status_code) == (400, 400)
        assert "missing a thought_signature" in google.refusals[0]
        assert "Corrupted thought signature" in google.refusals[1]

        # URL-safe, as some clients write it, it is the same signature.
        part["thoughtSignature"] = signature.replace("+", "-").replace("/", "_")
        assert part["thoughtSignature"] != signature
        assert _ask(google, _with_body(exchange, body)).status_code == 200


def test_what_its_transcript_does_not_hold_is_a_problem():
    (exchange,) = _exchanges("unary.jsonl")
    body = {"contents": [{"role": "user", "parts": [{"text": "Name a hill."}]}]}
    with _google("unary.jsonl") as google:
        assert _ask(google, _with_body(exchange, body)).status_code == 400
        assert "Name a hill." in google.problems[0]


def test_uploads_lead_back_to_it():
    start = _exchanges("files.jsonl")[0]
    with _google("files.jsonl") as google:
        url = _ask(google, start).headers["x-goog-upload-url"]
        assert url.startswith(f"{google.url}/upload/v1beta/files?upload_id=")
        assert start.response
        assert start.response.header("x-goog-upload-url") == url.replace(google.url, GOOGLE)


def test_it_is_gone_when_it_is_closed():
    (exchange,) = _exchanges("unary.jsonl")
    with _google("unary.jsonl") as google:
        pass
    with pytest.raises(httpx.ConnectError):
        _ask(google, exchange)
