"""Every group of endpoints: what its clients ask, what it answers, and what gemtape makes of that.

The table of docs/endpoints.md is made of this, and the tests drive it through both doors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.upstream import JSON, Answer, head, script, stream, unary

GEMINI = "generativelanguage.googleapis.com"
ASSIST = "cloudcode-pa.googleapis.com"
VERTEX = "aiplatform.googleapis.com"
IOWA = f"us-central1-{VERTEX}"
ON_VERTEX = "/v1beta1/projects/my-project/locations/us-central1"
PROMPT = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}
TEXT = {"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP", "index": 0}
SAID = {"candidates": [TEXT], "responseId": "r1"}
PIXEL = "iVBORw0KGgoAAAANSUhEUg//ya29.AIzaSyA-1234567890abcdefghijklmnopqrstu="
"""Bytes in base64, with what looks like a secret in them by chance."""


@dataclass(frozen=True)
class Step:
    """A request and its answer, and whether it is judged."""

    method: str
    target: str
    body: Any
    answer: Answer
    judged: bool = False

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Group:
    """The endpoints of one kind on one host: `paths` as the documentation names them, `steps` as a client asks them."""

    name: str
    paths: str
    steps: tuple[Step, ...]
    host: str = GEMINI

    @property
    def judged(self) -> str:
        said = {step.judged for step in self.steps}
        return "yes" if said == {True} else "no" if said == {False} else "what generates"


def get(target: str, *answers: Any, method: str = "GET") -> tuple[Step, ...]:
    """A request without a body, sent once for each answer."""
    return tuple(Step(method, target, None, _answer(answer)) for answer in answers)


def post(
    target: str, body: Any, *answers: Any, method: str = "POST", judged: bool = False
) -> tuple[Step, ...]:
    """A request with a body, sent once for each answer."""
    return tuple(Step(method, target, body, _answer(answer), judged) for answer in answers)


def _answer(value: Any) -> Answer:
    """JSON as the API writes it, or an answer as it is."""
    return value if callable(value) else unary(json.dumps(value, indent=2).encode())


def events(*values: Any, end: bytes = b"", named: bool = False) -> Answer:
    """A stream of server-sent events; `named` ones as interactions have them."""
    pieces = [
        (f"event: {value['event_type']}\n" if named else "").encode()
        + b"data: "
        + json.dumps(value).encode()
        + b"\r\n\r\n"
        for value in values
    ]
    return stream(*pieces, *([end] if end else []))


def failed(status: int, name: str) -> Answer:
    return unary(json.dumps({"error": {"code": status, "message": name, "status": name}}).encode(), status)


EMPTY = unary(b"{}")
NO_CONTENT = script(head(204))
DONE = b"data: [DONE]\n\n"
LATER = {"name": "models/veo-3/operations/o1"}
BATCH = {"name": "batches/b1", "metadata": {"state": "BATCH_STATE_PENDING", "model": "models/m"}}
CACHE = {"name": "cachedContents/c1", "model": "models/m", "expireTime": "2026-11-01T00:00:00Z"}
INLINED = [{"request": PROMPT, "metadata": {"key": "r1"}}]
THINKING = {"type": "thought", "signature": PIXEL}
STREAMED = (
    {"event_type": "interaction.created", "event_id": "e1", "interaction": {"id": "v1_c"}},
    {"event_type": "step.delta", "event_id": "e2", "delta": {"type": "text", "text": "hi"}},
    {"event_type": "interaction.completed", "event_id": "e3", "interaction": {"id": "v1_c"}},
)

GROUPS = (
    Group(
        "Generating, Gemini API",
        "`models/M:generateContent`, `:streamGenerateContent`, `tunedModels/T:…`",
        (
            *post("/v1beta/models/gemini-3-pro:generateContent", PROMPT, SAID, judged=True),
            *post("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", PROMPT, events(SAID), judged=True),
            *post("/v1beta/tunedModels/mine:generateContent", PROMPT, SAID, judged=True),
        ),
    ),
    Group(
        "Models",
        "`models`, `models/M`, `tunedModels`",
        (
            *get("/v1beta/models?pageSize=2", {"models": [{"name": "models/a"}], "nextPageToken": "tok/2=="}),
            *get("/v1beta/models?pageSize=2&pageToken=tok%2F2%3D%3D", {"models": [{"name": "models/b"}]}),
            *get("/v1beta/models/a", {"name": "models/a"}),
            *get("/v1beta/models/none", failed(404, "NOT_FOUND")),
            *get("/v1beta/tunedModels", {"tunedModels": []}),
        ),
    ),
    Group(
        "Tokens and embeddings",
        "`models/M:countTokens`, `:embedContent`, `:batchEmbedContents`",
        (
            *post("/v1beta/models/m:countTokens", PROMPT, {"totalTokens": 1}),
            *post("/v1beta/models/m:countTokens", {"generateContentRequest": PROMPT}, {"totalTokens": 2}),
            *post("/v1beta/models/e:embedContent", {"content": PROMPT["contents"][0]}, {"embedding": {"values": [0.5]}}),
            *post(
                "/v1beta/models/e:batchEmbedContents",
                {"requests": [{"model": "models/e", "content": PROMPT["contents"][0]}]},
                {"embeddings": [{"values": [0.1, -2e-9]}]},
            ),
        ),
    ),
    Group(
        "Batches",
        "`models/M:batchGenerateContent`, `:asyncBatchEmbedContent`, `batches`, `batches/B`, `:cancel`",
        (
            *post(
                "/v1beta/models/m:batchGenerateContent",
                {"batch": {"displayName": "d", "inputConfig": {"requests": {"requests": INLINED}}}},
                BATCH,
            ),
            *get("/v1beta/batches/b1", BATCH, BATCH, {**BATCH, "done": True, "response": {"inlinedResponses": {}}}),
            *post("/v1beta/batches/b1:cancel", None, failed(400, "FAILED_PRECONDITION")),
            *get("/v1beta/batches?pageSize=5", {"operations": [BATCH]}),
            *get("/v1beta/batches/b1", EMPTY, method="DELETE"),
            *post(
                "/v1beta/models/e:asyncBatchEmbedContent",
                {"batch": {"displayName": "e", "inputConfig": {"fileName": "files/f1"}}},
                {"name": "batches/b2"},
            ),
        ),
    ),
    Group(
        "Caches",
        "`cachedContents`, `cachedContents/C`",
        (
            *post("/v1beta/cachedContents", {"model": "models/m", **PROMPT, "ttl": "60s"}, CACHE),
            *get("/v1beta/cachedContents", {"cachedContents": [CACHE]}),
            *get("/v1beta/cachedContents/c1", CACHE),
            *post("/v1beta/cachedContents/c1?updateMask=ttl", {"ttl": "90s"}, CACHE, method="PATCH"),
            *get("/v1beta/cachedContents/c1", EMPTY, method="DELETE"),
            *get("/v1beta/cachedContents/c1", failed(403, "PERMISSION_DENIED")),
        ),
    ),
    Group(
        "Long-running operations",
        "`models/M:predictLongRunning`, `operations/O`, `models/M/operations/O`",
        (
            *post("/v1beta/models/veo-3:predictLongRunning", {"instances": [{"prompt": "a"}]}, LATER),
            *get("/v1beta/models/veo-3/operations/o1", LATER, LATER, {**LATER, "done": True}),
            *get("/v1beta/operations/o2", {"name": "operations/o2", "done": True}),
        ),
    ),
    Group(
        "Images",
        "`models/M:predict`",
        post(
            "/v1beta/models/imagen:predict",
            {"instances": [{"prompt": "a"}], "parameters": {"sampleCount": 1}},
            {"predictions": [{"mimeType": "image/png", "bytesBase64Encoded": PIXEL}]},
        ),
    ),
    Group(
        "Files",
        "`files`, `files/F`, `files/F:download`, `files:register`",
        (
            *get("/v1beta/files?pageSize=1", {"files": [{"name": "files/f1"}], "nextPageToken": "2"}),
            *get("/v1beta/files?pageSize=1&pageToken=2", {"files": [{"name": "files/f2"}]}),
            *get("/v1beta/files/f1", {"name": "files/f1", "state": "PROCESSING"}, {"name": "files/f1", "state": "ACTIVE"}),
            *get("/v1beta/files/f1:download?alt=media", unary(b"\x89PNG\r\n\x00\xff", content_type="image/png")),
            *get("/v1beta/files/f1:download?alt=media", script(head(200, ("Content-Length", "7"))), method="HEAD"),
            *post("/v1beta/files:register", {"uris": ["gs://bucket/a"]}, {"files": [{"name": "files/f3"}]}),
            *get("/v1beta/files/f1", NO_CONTENT, method="DELETE"),
        ),
    ),
    Group(
        "File search",
        "`fileSearchStores`, `fileSearchStores/S`, `:importFile`, `…/documents`, `…/operations/O`",
        (
            *post("/v1beta/fileSearchStores", {"displayName": "s"}, {"name": "fileSearchStores/s1"}),
            *post("/v1beta/fileSearchStores/s1:importFile", {"fileName": "files/f1"}, {"name": "fileSearchStores/s1/operations/o1"}),
            *get("/v1beta/fileSearchStores/s1/operations/o1", {"name": "o"}, {"name": "o", "done": True}),
            *get("/v1beta/fileSearchStores/s1/upload/operations/o2", {"name": "o2", "done": True}),
            *get("/v1beta/fileSearchStores/s1/documents?pageSize=20", {"documents": []}),
            *get("/v1beta/fileSearchStores/s1", failed(400, "FAILED_PRECONDITION"), method="DELETE"),
            *get("/v1beta/fileSearchStores/s1?force=True", EMPTY, method="DELETE"),
        ),
    ),
    Group(
        "Interactions",
        "`interactions`, `interactions/I`, `…/cancel`",
        (
            *post("/v1beta/interactions", {"model": "m", "input": "hi"}, {"id": "v1_a", "outputs": [THINKING]}),
            *post("/v1beta/interactions", {"model": "m", "input": "go on", "previous_interaction_id": "v1_a"}, {"id": "v1_b"}),
            *post("/v1beta/interactions", {"model": "m", "input": "hi", "stream": True}, events(*STREAMED, end=DONE, named=True)),
            *get("/v1beta/interactions/v1_a", {"id": "v1_a", "status": "in_progress"}, {"id": "v1_a", "status": "completed"}),
            *get("/v1beta/interactions/v1_c?stream=true&last_event_id=e1", events(*STREAMED[1:], end=DONE, named=True)),
            *get("/v1beta/interactions/v1_c?stream=true&last_event_id=e2", events(*STREAMED[2:], end=DONE, named=True)),
            *post("/v1beta/interactions/v1_a/cancel", None, {"id": "v1_a", "status": "cancelled"}),
            *get("/v1beta/interactions/v1_a", EMPTY, method="DELETE"),
        ),
    ),
    Group(
        "Agents and what they need",
        "`agents`, `environments`, `environments/E/files/…`, `triggers`, `voices`, `webhooks`, `decisions`",
        (
            *post("/v1beta/agents", {"id": "a1"}, {"id": "a1"}),
            *get("/v1beta/environments/e1/files/a/b.txt", unary(b"text\n", content_type="text/plain")),
            *get("/v1beta/environments/e1/files/a/c.txt", unary(b"other\n", content_type="text/plain")),
            *post("/v1beta/triggers/t1/executions", {}, {"id": "x1"}),
            *get("/v1beta/voices?language_code=de", {"voices": [{"id": "de1"}]}),
            *get("/v1beta/voices?language_code=en", {"voices": [{"id": "en1"}]}),
            *post("/v1beta/webhooks/w1:ping", {}, EMPTY),
            *post("/v1beta/decisions", {"model": "m", "input": "a"}, {"answers": {}}),
        ),
    ),
    Group(
        "OpenAI-compatible, chat",
        "`openai/chat/completions`",
        post(
            "/v1beta/openai/chat/completions",
            {"model": "gemini-3-pro", "messages": [{"role": "user", "content": "hi"}]},
            {"choices": [{"message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop", "index": 0}]},
            judged=True,
        ),
    ),
    Group(
        "OpenAI-compatible, the rest",
        "`openai/models`, `/embeddings`, `/files`, `/batches`, `/images/generations`",
        (
            *get("/v1beta/openai/models", {"object": "list", "data": [{"id": "models/a"}]}),
            *get("/v1beta/openai/models/a", {"id": "models/a"}),
            *post("/v1beta/openai/embeddings", {"model": "e", "input": "a", "encoding_format": "base64"}, {"data": [{"embedding": PIXEL}]}),
            *post("/v1beta/openai/images/generations", {"model": "imagen", "prompt": "a"}, {"data": [{"b64_json": PIXEL}]}),
            *get("/v1beta/openai/files?limit=2&after=f1", {"data": [{"id": "f2"}]}),
            *get("/v1beta/openai/files?limit=2", {"data": [{"id": "f0"}, {"id": "f1"}]}),
            *post("/v1beta/openai/batches", {"input_file_id": "files/f", "endpoint": "/v1/chat/completions"}, {"id": "batches/b", "status": "validating"}),
            *get("/v1beta/openai/batches/b", {"id": "b", "status": "in_progress"}, {"id": "b", "status": "completed"}),
        ),
    ),
    Group(
        "Anything else below a version",
        "`/v1beta/…`, whatever it is",
        (
            *post("/v1beta/somethingNew/s1:doIt?mode=fast", {"any": ["thing", 10**30]}, {"ok": True}),
            *get("/v2alpha/things", unary(b"plain text", content_type="text/plain")),
            *post("/v1beta/binary:put", b"\x00\xff\xfe", unary(b"", content_type="application/octet-stream"), method="PUT"),
            *get("/v1beta/things/t", unary(b"", 200, ("Allow", "GET")), method="OPTIONS"),
        ),
    ),
    Group(
        "Generating, Vertex, a region",
        "`…/publishers/google/models/M:generateContent`, `:streamGenerateContent`, `…/endpoints/E:…`",
        (
            *post(f"{ON_VERTEX}/publishers/google/models/gemini-3-pro:generateContent", PROMPT, SAID, judged=True),
            *post(f"{ON_VERTEX}/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse", PROMPT, events(SAID), judged=True),
            *post(f"{ON_VERTEX}/endpoints/123:generateContent", PROMPT, SAID, judged=True),
        ),
        IOWA,
    ),
    Group(
        "Generating, Vertex, global",
        "`…/locations/global/…`",
        post("/v1/projects/my-project/locations/global/publishers/google/models/m:generateContent", PROMPT, SAID, judged=True),
        VERTEX,
    ),
    Group(
        "Generating, Vertex, EU",
        "`…/locations/eu/…`",
        post("/v1/projects/my-project/locations/eu/publishers/google/models/m:generateContent", PROMPT, SAID, judged=True),
        "aiplatform.eu.rep.googleapis.com",
    ),
    Group(
        "Generating, Vertex, US",
        "`…/locations/us/…`",
        post("/v1/projects/my-project/locations/us/publishers/google/models/m:generateContent", PROMPT, SAID, judged=True),
        "aiplatform.us.rep.googleapis.com",
    ),
    Group(
        "Generating, Vertex, express mode",
        "`publishers/google/models/M:…` with an API key",
        post("/v1beta1/publishers/google/models/m:generateContent", PROMPT, SAID, judged=True),
        VERTEX,
    ),
    Group(
        "Interactions, Vertex, express mode",
        "`v1beta1/interactions`",
        post("/v1beta1/interactions", {"model": "m", "input": "hi"}, {"id": "v1_a"}),
        VERTEX,
    ),
    Group(
        "Vertex, the rest",
        "`:countTokens`, `:computeTokens`, `:embedContent`, `:predict`, `:predictLongRunning`, "
        "`:fetchPredictOperation`, `:rawPredict`, `cachedContents`, `batchPredictionJobs`, `interactions`, `reasoningEngines`",
        (
            *post(f"{ON_VERTEX}/interactions", {"model": "m", "input": "hi"}, {"id": "v1_a"}),
            *post(f"{ON_VERTEX}/publishers/google/models/m:computeTokens", PROMPT, {"tokensInfo": []}),
            *post(f"{ON_VERTEX}/publishers/google/models/e:embedContent", {"content": PROMPT["contents"][0]}, {"embedding": {"values": [1]}}),
            *post(f"{ON_VERTEX}/publishers/google/models/e:predict", {"instances": [{"content": "a"}]}, {"predictions": [{"embeddings": {}}]}),
            *post(f"{ON_VERTEX}/publishers/google/models/veo:predictLongRunning", {"instances": [{"prompt": "a"}]}, {"name": "o"}),
            *post(
                f"{ON_VERTEX}/publishers/google/models/veo:fetchPredictOperation",
                {"operationName": "projects/1/locations/us-central1/publishers/google/models/veo/operations/o"},
                {"name": "o"},
                {"name": "o"},
                {"name": "o", "done": True, "response": {"videos": [{"bytesBase64Encoded": PIXEL}]}},
            ),
            *post(f"{ON_VERTEX}/cachedContents", {"model": f"{ON_VERTEX[9:]}/publishers/google/models/m", **PROMPT}, {"name": "c"}),
            *post(f"{ON_VERTEX}/batchPredictionJobs", {"displayName": "b", "model": "publishers/google/models/m"}, {"name": "b"}),
            *get(f"{ON_VERTEX}/batchPredictionJobs/1", {"state": "JOB_STATE_RUNNING"}, {"state": "JOB_STATE_SUCCEEDED"}),
            *post(f"{ON_VERTEX}/reasoningEngines/1:query", {"input": {"a": 1}}, {"output": "x"}),
            *post(f"{ON_VERTEX}/reasoningEngines/1:streamQuery?alt=sse", {"input": {}}, stream(b'{"a": 1}\n', b'{"b": 2}\n', content_type=JSON)),
            *post(f"{ON_VERTEX}/publishers/anthropic/models/c:streamRawPredict", {"stream": True}, events({"type": "ping"})),
        ),
        IOWA,
    ),
    Group(
        "Generating, Code Assist",
        "`v1internal:generateContent`, `:streamGenerateContent`",
        (
            *post("/v1internal:generateContent", {"model": "gemini-3-pro", "project": "p", "request": PROMPT}, {"response": SAID}, judged=True),
            *post(
                "/v1internal:streamGenerateContent?alt=sse",
                {"model": "gemini-3-pro", "project": "p", "request": PROMPT},
                events({"response": SAID}),
                judged=True,
            ),
        ),
        ASSIST,
    ),
    Group(
        "Code Assist, the rest",
        "`v1internal:countTokens`, `:loadCodeAssist`, `:onboardUser`, `:retrieveUserQuota`, `v1internal/operations/O`",
        (
            *post("/v1internal:loadCodeAssist", {"metadata": {"pluginType": "GEMINI"}}, {"currentTier": {"id": "free-tier"}}),
            *post("/v1internal:onboardUser", {"tierId": "free-tier"}, {"name": "operations/o1", "done": False}),
            *get("/v1internal/operations/o1", {"name": "operations/o1"}, {"name": "operations/o1", "done": True}),
            *post("/v1internal:countTokens", {"request": {"model": "models/m", **PROMPT}}, {"totalTokens": 1}),
            *post("/v1internal:retrieveUserQuota", {"project": "p"}, {"buckets": []}),
        ),
        ASSIST,
    ),
)  # fmt: skip


def table() -> str:
    """The table of the documentation."""
    return "\n".join(
        [
            "| endpoints | paths | recorded | replayed | judged | Google's host |",
            "|---|---|---|---|---|---|",
            *_rows(),
        ]
    )


def _rows() -> Iterator[str]:
    for group in GROUPS:
        host = group.host.replace("us-central1", "REGION")
        yield f"| {group.name} | {group.paths} | yes | yes | {group.judged} | `{host}` |"
    yield "| Live API | `/ws/google.…`, `:bidiGenerateContent`, `interactions/live` | refused, 501 | refused, 501 | | |"
