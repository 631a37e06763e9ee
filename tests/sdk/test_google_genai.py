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


def _run(python: Path, base_url: str, kind: str) -> dict[str, Any]:
    script = Path(__file__).with_name("genai_agent.py")
    finished = subprocess.run(
        [python, script, base_url, kind], capture_output=True, text=True, timeout=120, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


@pytest.mark.parametrize("kind", ["unary", "stream"])
def test_records_and_replays_with_equal_bytes(genai_python: Path, tmp_path: Path, kind: str):
    """The upstream is stopped before the replay; the proxy ran in another environment than the SDK."""
    path = tmp_path / "run.db"
    with Upstream() as upstream:
        upstream.answers.extend(ANSWERS[kind])
        with recording(path, upstream=upstream.url) as proxy:
            recorded = _run(genai_python, proxy, kind)

    with serve(path) as server:
        replayed = _run(genai_python, server.url, kind)

    assert recorded["texts"] == ["31 degrees, noon.", "You are welcome."]
    assert recorded["ran"] == ["get_weather Pune", "get_time Asia/Kolkata"]
    assert len(recorded["digests"]) == 3
    assert replayed == recorded
    with Cassette.read(path) as cassette:
        judged = judge_cassette(str(path), cassette.entries(), Judge())
    assert (judged.exchanges, judged.conversations) == (3, 1)
    assert [item for item in judged.violations if item.severity != "info"] == []
