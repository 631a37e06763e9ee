"""Every endpoint through both doors: recorded from a server, and replayed with that server gone.

The requests are those of `endpoints`; each group has a cassette of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.naming import SUFFIX
from gemtape.cassettes.routes import parse_route
from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge
from gemtape.proxy.routing import Router
from gemtape.replay.answering import Verdict
from gemtape.replay.server import Server, serve
from tests.endpoints import GROUPS, PROMPT, Group, Step, get, post, table
from tests.factories import call, calls, result, results, tools_for, user
from tests.proxied import proxied
from tests.upstream import Upstream, unary
from tests.wire import Wire

DOCS = Path(__file__).parents[1] / "docs"
KEY = "AIzaSyA-1234567890abcdefghijklmnopqrstu"
TOKEN = "ya29.a0AfH6SMBx-1234567890"
NAMES = {group.name: f"group-{number}" for number, group in enumerate(GROUPS)}
LIVE = [
    "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=" + KEY,
    "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent",
    "/v1beta/interactions/live",
]
BATCHES = next(group for group in GROUPS if group.name == "Batches")
each_group = pytest.mark.parametrize("group", GROUPS, ids=[group.name for group in GROUPS])


class Seen(NamedTuple):
    """An answer as a client saw it."""

    status: int
    content_type: str | None
    body: bytes


class Run(NamedTuple):
    """What was recorded: a cassette a group, what its client saw meanwhile, and what it sees without a proxy."""

    folder: Path
    seen: dict[str, list[Seen]]
    direct: dict[str, list[Seen]]


def ask(client: httpx.Client, step: Step, prefix: str = "") -> Seen:
    body = step.body if isinstance(step.body, bytes | None) else json.dumps(step.body).encode()
    kind = {"content-type": "application/json"} if body else {}
    answer = client.request(step.method, prefix + step.target, content=body, headers=kind)
    return Seen(answer.status_code, answer.headers.get("content-type"), answer.content)


def record(folder: Path, upstream: Upstream, named: dict[str, tuple[Step, ...]]) -> dict[str, list[Seen]]:
    """Ask everything through the proxy, each sequence into the cassette of its name."""
    secrets = {"x-goog-api-key": KEY, "authorization": f"Bearer {TOKEN}", "x-goog-user-project": "payer"}
    seen: dict[str, list[Seen]] = {}
    with proxied(folder, upstream.url, folder=True) as proxy, proxy.client(headers=secrets) as client:
        for name, steps in named.items():
            upstream.answers.extend(step.answer for step in steps)
            seen[name] = [ask(client, step, f"/{name}") for step in steps]
    assert not upstream.answers
    return seen


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("endpoints")
    direct: dict[str, list[Seen]] = {}
    with Upstream() as upstream:
        seen = record(folder, upstream, {NAMES[group.name]: group.steps for group in GROUPS})
        with httpx.Client(base_url=upstream.url, trust_env=False, timeout=20) as client:
            for group in GROUPS:
                upstream.answers.extend(step.answer for step in group.steps)
                direct[NAMES[group.name]] = [ask(client, step) for step in group.steps]
    return Run(folder, seen, direct)


@pytest.fixture(scope="module")
def server(recorded: Run) -> Iterator[Server]:
    with serve(recorded.folder) as running:
        yield running


def client_of(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.url, trust_env=False, timeout=20)


@each_group
def test_client_sees_through_the_proxy_what_the_server_sends(recorded: Run, group: Group):
    assert recorded.seen[NAMES[group.name]] == recorded.direct[NAMES[group.name]]


@each_group
def test_replay_answers_the_same_in_any_session(server: Server, recorded: Run, group: Group):
    """Answers that were polled come in recorded order, and the last one stays."""
    name = NAMES[group.name]
    with client_of(server) as client:
        for prefix in (f"/{name}", f"/{name}/@again"):
            assert [ask(client, step, prefix) for step in group.steps] == recorded.seen[name]
            assert ask(client, group.steps[-1], prefix) == recorded.seen[name][-1]
            status = client.get(f"{prefix}/_gemtape/status").json()
            assert status["unused"] == []
            assert status["requests"][Verdict.HIT] == len(group.steps)


@each_group
def test_replay_asks_for_no_version_project_or_place(server: Server, recorded: Run, group: Group):
    """They say who pays and where: a client of another major version, or another project's, gets the same."""
    moves = [
        ("/v1beta/", "/v1/"),
        ("/v1beta1/", "/v1/"),
        ("/my-project/", "/other/"),
        ("/us-central1", "/europe-west4"),
    ]
    name = NAMES[group.name]
    with client_of(server) as client:
        for step, seen in zip(group.steps, recorded.seen[name], strict=True):
            target = step.target
            for old, new in moves:
                target = target.replace(old, new)
            assert ask(client, Step(step.method, target, step.body, step.answer), f"/{name}/@moved") == seen


