"""A chat completion on its whole way: recorded and judged live, refused as the API would, reported, listed, replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gemtape.checks.config import Config
from gemtape.checks.live import checked_by, judges, strict_for
from gemtape.cli.main import gemtape
from gemtape.proxy.routing import Router, parse_upstream
from gemtape.proxy.run import Listener
from gemtape.proxy.tapes import Tapes
from gemtape.proxy.timeouts import Timeouts
from gemtape.replay.server import serve
from tests.captures import CAPTURES, capture_exchanges
from tests.chats import PATH, chat_exchange, deltas, streamed, whole
from tests.factories import SIGNATURE, cassette_of
from tests.proxied import Proxy, stored
from tests.upstream import SSE, Answer, Upstream, stream, unary
from tests.wire import Wire

QUESTION = {"role": "user", "content": "Weather in Pune?"}
CALL = {
    "id": "function-call-1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Pune"}'},
    "extra_content": {"google": {"thought_signature": SIGNATURE}},
}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
# What is left of a call where a stream's deltas are put together by hand.
UNSIGNED = {**CALLS, "tool_calls": [{key: value for key, value in CALL.items() if key != "extra_content"}]}
RESULT = {"role": "tool", "tool_call_id": "function-call-1", "content": '{"celsius": 31}'}
SAID = {"role": "assistant", "content": "31 degrees."}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "Tells the weather of a city."}}
]
AT = "/messages/1/tool_calls/0"
PAGE = Path(__file__).parents[1] / "docs" / "chat-completions.md"


def asking(*messages: Any) -> dict[str, Any]:
    return {"model": "gemini-3.5-flash", "stream": True, "messages": list(messages), "tools": TOOLS}


def answering(message: dict[str, Any]) -> Answer:
    return stream(*(chunk.data for chunk in streamed(*deltas(message)).chunks), content_type=SSE)


def proxy_for(target: Path, upstream: Upstream, *, enforce: bool = False) -> Proxy:
    router = Router(parse_upstream(upstream.url))
    strict = strict_for(Config()) if enforce else None
    tapes = Tapes(
        target, folder=False, make_judge=judges(Config()), checked_by=checked_by(), make_strict=strict
    )
    return Proxy(Listener("127.0.0.1", 0, router, Timeouts(), None), tapes)


def run(*arguments: object) -> str:
    return CliRunner().invoke(gemtape, list(map(str, arguments))).output


def test_a_stream_put_together_without_the_signature_is_told_as_it_is_recorded(tmp_path: Path):
    """Live, in the report, and in the list: one finding, at the call, as the page about it shows."""
    cassette = tmp_path / "run.db"
    with Upstream() as upstream:
        upstream.answers += [answering(CALLS), answering(SAID)]
        proxy = proxy_for(cassette, upstream)
        with proxy.client() as client:
            for messages in ([QUESTION], [QUESTION, UNSIGNED, RESULT]):
                assert client.post(PATH, json=asking(*messages)).status_code == 200
        proxy.stop()

    first, second = (line for line in proxy.lines if line.startswith("#"))
    assert "1 call (get_weather)" in first
    assert "missing-signature" not in first
    assert "missing-signature" in second
    report = run("report", cassette)
    assert "2 exchanges, 1 conversation" in report
    assert f"missing-signature  {AT}" in report
    assert f"```text\n{report.replace(str(cassette), 'run.db')}```" in PAGE.read_text(encoding="utf-8")
    assert "[get_weather]  calls get_weather" in run("log", cassette)
    assert '"tool_calls"' in run("show", cassette, 1)


def test_enforcing_refuses_it_in_the_apis_stead(tmp_path: Path):
    with Upstream() as upstream:
        upstream.answers += [answering(CALLS)]
        proxy = proxy_for(tmp_path / "run.db", upstream, enforce=True)
        with proxy.client() as client:
            assert client.post(PATH, json=asking(QUESTION)).status_code == 200
            refused = client.post(PATH, json=asking(QUESTION, UNSIGNED, RESULT))
        proxy.stop()
        asked = len(upstream.requests)

    assert refused.status_code == 400
    [refusal] = refused.json()
    assert refusal["error"]["status"] == "INVALID_ARGUMENT"
    assert (asked, len(stored(tmp_path / "run.db"))) == (1, 1)


def test_a_replay_is_no_kinder_than_the_api(tmp_path: Path):
    """What was recorded of a faithful client is not served to one that lost the signature, though both would match."""
    healthy = [
        chat_exchange([QUESTION], streamed(*deltas(CALLS)), tools=TOOLS),
        chat_exchange([QUESTION, CALLS, RESULT], whole(SAID), tools=TOOLS),
    ]
    lost = chat_exchange([QUESTION, UNSIGNED, RESULT], whole(SAID), tools=TOOLS)
    cassette = cassette_of(tmp_path / "run.db", healthy)
    with serve(cassette) as server, Wire(server.url) as wire:
        seen = [wire.ask(item) for item in (*healthy, lost)]

    assert [answer.status for answer in seen] == [200, 200, 400]
    [refusal] = json.loads(seen[2].body)
    assert "missing a thought_signature" in refusal["error"]["message"]


@pytest.mark.parametrize("stem", ["google-genai-py-interactions-create", "openai-py-compat-stream-parallel"])
def test_what_captured_clients_sent_is_left_in_peace(tmp_path: Path, stem: str):
    [path] = [item for item in CAPTURES if item.stem == stem]
    cassette = cassette_of(tmp_path / "run.db", capture_exchanges(path))

    report = json.loads(run("report", cassette, "--format", "json"))

    assert [item for item in report["violations"] if item["severity"] != "info"] == []


def test_interactions_are_recorded_and_no_conversation(tmp_path: Path):
    """Unary and as a stream: what comes after an interaction is none of the rules' business."""
    bodies = [{"model": "gemini-3-pro", "input": "Hi", "stream": streams} for streams in (False, True)]
    said = [
        unary(b'{"id": "v1_a", "outputs": []}'),
        stream(b'event: x\ndata: {"event_type": "interaction.start"}\n\n'),
    ]
    with Upstream() as upstream:
        upstream.answers += said
        proxy = proxy_for(tmp_path / "run.db", upstream, enforce=True)
        with proxy.client() as client:
            answers = [client.post("/v1beta/interactions", json=body) for body in bodies]
        proxy.stop()

    assert [answer.status_code for answer in answers] == [200, 200]
    assert "2 exchanges, 0 conversations" in run("report", tmp_path / "run.db")
    assert "0 errors, 0 warnings, 0 info" in run("report", tmp_path / "run.db")
    with serve(tmp_path / "run.db") as server, Wire(server.url) as wire:
        assert [wire.ask(item).status for item in stored(tmp_path / "run.db")] == [200, 200]
