"""google-genai, as it comes from the index, records through the proxy and replays offline."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge
from gemtape.checks.report.model import judge_cassette
from gemtape.cli.demo.recording import recording
from gemtape.replay.server import serve
from tests.factories import MODEL, SIGNATURE, answer_body, call, model_text
from tests.upstream import Answer, Upstream, stream, unary

pytestmark = pytest.mark.sdk

PARALLEL = (
    call("get_weather", {"city": "Pune"}, signature=SIGNATURE, id="hq1dul8c"),
    call("get_time", {"tz": "Asia/Kolkata"}, id="lx8q24je"),
)


def _event(*parts: dict[str, Any], finish: str = "") -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    event = {"candidates": [candidate], "modelVersion": MODEL, "responseId": "r1"}
    return b"data: " + json.dumps(event).encode() + b"\r\n\r\n"


ANSWERS: dict[str, list[Answer]] = {
    "unary": [
        unary(json.dumps(answer_body({"role": "model", "parts": list(PARALLEL)}), indent=2).encode()),
        unary(json.dumps(answer_body(model_text("31 degrees, noon.")), indent=2).encode(), framing="chunked"),
        unary(json.dumps(answer_body(model_text("You are welcome."))).encode()),
    ],
    "stream": [
        stream(_event(PARALLEL[0]), _event(PARALLEL[1]), _event({"text": ""}, finish="STOP")),
        stream(_event({"text": "31 degrees"}), _event({"text": ", noon."}, finish="STOP")),
        stream(_event({"text": "You are "}), _event({"text": "welcome."}, finish="STOP")),
    ],
}


ANSWERED = {
    "texts": ["31 degrees, noon.", "You are welcome."],
    "ran": ["get_weather Pune", "get_time Asia/Kolkata"],
}


def _run(python: Path, base_url: str, form: str, kind: str = "sync", *cassette: Path) -> dict[str, Any]:
    script = Path(__file__).with_name("genai_agent.py")
    finished = subprocess.run(
        [python, script, base_url, form, kind, *cassette],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def _record(python: Path, path: Path, form: str) -> dict[str, Any]:
    """Through the proxy, which runs in another environment than the SDK; the upstream is gone afterwards."""
    with Upstream() as upstream:
        upstream.answers.extend(ANSWERS[form])
        with recording(path, upstream=upstream.url) as proxy:
            return _run(python, proxy, form)


@pytest.fixture(scope="module", params=["unary", "stream"])
def form(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def recorded(genai_python: Path, form: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cassette for all kinds of clients."""
    path = tmp_path_factory.mktemp(form) / "run.db"
    outcome = _record(genai_python, path, form)
    assert {key: outcome[key] for key in ANSWERED} == ANSWERED
    (path.parent / "outcome.json").write_text(json.dumps(outcome))
    return path


def test_replays_with_equal_bytes(genai_python: Path, recorded: Path, form: str):
    with serve(recorded) as server:
        replayed = _run(genai_python, server.url, form)

    assert len(replayed["digests"]) == 3
    assert replayed == json.loads((recorded.parent / "outcome.json").read_text())


def test_a_faithful_sdk_has_no_violations(recorded: Path):
    with Cassette.read(recorded) as cassette:
        judged = judge_cassette(str(recorded), cassette.entries(), Judge())

    assert (judged.exchanges, judged.conversations) == (3, 1)
    assert [item for item in judged.violations if item.severity != "info"] == []


def test_the_async_client_replays_what_the_sync_one_recorded(genai_python: Path, recorded: Path, form: str):
    with serve(recorded) as server:
        assert _run(genai_python, server.url, form, "async") == {**ANSWERED, "digests": []}


def test_so_does_the_async_client_on_aiohttp(aiohttp_python: Path, recorded: Path, form: str):
    with serve(recorded) as server:
        assert _run(aiohttp_python, server.url, form, "aiohttp") == {**ANSWERED, "digests": []}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_in_process_it_needs_no_server(genai_gemtape_python: Path, recorded: Path, form: str, kind: str):
    answered = _run(genai_gemtape_python, "http://gemtape.invalid", form, kind, recorded)

    assert answered == {**ANSWERED, "digests": []}


def test_a_cassette_of_the_last_major_version_answers_this_one(
    genai2_python: Path, genai_python: Path, tmp_path: Path
):
    """2.x asks for v1beta, 3.x for v1; the program is the same."""
    path = tmp_path / "run.db"
    _record(genai2_python, path, "unary")

    with serve(path) as server:
        replayed = _run(genai_python, server.url, "unary")

    assert {key: replayed[key] for key in ANSWERED} == ANSWERED
    with Cassette.read(path) as cassette:
        assert {entry.route.version for entry in cassette.entries()} == {"v1beta"}