@each_group
def test_each_path_leads_to_its_host(group: Group):
    for step in group.steps:
        upstream = Router().upstream_of(step.path, parse_route(step.path))

        assert (upstream.host, upstream.port, upstream.scheme) == (group.host, 443, "https")
        assert Router().allows(group.host, 443)


@each_group
def test_only_what_generates_is_judged(recorded: Run, group: Group):
    """And what was asked here is sound: nothing is found in it."""
    with Cassette.read(recorded.folder / (NAMES[group.name] + SUFFIX)) as cassette:
        entries = list(cassette.entries())
        judge = Judge()
        assert [item for entry in entries for item in judge.judge(entry)] == []

    assert [entry.route.generates for entry in entries] == [step.judged for step in group.steps]


CONTENTS = [
    step
    for group in GROUPS
    for step in group.steps
    if step.method == "POST" and not ({"openai", "endpoints", "tunedModels"} & set(step.path.split("/")))
]
"""What could have contents for a model that is known to be strict."""


@pytest.mark.parametrize("step", CONTENTS, ids=lambda step: step.target)
def test_a_lost_signature_is_found_where_it_is_judged_and_nowhere_else(step: Step):
    history = [user("a"), calls(call("f")), results(result("f", {}))]
    faulty = {"contents": history, "tools": tools_for(history)}
    body = {"model": "gemini-3-pro", "request": faulty} if "v1internal" in step.path else faulty
    asked = Request("POST", step.path.replace("/m:", "/gemini-3-pro:"), body=json.dumps(body).encode())
    with Cassette.temporary() as cassette:
        found = {item.rule for item in Judge().judge(cassette.add(Exchange(asked)))}

    assert ("missing-signature" in found) is step.judged


@each_group
def test_no_secret_is_stored_and_paths_are_as_sent(recorded: Run, group: Group):
    path = recorded.folder / (NAMES[group.name] + SUFFIX)
    with Cassette.read(path) as cassette:
        entries = list(cassette.entries())

    stored = path.read_bytes()
    assert KEY.encode() not in stored
    assert TOKEN.encode() not in stored
    assert b"payer" not in stored
    asked = [f"{entry.path}?{entry.query}" if entry.query else entry.path for entry in entries]
    assert asked == [step.target for step in group.steps]


SECRETS: dict[str, tuple[Step, ...]] = {
    "ephemeral token": post("/v1alpha/auth_tokens", {"uses": 1}, {"name": "auth_tokens/abc-DEF_123"}),
    "token of an interaction": (
        *post("/v1beta/interactions/v1_a/auth_tokens", {}, {"auth_token": "tok_abc-DEF_123"}),
        *get("/v1beta/interactions/v1_a/auth_tokens/tok_abc-DEF_123", {}, method="DELETE"),
    ),
    "webhook": post("/v1beta/webhooks", {"name": "w"}, {"id": "w1", "new_signing_secret": "abc-DEF_123"}),
    "rotated": post("/v1beta/webhooks/w1:rotateSigningSecret", {}, {"signing_secret": "abc-DEF_123"}),
    "credential": post("/v1beta/credentials", {"id": "c1", "type": "bearer_token", "token": "abc-DEF_123"}, {"id": "c1"}),
    "variable": post("/v1beta/credentials", {"id": "c2", "type": "environment_variable", "value": "abc-DEF_123"}, {"id": "c2"}),
    "mcp server": post("/v1beta/interactions", {"input": "a", "tools": [{"type": "mcp_server", "headers": {"x": "abc-DEF_123"}}]}, {"id": "v1_a"}),
}  # fmt: skip


