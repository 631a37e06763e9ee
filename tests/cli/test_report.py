"""``gemtape report`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gemtape.cli.main import gemtape
from tests.factories import SIGNATURE, call, calls, cassette_of, exchange, model_text, result, results, user

QUESTION = user("Weather in Pune?")
SIGNED = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE))
UNSIGNED = calls(call("get_weather", {"city": "Pune"}))
RESULT = results(result("get_weather", {"celsius": 31}))


def _run(*arguments: object):
    return CliRunner().invoke(gemtape, ["report", *map(str, arguments)])


@pytest.fixture
def faithful(tmp_path: Path) -> Path:
    steps = [exchange([QUESTION], SIGNED), exchange([QUESTION, SIGNED, RESULT], model_text("31"), at=2)]
    return cassette_of(tmp_path / "faithful.db", steps)


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    steps = [exchange([QUESTION], SIGNED), exchange([QUESTION, UNSIGNED, RESULT], model_text("31"), at=2)]
    return cassette_of(tmp_path / "lossy.db", steps)


def test_a_faithful_client_passes(faithful: Path):
    outcome = _run(faithful)

    assert outcome.exit_code == 0
    assert "0 errors" in outcome.output


def test_a_lost_signature_fails_and_is_placed(lossy: Path):
    outcome = _run(lossy)

    assert outcome.exit_code == 1
    assert "missing-signature  /contents/1/parts/0" in outcome.output
    assert "exchange 1 issued one with it" in " ".join(outcome.output.split())


def test_json_names_every_cassette(lossy: Path, faithful: Path):
    outcome = _run(lossy, faithful, "--format", "json")

    document = json.loads(outcome.output)
    assert [item["path"] for item in document["cassettes"]] == [str(lossy), str(faithful)]
    assert [(item["cassette"], item["exchange"]) for item in document["violations"]] == [(str(lossy), 2)]


@pytest.mark.parametrize(("threshold", "code"), [("error", 1), ("warning", 1), ("never", 0)])
def test_fail_on(lossy: Path, threshold: str, code: int):
    assert _run(lossy, "--fail-on", threshold).exit_code == code


def test_output_goes_to_a_file(lossy: Path, tmp_path: Path):
    target = tmp_path / "report.json"

    outcome = _run(lossy, "--format", "json", "-o", target)

    assert outcome.output == ""
    assert json.loads(target.read_text())["summary"]["error"] == 1


def test_a_transcript_is_judged_like_a_cassette(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    request = {
        "path": "/v1beta/models/gemini-3-pro:generateContent",
        "body": {"contents": [QUESTION, RESULT]},
    }
    path.write_text(
        json.dumps({"request": request, "response": {"status": 400, "body": {"error": {}}}}) + "\n"
    )

    outcome = _run(path)

    assert outcome.exit_code == 1
    assert "orphan-response  /contents/1/parts/0" in outcome.output


def test_an_unwritable_output_is_one_line_and_exit_code_2(lossy: Path, tmp_path: Path):
    outcome = _run(lossy, "-o", tmp_path / "missing" / "report.txt")

    assert outcome.exit_code == 2
    assert outcome.output.count("\n") == 1


@pytest.mark.parametrize("content", [b"not sqlite", b"", b"SQLite format 3\x00" + b"x" * 200])
def test_a_file_that_is_no_cassette_is_one_line_and_exit_code_2(tmp_path: Path, content: bytes):
    path = tmp_path / "x.db"
    path.write_bytes(content)

    outcome = _run(path)

    assert outcome.exit_code == 2
    assert outcome.output.startswith("gemtape: ")
    assert outcome.output.count("\n") == 1


def test_a_missing_cassette_is_one_line_and_exit_code_2(tmp_path: Path):
    outcome = _run(tmp_path / "none.db")

    assert outcome.exit_code == 2
    assert outcome.output == f"gemtape: there is no cassette {tmp_path / 'none.db'}\n"


def test_a_model_that_is_none_is_said(lossy: Path):
    """A misspelt model would pass what the right one refuses."""
    assert "'gemni-3-pro' is no Gemini model" in _run(lossy, "--as-model", "gemni-3-pro").output
    assert "is no Gemini model" not in _run(lossy, "--as-model", "models/gemini-flash-latest").output
