"""``gemtape show``: one exchange, whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.cassettes.store import Cassette
from gemtape.cli.main import gemtape
from tests.factories import (
    answer_body,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    sse,
    unary,
    user,
)

STREAM = "/v1beta/models/m:streamGenerateContent"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def show(*items: Exchange, number: int = 1, options: tuple[str, ...] = ()) -> str:
    if not Path("run.db").exists():
        cassette_of(Path("run.db"), items)
    outcome = CliRunner().invoke(gemtape, ["show", "run.db", str(number), *options])
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def test_everything_of_an_exchange_in_order():
    item = exchange([user("Grüße")], model_text("hi"), query="alt=json")

    told = show(item, exchange([user("b")]), item)

    with Cassette.read(Path("run.db")) as cassette:
        key = cassette.key(cassette.entry(1)).hex()
    assert (
        told
        == f"""run.db: exchange 1 of 3

POST /v1beta/models/gemini-3-pro-preview:generateContent?alt=json
at 1970-01-01T00:00:01.000+00:00
content-type: application/json

{{
  "contents": [
    {{
      "parts": [
        {{
          "text": "Grüße"
        }}
      ],
      "role": "user"
    }}
  ]
}}

200, 1 piece in 20 ms
content-type: application/json; charset=UTF-8

{{
  "candidates": [
    {{
      "content": {{
        "parts": [
          {{
            "text": "hi"
          }}
        ],
        "role": "model"
      }},
      "finishReason": "STOP",
      "index": 0
    }}
  ],
  "modelVersion": "gemini-3-pro-preview",
  "responseId": "r1"
}}

match key: {key}
ignored in matching: nothing
equal requests: 3

no violations
"""
    )


def test_stream_is_shown_as_what_it_folds_to():
    answer = sse(answer_body(model_text("a")), answer_body(model_text("b")), cut=True)
    item = Exchange(exchange([user("x")], path=STREAM).request, answer, Failure.RESET)

    told = show(item)

    assert (
        "200, 2 pieces in 0 ms, cut (reset)\ncontent-type: text/event-stream\n\n2 events, folded:\n" in told
    )
    assert '"text": "ab"' in told


def test_missing_answer_says_why():
    item = Exchange(Request("POST", STREAM, body=b"{}"), None, Failure.TIMEOUT)

    assert "\nno answer: timeout\n" in show(item)


def test_bodies_that_are_no_json_cannot_drive_a_terminal():
    item = Exchange(Request("POST", "/upload/v1beta/files", body=b"\x1b[2Ja\xff\nb"), Response(204))

    told = show(item)

    assert "\n\\x1b[2Ja\\xff\nb\n" in told
    assert "\n204, 0 pieces in 0 ms\n\nno body\n" in told


def test_long_texts_are_cut_unless_all_is_asked_for():
    item = exchange([user("x" * 5000)])

    assert f'"{"x" * 1000}… (5000 characters)"' in show(item)
    assert f'"{"x" * 5000}"' in show(number=1, options=("--full",))


def test_violations_of_this_exchange_are_told_and_no_others():
    step = [user("a"), calls(call("f")), results(result("f", {}))]

    first, second = (show(exchange(step), exchange([user("b")]), number=number) for number in (1, 2))

    assert "\nerror missing-signature /contents/1/parts/0: " in first
    assert second.endswith("\nno violations\n")


def test_what_is_ignored_is_shown_with_the_match_form(folder: Path):
    (folder / "gemtape.toml").write_text('match-ignore = ["/labels"]\nfilters = ["iso-date"]\n')

    told = show(exchange([user("on 2026-11-30")], labels={"a": "b"}), options=("--match-form",))

    assert "\nignored in matching: match-ignore: /labels; filters: iso-date\n" in told
    form = json.loads(told[told.index("iso-date\n") + len("iso-date\n") :].partition("\n\nno violations")[0])
    assert form["contents"] == [user("on <iso-date>")]
    assert form["settings"] == {}


def test_error_answer_is_shown_as_it_is():
    assert '"message": "slow down"' in show(
        exchange([user("a")], unary({"error": {"message": "slow down"}}, 429))
    )


@pytest.mark.parametrize(("source", "number"), [("run.db", "2"), ("none.db", "1"), ("run.db", "0")])
def test_exchange_that_is_not_there_is_exit_code_2(source: str, number: str):
    cassette_of(Path("run.db"), [exchange([user("a")])])

    assert CliRunner().invoke(gemtape, ["show", source, number]).exit_code == 2


def test_an_uploaded_file_is_shown_by_size_and_hash_and_how_it_begins():
    data = b"\x00" * 900 + b"z" * 900
    item = Exchange(Request("POST", "/upload/v1beta/files", "upload_id=secret", body=data), Response(200))

    told = show(item)

    assert f"\n1800 bytes, SHA-256 {hashlib.sha256(data).hexdigest()}\n" in told
    assert told.count("z") < 900
    assert "\n…\n" in told
    assert "secret" not in told
    assert "z" * 900 in show(number=1, options=("--full",))