def test_what_is_secret_by_its_place_is_not_stored_and_replayed_without(tmp_path: Path):
    with Upstream() as upstream:
        seen = record(tmp_path, upstream, SECRETS)

    for name, steps in SECRETS.items():
        assert b"abc-DEF_123" not in (tmp_path / f"{name}{SUFFIX}").read_bytes()
        with serve(tmp_path / f"{name}{SUFFIX}") as server, client_of(server) as client:
            for step, before in zip(steps, seen[name], strict=True):
                again = ask(client, step)
                assert again.status == 200
                assert again.body == before.body.replace(b"auth_tokens/abc-DEF_123", b"REDACTED").replace(
                    b"tok_abc-DEF_123", b"REDACTED"
                ).replace(b"abc-DEF_123", b"REDACTED")


def test_a_replayed_name_leads_on_and_another_is_explained(server: Server):
    """Names that the recording issued count as they are."""
    prefix = f"/{NAMES[BATCHES.name]}/@names"
    with client_of(server) as client:
        issued = client.post(f"{prefix}{GROUPS[3].steps[0].target}", json=GROUPS[3].steps[0].body).json()[
            "name"
        ]
        polled = client.get(f"{prefix}/v1beta/{issued}")
        wrong = client.get(f"{prefix}/v1beta/batches/b9")

    assert polled.status_code == 200
    assert wrong.status_code == 412
    assert 'the resource differs: recorded "batches/b1", got "batches/b9"' in wrong.json()["error"]["message"]


def test_base_url_without_a_version_is_enough_for_a_replay(server: Server):
    """As some clients ask where the base URL has none; while recording they are told to add it."""
    with client_of(server) as client:
        got = client.get(f"/{NAMES['Models']}/@bare/models/a")
        said = client.post(f"/{NAMES[GROUPS[0].name]}/@bare/models/gemini-3-pro:generateContent", json=PROMPT)

    assert (got.status_code, said.status_code) == (200, 200)


@pytest.mark.parametrize("target", LIVE)
def test_websocket_handshake_is_refused_in_one_line_at_both_doors(tmp_path: Path, recorded: Run, target: str):
    """Also below a prefix, and by its path where nothing asks for an upgrade."""
    headers = (
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: eA==",
    )
    path, _, query = target.partition("?")
    with ExitStack() as stack:
        upstream = stack.enter_context(Upstream(unary(b"{}")))
        proxy = stack.enter_context(proxied(tmp_path / "new", upstream.url, folder=True))
        replay = stack.enter_context(serve(recorded.folder))
        for url in (proxy.url, replay.url):
            with Wire(f"{url}/group-1") as wire:
                seen = wire.ask(Request("GET", path, query), *headers)
            error = json.loads(seen.body)["error"]
            assert (seen.status, error["code"], error["status"]) == (501, 501, "UNIMPLEMENTED")
            assert error["message"].startswith("gemtape: gemtape does not record or replay WebSocket traffic")
            assert "\n" not in error["message"]
        assert upstream.requests == []
        assert [line for line in proxy.lines if KEY in line] == []
    assert not (tmp_path / "new" / "group-1.db").exists()


def test_live_action_of_a_model_is_refused_as_well(server: Server):
    with client_of(server) as client:
        answer = client.post("/group-1/v1beta/models/m:bidiGenerateContent", json={})

    assert answer.status_code == 501


def test_documentation_has_this_table():
    """If this fails, put what `tests.endpoints.table()` gives into docs/endpoints.md."""
    assert table() in (DOCS / "endpoints.md").read_text(encoding="utf-8")
