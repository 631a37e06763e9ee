"""google-genai, as it comes from the index, asks every other endpoint: recorded through the proxy, replayed offline."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge
from gemtape.replay.answering import Verdict
from gemtape.replay.server import serve
from tests.endpoints import DONE, STREAMED, events
from tests.factories import answer_body, model_text
from tests.proxied import proxied
from tests.upstream import Answer, Received, Upstream, unary

pytestmark = pytest.mark.sdk

MODEL = "gemini-3-pro-preview"
BATCH = {"name": "batches/b1", "metadata": {"state": "BATCH_STATE_PENDING", "model": f"models/{MODEL}"}}
CACHE = {"name": "cachedContents/c1", "model": f"models/{MODEL}", "expireTime": "2026-11-01T00:00:00Z"}
PENDING = {"name": "fileSearchStores/s1/operations/o1"}
GEMINI: dict[str, list[Any]] = {
    "GET models?pageSize=1": [{"models": [{"name": "models/a"}], "nextPageToken": "tok/2=="}],
    "GET models?pageSize=1&pageToken=tok%2F2%3D%3D": [{"models": [{"name": "models/b"}]}],
    f"GET models/{MODEL}": [{"name": f"models/{MODEL}", "displayName": "Pro"}],
    f"POST models/{MODEL}:countTokens": [{"totalTokens": 7}],
    "POST models/e:batchEmbedContents": [{"embeddings": [{"values": [0.25, -0.5]}]}],
    f"POST models/{MODEL}:batchGenerateContent": [BATCH],
    "GET batches/b1": [
        BATCH,
        {**BATCH, "metadata": {"state": "BATCH_STATE_RUNNING"}},
        {**BATCH, "done": True, "metadata": {"state": "BATCH_STATE_SUCCEEDED"}},
    ],
    "POST batches/b1:cancel": [{}],
    "DELETE batches/b1": [{}],
    "GET batches?pageSize=1": [{"operations": [BATCH]}],
    "POST cachedContents": [CACHE],
    "GET cachedContents/c1": [CACHE],
    "PATCH cachedContents/c1": [{**CACHE, "expireTime": "2026-11-01T00:00:30Z"}],
    "GET cachedContents": [{"cachedContents": [CACHE]}],
    "DELETE cachedContents/c1": [{}],
    "POST fileSearchStores/s1:importFile": [PENDING],
    "GET fileSearchStores/s1/operations/o1": [PENDING, PENDING, {**PENDING, "done": True, "response": {}}],
    "GET files?pageSize=1": [{"files": [{"name": "files/f1"}], "nextPageToken": "2"}],
    "GET files?pageSize=1&pageToken=2": [{"files": [{"name": "files/f2"}]}],
    "GET files/f1": [{"name": "files/f1", "state": "ACTIVE"}],
    "GET files/f1:download?alt=media": [unary(b"\x89PNG\r\n\x00\xff", content_type="image/png")],
    "DELETE files/f1": [{}],
    "POST fileSearchStores": [{"name": "fileSearchStores/s1"}],
    "DELETE fileSearchStores/s1?force=True": [{}],
    "POST auth_tokens": [{"name": "auth_tokens/abc-DEF_123"}],
    "POST interactions": [
        {"id": "v1_a", "status": "completed"},
        {"id": "v1_b", "status": "completed"},
        events(*STREAMED, end=DONE, named=True),
    ],
    "GET interactions/v1_a?stream=false": [{"id": "v1_a", "status": "in_progress"}],
    "GET interactions/v1_b?last_event_id=e1&stream=true": [events(*STREAMED[1:], end=DONE, named=True)],
    "POST interactions/v1_a/cancel": [{"id": "v1_a", "status": "cancelled"}],
}  # fmt: skip
OURS = "publishers/google/models"
OPERATION = {"name": "projects/mine/locations/us-central1/publishers/google/models/veo-3/operations/o1"}
VERTEX: dict[str, list[Any]] = {
    f"POST {OURS}/{MODEL}:generateContent": [answer_body(model_text("hi")), answer_body(model_text("from the cache"))],
    f"POST {OURS}/{MODEL}:streamGenerateContent?alt=sse": [events(answer_body(model_text("h")), answer_body(model_text("i")))],
    f"POST {OURS}/{MODEL}:countTokens": [{"totalTokens": 7}],
    "POST cachedContents": [{"name": "projects/1/locations/us-central1/cachedContents/c1"}],
    f"POST {OURS}/imagen:predict": [{"predictions": [{"bytesBase64Encoded": base64.b64encode(b"\x89PNG").decode()}]}],
    f"POST {OURS}/veo-3:predictLongRunning": [OPERATION],
    f"POST {OURS}/veo-3:fetchPredictOperation": [
        OPERATION,
        {**OPERATION, "done": True, "response": {"videos": [{"bytesBase64Encoded": "AAEC"}]}},
    ],
}  # fmt: skip
_PLACE = re.compile(r"/v1(?:alpha|beta1?)?/(?:projects/[^/]+/locations/[^/]+/)?")


class Api:
    """Answers by what is asked, whatever the order; the last answer to a request stays."""

    def __init__(self, answers: dict[str, list[Any]]) -> None:
        self._answers = {asked: list(given) for asked, given in answers.items()}

    def __call__(self, request: Received) -> Iterable[object]:
        given = self._answers[f"{request.method} {_PLACE.sub('', request.target)}"]
        answer = given.pop(0) if len(given) > 1 else given[0]
        made: Answer = answer if callable(answer) else unary(json.dumps(answer).encode())
        return made(request)


def run(python: Path, *arguments: str, **environ: str) -> Any:
    script = Path(__file__).with_name(arguments[0])
    finished = subprocess.run(
        [python, script, *arguments[1:]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": "", "HOME": "/nonexistent", **environ},
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def recorded(python: Path, cassette: Path, answers: dict[str, list[Any]], *arguments: str) -> Any:
    """Through the proxy; the upstream is gone afterwards."""
    with Upstream(Api(answers)) as upstream, proxied(cassette, upstream.url) as proxy:
        return run(python, "genai_endpoints.py", proxy.url, *arguments)


def replayed(python: Path, cassette: Path, *arguments: str) -> Any:
    with serve(cassette) as server:
        found = run(python, "genai_endpoints.py", server.url, *arguments)
        verdicts = server.deck.verdicts()
    assert verdicts[Verdict.HIT] == verdicts.total()
    return found


def check_judged(cassette: Path, count: int) -> None:
    """Only what generates is judged, and nothing is found."""
    with Cassette.read(cassette) as stored:
        entries = list(stored.entries())
    judge = Judge()

    assert sum(entry.route.generates for entry in entries) == count
    assert [item for entry in entries for item in judge.judge(entry) if item.severity != "info"] == []


def test_gemini_api(genai_python: Path, genai2_python: Path, tmp_path: Path):
    """Also by the major version before, which asks for another version of the API."""
    first = recorded(genai_python, tmp_path / "run.db", GEMINI, "gemini")

    assert first["states"][-1] == "JOB_STATE_SUCCEEDED"
    assert first["models"] == ["models/a", "models/b"]
    assert first["interactions"][2] == [event["event_type"] for event in STREAMED]
    assert first["token"] == "auth_tokens/abc-DEF_123"
    secret_gone = {**first, "token": "REDACTED"}
    assert replayed(genai_python, tmp_path / "run.db", "gemini") == secret_gone
    assert replayed(genai2_python, tmp_path / "run.db", "gemini") == secret_gone
    check_judged(tmp_path / "run.db", 0)


def test_vertex(genai_python: Path, tmp_path: Path):
    """Also for a client with another project, in another place."""
    first = recorded(genai_python, tmp_path / "run.db", VERTEX, "vertex", "mine", "us-central1")

    assert first["cached"] == "from the cache"
    assert replayed(genai_python, tmp_path / "run.db", "vertex", "mine", "us-central1") == first
    assert replayed(genai_python, tmp_path / "run.db", "vertex", "yours", "eu") == first
    check_judged(tmp_path / "run.db", 3)


@pytest.mark.parametrize("python", ["genai_python", "genai2_python"])
def test_vertex_chosen_by_the_environment_is_explained_at_both_doors(
    python: str, request: pytest.FixtureRequest, tmp_path: Path
):
    """Every call then goes to the bare base URL, and its user reads why."""
    environ = {
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        "GOOGLE_CLOUD_PROJECT": "mine",
        "GOOGLE_CLOUD_LOCATION": "us-central1",
    }
    with Upstream() as upstream:
        with proxied(tmp_path / "run.db", upstream.url) as proxy:
            url = {"GOOGLE_GEMINI_BASE_URL": proxy.url}
            asked = run(request.getfixturevalue(python), "genai_trap.py", **environ, **url)
        assert upstream.requests == []
    Cassette.create(tmp_path / "empty.db").close()
    with serve(tmp_path / "empty.db") as server:
        url = {"GOOGLE_GEMINI_BASE_URL": server.url}
        answered = run(request.getfixturevalue(python), "genai_trap.py", **environ, **url)

    assert [*asked] == [*answered] == ["generate", "stream", "embed", "count", "models", "cache", "batch"]
    for messages, status in ((asked, "404 NOT_FOUND"), (answered, "412 FAILED_PRECONDITION")):
        for message in messages.values():
            assert message.startswith(status)
            assert "Give Client(vertexai=True, project=..., location=...) both by name" in message
