"""One exchange as plain values."""

from __future__ import annotations

from gemtape.cassettes.canonical import NOT_JSON
from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response, first_header


def test_header_is_found_whatever_its_case():
    headers = (("Content-Type", "a"), ("content-type", "b"))

    assert first_header(headers, "CONTENT-TYPE") == "a"
    assert first_header(headers, "accept") is None
    assert Request("GET", "/", headers=headers).header("content-type") == "a"
    assert Response(200, headers).header("content-type") == "a"


def test_body_of_a_request_is_parsed():
    assert Request("POST", "/", body=b'{"a": 1}').json == {"a": 1}
    assert Request("POST", "/", body=b"a=1").json is NOT_JSON
    assert Request("GET", "/").json is NOT_JSON


def test_body_of_an_answer_is_its_pieces_joined():
    assert Response(200, (), (Chunk(1, b"a"), Chunk(2, b""), Chunk(3, b"bc"))).body == b"abc"


def test_times_and_status():
    request = Request("GET", "/")

    assert Exchange(request, Response(404), started_at=10.0, duration_ms=1500).ended_at == 11.5
    assert Exchange(request, Response(404)).status == 404
    assert Exchange(request, failure=Failure.RESET).status == 0


def test_number_does_not_count_in_comparisons():
    assert Exchange(Request("GET", "/"), number=1) == Exchange(Request("GET", "/"), number=2)


def test_failures_are_spelled_as_in_transcripts():
    assert [str(failure) for failure in Failure] == ["refused", "reset", "timeout", "client-gone"]
