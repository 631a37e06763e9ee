"""What the terminal shows, and what it never shows."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response, Violation
from gemtape.cassettes.store import Cassette
from gemtape.proxy.lines import LogToLines, exchange_line, printable, without_secrets

KEY = "AIzaSyA-1234567890abcdefghijklmnopqrstu"
CALLS = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"functionCall": {"name": "lookup"}}, {"functionCall": {"name": "re\x1b[31mfund"}}],
            },
            "finishReason": "STOP",
        }
    ]
}


@pytest.fixture
def entry(tmp_path):
    request = Request("POST", "/v1beta/models/gemini-3-pro:generateContent", body=b'{"contents": []}')
    response = Response(200, (), (Chunk(312, json.dumps(CALLS).encode()),))
    with Cassette.create(tmp_path / "run.db") as cassette:
        yield cassette.add(Exchange(request, response, started_at=1.0, duration_ms=2140))


def finding(rule: str, severity: str) -> Violation:
    return Violation(rule, severity, 1, "request", "/contents/0", "message")


def test_line_of_an_exchange(entry):
    found = [
        finding("missing-signature", "error"),
        finding("missing-id", "info"),
        finding("orphan-response", "error"),
    ]

    assert exchange_line("", entry, found, 312) == (
        "#1  gemini-3-pro  generateContent  200  first byte 312 ms  total 2.1 s  2 calls (lookup, re?[31mfund)  "
        "2 errors: missing-signature, orphan-response  1 info: missing-id"
    )


def test_line_in_a_folder_names_the_cassette(entry):
    assert exchange_line("refunds/happy", entry, [], 0).startswith("refunds/happy#1  ")


def test_line_of_an_exchange_without_answer(entry):
    failed = replace(entry, response=None, failure=Failure.REFUSED)

    assert exchange_line("", failed, [], 0).endswith("generateContent  no answer  no connection  total 2.1 s")


def test_line_of_an_exchange_that_was_left_out(entry):
    assert exchange_line("", replace(entry, number=0), [], 0).startswith("#-  ")


def test_terminal_gets_no_control_characters():
    assert printable("a\x1b]0;title\x07b\u202ec\nd") == "a?]0;title?b?c?d"
    assert len(printable("x" * 500)) == 60


@pytest.mark.parametrize(
    "text",
    [
        "Bad HTTP request line: b'GET /x?key=plain-SECRET&alt=sse HTTP/1.1'",
        "GET /x?alt=sse&$key=plain-SECRET",
        r"b'GET / HTTP/1.1\r\nx-goog-api-key: plain-SECRET\r\nhost: x'",
        r"b'GET / HTTP/1.1\r\nAuthorization: Bearer SECRET\r\n'",
        "Headers[(b'X-Goog-Api-Key', b'plain-SECRET'), (b'cookie', b'a=SECRET')]",
        f"cannot reach {KEY}SECRET".replace(f"{KEY}SECRET", KEY),
    ],
)
def test_log_shows_no_secret(text: str):
    shown = without_secrets(text)

    assert "SECRET" not in shown
    assert KEY not in shown
    assert "REDACTED" in shown


def test_log_keeps_what_is_no_secret():
    assert (
        without_secrets("monkey=1, see https://x/y?alt=sse&pageToken=2")
        == "monkey=1, see https://x/y?alt=sse&pageToken=2"
    )


def test_log_records_become_lines():
    lines: list[str] = []
    error = ValueError(f"\x1b[31m {KEY}")
    record = logging.LogRecord(
        "x", logging.ERROR, __file__, 1, "broken: %s", (KEY,), (ValueError, error, None)
    )

    LogToLines(lines.append).handle(record)

    assert lines == ["broken: REDACTED\nValueError: ?[31m REDACTED"]


def test_a_key_is_gone_before_its_line_is_cut():
    assert printable("/v1beta/models/xxxxxxxxxx/AIzaSy" + "k" * 33) == "/v1beta/models/xxxxxxxxxx/REDACTED"
