"""The addon in a mitmproxy that knows nothing of gemtape but this file."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.store import Cassette
from gemtape.proxy import addon_file
from tests.processes import Program, program
from tests.proxied import proxied, stored
from tests.proxy.test_addon import BODY, SSE, UNARY, event
from tests.upstream import HANG_UP, Upstream, stream, unary

FILE = Path(addon_file.__file__)


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


def mitmdump(tmp_path: Path, upstream: Upstream, port: int, *settings: str):
    options = [word for setting in settings for word in ("--set", setting)]
    mode = f"reverse:{upstream.url}@127.0.0.1:{port}"
    return program("mitmdump", "--mode", mode, "-s", FILE, *options, cwd=tmp_path)


def talk(url: str, upstream: Upstream) -> None:
    """The same exchanges, whichever proxy they pass."""
    upstream.answers += [
        unary(event("a", "STOP")[6:]),
        stream(event("a"), event("b", "STOP"), framing="length"),
        unary(b"{}", 503),
        unary(b'{"cut', framing="close"),
    ]
    with httpx.Client(base_url=url, trust_env=False, timeout=20) as client:
        for path in (UNARY, SSE, UNARY, UNARY):
            client.post(path, json=BODY, headers={"x-goog-api-key": "SECRET"})


def when_up(mitm: Program, port: int) -> str:
    """Its own log goes to stdout, so it is up when it answers."""
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            mitm.pause()
        else:
            return f"http://127.0.0.1:{port}"
    pytest.fail(f"mitmdump does not listen: {mitm.said}")


def test_same_exchanges_as_our_own_proxy(tmp_path, upstream, port):
    with mitmdump(tmp_path, upstream, port, "gemtape=stock.db") as mitm:
        talk(when_up(mitm, port), upstream)
        assert mitm.end() == 0
        said, shown = mitm.said, mitm.output()
    with proxied(tmp_path / "own.db", upstream.url) as proxy:
        talk(proxy.url, upstream)

    def values(name: str) -> list[tuple]:
        return [
            (e.request.path, e.request.query, e.request.body, e.request.upstream, e.status, e.failure,
             e.response.body, e.response.headers, e.response.cut)
            for e in stored(tmp_path / name)
        ]  # fmt: skip

    assert len(values("stock.db")) == 4
    assert values("stock.db") == values("own.db")
    assert said.count("generateContent  200") == 2
    assert "stock.db: 4 exchanges" in said
    assert "Traceback" not in said + shown
    assert "SECRET" not in said + shown


def test_failure_has_our_error_page(tmp_path, upstream, port):
    upstream.answers.append(lambda _: [HANG_UP])
    with mitmdump(tmp_path, upstream, port, "gemtape=tapes/") as mitm:
        url = when_up(mitm, port)
        with httpx.Client(base_url=url, trust_env=False, timeout=20) as client:
            failed = client.post(f"/happy{UNARY}", json=BODY)
            refused = client.post(UNARY, json=BODY)
        mitm.end()

    assert failed.status_code == 502
    assert failed.json()["error"]["status"] == "UNAVAILABLE"
    assert refused.status_code == 400
    assert len(stored(tmp_path / "tapes" / "happy.db")) == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ([], "name a cassette with --set gemtape=FILE"),
        (["gemtape=run.db"], "run.db exists already"),
        (["gemtape=notes.txt"], "notes.txt"),
    ],
)
def test_without_a_cassette_to_record_into_it_does_not_run(tmp_path, upstream, port, settings, words):
    """Else traffic would pass unrecorded."""
    (tmp_path / "notes.txt").write_text("not yours")
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as client:
        client.post(UNARY, json=BODY)
    with mitmdump(tmp_path, upstream, port, *settings) as mitm:
        code = mitm.wait()
        shown = mitm.said + mitm.output()

    assert code == 1
    assert words in shown
    assert len(stored(tmp_path / "run.db")) == 1


def test_forward_listener_would_pass_traffic_unrecorded(tmp_path, port):
    mode = f"regular@127.0.0.1:{port}"
    with program("mitmdump", "--mode", mode, "-s", FILE, "--set", "gemtape=run.db", cwd=tmp_path) as mitm:
        assert mitm.wait() == 1
        assert "only reverse listeners" in mitm.said + mitm.output()


def test_requests_are_checked_as_in_record(tmp_path, upstream, port):
    call = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    orphan = {"contents": [*BODY["contents"], call]}
    with mitmdump(tmp_path, upstream, port, "gemtape=run.db") as mitm:
        httpx.post(when_up(mitm, port) + UNARY, json=orphan, trust_env=False)
        mitm.end()

    assert "missing-signature" in mitm.said
    with Cassette.read(tmp_path / "run.db") as cassette:
        assert "missing-signature" in {rule for _, rule, _ in cassette.stored_violations()}


def test_existing_cassette_as_in_record(tmp_path, upstream, port):
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as client:
        client.post(UNARY, json=BODY)
    with mitmdump(tmp_path, upstream, port, "gemtape=run.db", "gemtape_existing=append") as mitm:
        httpx.post(when_up(mitm, port) + UNARY, json=BODY, trust_env=False)
        mitm.end()

    assert len(stored(tmp_path / "run.db")) == 2


def test_new_conversations_as_in_record(tmp_path, upstream, port):
    with proxied(tmp_path / "run.db", upstream.url) as proxy:
        httpx.post(proxy.url + UNARY, json=BODY, trust_env=False, timeout=20)
    (tmp_path / "gemtape.toml").write_text('match-ignore = ["/generationConfig/seed"]')
    with mitmdump(tmp_path, upstream, port, "gemtape=run.db", "gemtape_existing=new") as mitm:
        url = when_up(mitm, port)
        seeded = {**BODY, "generationConfig": {"seed": 7}}
        for path, body in ((UNARY, seeded), (SSE, BODY)):
            assert httpx.post(url + path, json=body, trust_env=False, timeout=20).status_code == 200
        upstream.answers.append(unary(b"{}", 429))  # as in `gemtape record`, not kept
        other = {"contents": [{"role": "user", "parts": [{"text": "Something else."}]}]}
        assert httpx.post(url + UNARY, json=other, trust_env=False, timeout=20).status_code == 429
        assert mitm.end() == 0

    assert len(upstream.requests) == 3
    assert "replayed #1  gemini-3-pro  generateContent  200\n" in mitm.said
    assert "run.db: 1 exchanges, 1 replayed" in mitm.said
    assert len(stored(tmp_path / "run.db")) == 2
