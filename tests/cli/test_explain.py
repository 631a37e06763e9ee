"""``gemtape explain``: what a replay would say to a request, from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.transcript import write_line, write_transcript
from gemtape.cli.main import gemtape
from gemtape.replay.server import serve
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, user

HELLO = exchange([user("hello")], model_text("hi"))
PATH = HELLO.request.path


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return cassette_of(tmp_path / "run.db", [HELLO, exchange([user("bye")])])


def explain(value: Any, *options: str, source: str = "run.db") -> tuple[int, str]:
    Path("request.json").write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    outcome = CliRunner().invoke(gemtape, ["explain", source, "request.json", *options])
    return outcome.exit_code, outcome.output


def body(item: Exchange) -> Any:
    return json.loads(item.request.body)


@pytest.mark.parametrize("prefix", ["", "/refunds/happy", "/refunds/@a"])
def test_body_that_was_recorded_is_answered(prefix: str):
    assert explain(body(HELLO), "--path", prefix + PATH) == (
        0,
        "exchange 1 answers: gemini-3-pro-preview:generateContent, 200\n",
    )


def test_miss_is_explained_as_the_server_does(run: Path):
    item = exchange([user("hullo")])

    code, told = explain(body(item), "--path", PATH)

    with serve("run.db") as server:
        answer = httpx.post(server.url + PATH, content=item.request.body, trust_env=False)
    assert told == answer.json()["error"]["message"] + "\n"
    assert 'differs at text: recorded "hello", got "hullo"' in told
    assert "gemtape record --replace run.db" in told
    assert code == 1


def test_query_counts():
    item = exchange([user("a")], path="/v1beta/models/m:streamGenerateContent", query="alt=sse")
    cassette_of(Path("stream.db"), [item])

    path = item.request.path
    assert explain(body(item), "--path", path, "--query", "alt=sse", source="stream.db")[0] == 0
    assert explain(body(item), "--path", f"{path}?alt=sse", source="stream.db")[0] == 0
    code, told = explain(body(item), "--path", path, source="stream.db")
    assert (code, "the query differs at alt" in told) == (1, True)


def test_lines_of_a_transcript_are_asked_one_after_the_other(tmp_path: Path):
    """They say themselves where they are sent, and need no answer."""
    alone = json.dumps({"request": {"path": PATH, "body": body(HELLO)}}).encode()

    code, told = explain(write_line(HELLO) + alone + b"\n\n" + write_line(exchange([user("new")])))

    first, second, third = told.splitlines()
    assert first.startswith("exchange 1 answers: ")
    assert second.startswith("exchange 1 answers, again: ")
    assert third.startswith("gemtape: no recorded answer for POST ")
    assert code == 1


def test_line_may_be_spread_over_lines():
    value = {"request": {"path": PATH, "body": body(HELLO)}}

    assert explain(json.dumps(value, indent=2).encode())[0] == 0


def test_transcript_can_stand_for_the_cassette():
    with Path("run.jsonl").open("wb") as file:
        write_transcript([HELLO], file)

    assert explain(body(HELLO), "--path", PATH, source="run.jsonl")[0] == 0


def test_what_the_api_would_refuse_is_said_to_be():
    step = [user("a"), calls(call("f")), results(result("f", {}))]
    item = exchange(step)

    code, told = explain(body(item), "--path", PATH)

    assert code == 1
    assert told.startswith("the API would refuse it (400): Function call is missing a thought_signature")
    assert "Found by missing-signature at /contents/1/parts/0" in told
    assert "no recorded answer" in explain(body(item), "--path", PATH, "--lenient")[1]


def test_code_assist_body_is_no_transcript():
    wrapped = {"model": "m", "request": {"contents": [user("a")]}}
    item = exchange([], path="/v1internal:generateContent")
    recorded = Exchange(
        type(item.request)("POST", item.request.path, body=json.dumps(wrapped).encode()), item.response
    )
    cassette_of(Path("assist.db"), [recorded])

    assert explain(wrapped, "--path", item.request.path, source="assist.db")[0] == 0


def test_configured_ignores_hold(run: Path):
    Path("gemtape.toml").write_text('match-ignore = ["/contents/*/parts/*/text"]\n')

    assert explain(body(exchange([user("hullo")])), "--path", PATH)[0] == 0


@pytest.mark.parametrize(
    ("value", "options", "words"),
    [
        ({"contents": []}, (), "request.json holds a body: say with --path where it would be sent"),
        (b"", (), "request.json holds a body"),
        ({"request": {"path": PATH}}, ("--path", PATH), "leave out --path"),
        ({"request": {"path": PATH, "bodi": 1}}, (), "bodi"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_exit_code_2(value: Any, options: tuple[str, ...], words: str):
    code, told = explain(value, *options)

    assert (code, told.count("\n")) == (2, 1)
    assert words in told
