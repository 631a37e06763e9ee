"""The replay server over real sockets: bytes, pieces, cuts, connections, starting and stopping."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import httpx
import orjson
import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response
from gemtape.replay.answering import Reply, Verdict
from gemtape.replay.deck import Asked
from gemtape.replay.server import Server, serve
from tests.factories import JSON, SSE, answer_body, cassette_of, exchange, model_text, sse, user
from tests.wire import Wire

STREAM = "/v1beta/models/m:streamGenerateContent"
HELLO = exchange([user("hello")], model_text("hi"))
EVENTS = [answer_body(model_text(text)) for text in ("Grü", "ße", "!")]
STREAMED = exchange([user("stream")], sse(*EVENTS), path=STREAM, query="alt=sse")
CUT = exchange([user("cut")], sse(*EVENTS[:2], cut=True), path=STREAM, query="alt=sse")
ODD = replace(
    STREAMED,
    request=exchange([user("odd")], path=STREAM, query="alt=sse").request,
    response=Response(200, SSE, (Chunk(1, b'data: {"a": "\xc3'), Chunk(1, b'\xbc"}\r'), Chunk(2, b"\n\r\n"))),
)
ARRAY = exchange(
    [user("array")],
    Response(200, JSON, (Chunk(0, b'[{"a": 1}'), Chunk(5, b",\r\n"), Chunk(9, b"{}]"))),
    path=STREAM,
)


def without_answer(text: str, failure: Failure | None, response: Response | None = None) -> Exchange:
    return Exchange(exchange([user(text)]).request, response, failure)


CUT_UNARY = without_answer(
    "cut unary", Failure.RESET, Response(200, JSON, (Chunk(1, b'{"candid'),), cut=True)
)
CUT_AT_ONCE = without_answer("cut at once", Failure.RESET, Response(200, SSE, (), cut=True))
GONE = without_answer("gone", Failure.CLIENT_GONE)
TIMEOUT = without_answer("timeout", Failure.TIMEOUT)
ALL = [HELLO, STREAMED, CUT, ODD, ARRAY, CUT_UNARY, CUT_AT_ONCE, GONE, TIMEOUT]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    path = cassette_of(tmp_path_factory.mktemp("server") / "run.db", ALL)
    with serve(path) as running:
        yield running


@pytest.fixture
def wire(server: Server):
    with Wire(server.url) as connection:
        yield connection


def test_unary_answer_comes_in_one_piece_byte_for_byte(wire: Wire):
    seen = wire.ask(HELLO)

    assert HELLO.response
    assert (seen.status, seen.pieces, seen.complete) == (200, [HELLO.response.body], True)
    assert seen.headers == {
        "content-type": "application/json; charset=UTF-8",
        "content-length": str(len(HELLO.response.body)),
    }


@pytest.mark.parametrize("item", [STREAMED, ODD, ARRAY], ids=["sse", "cut inside a character", "array"])
def test_stream_comes_in_the_http_chunks_that_were_recorded(wire: Wire, item: Exchange):
    seen = wire.ask(item)

    assert item.response
    assert seen.pieces == [chunk.data for chunk in item.response.chunks]
    assert seen.complete
    assert seen.headers["transfer-encoding"] == "chunked"


@pytest.mark.parametrize("item", [CUT, CUT_UNARY, CUT_AT_ONCE], ids=["stream", "unary", "before the body"])
def test_cut_answer_ends_with_the_connection_and_without_an_end(wire: Wire, item: Exchange):
    seen = wire.ask(item)

    assert item.response
    assert (seen.status, seen.pieces) == (200, [chunk.data for chunk in item.response.chunks])
    assert not seen.complete
    assert wire.ended()


@pytest.mark.parametrize("item", [CUT, CUT_UNARY, CUT_AT_ONCE], ids=["stream", "unary", "before the body"])
def test_http_clients_see_the_cut(server: Server, item: Exchange):
    with (
        httpx.Client(base_url=server.url, trust_env=False) as client,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        client.post(item.request.path, params=item.request.query, content=item.request.body)


def test_what_came_before_a_cut_can_be_read(server: Server):
    """As google-genai reads a stream: line by line, until it breaks."""
    lines = []
    with (
        httpx.Client(base_url=server.url, trust_env=False) as client,
        client.stream("POST", CUT.request.path, params=CUT.request.query, content=CUT.request.body) as answer,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        lines.extend(line for line in answer.iter_lines() if line)

    assert [orjson.loads(line.removeprefix("data: ")) for line in lines] == EVENTS[:2]


def test_http_clients_get_each_recorded_piece_by_itself(server: Server):
    with (
        httpx.Client(base_url=server.url, trust_env=False) as client,
        client.stream("POST", ODD.request.path, params=ODD.request.query, content=ODD.request.body) as answer,
    ):
        pieces = list(answer.iter_raw())

    assert ODD.response
    assert pieces == [chunk.data for chunk in ODD.response.chunks]


def test_nobody_answers_where_the_client_had_left(wire: Wire):
    with pytest.raises(ConnectionError):
        wire.ask(GONE)


def test_time_out_of_the_upstream_is_504(wire: Wire):
    seen = wire.ask(TIMEOUT)

    assert (seen.status, orjson.loads(seen.body)["error"]["status"]) == (504, "DEADLINE_EXCEEDED")


def test_connection_is_kept_over_hits_misses_and_streams(wire: Wire):
    statuses = [wire.ask(item).status for item in (HELLO, STREAMED, exchange([user("new")]), HELLO)]

    assert statuses == [200, 200, 412, 200]


def test_connection_is_closed_where_the_client_asks_for_it(wire: Wire):
    assert wire.ask(HELLO, "connection: close").complete
    assert wire.ended()


def test_head_of_a_status_has_no_body(wire: Wire):
    seen = wire.ask(Request("HEAD", "/_gemtape/status"))

    assert (seen.status, seen.body) == (200, b"")
    assert wire.ask(HELLO).status == 200, "nothing was left on the connection"


def test_miss_reaches_the_client_with_its_headers(wire: Wire):
    seen = wire.ask(exchange([user("never recorded")]))

    assert (seen.status, seen.headers["x-should-retry"]) == (412, "false")
    assert seen.headers["content-type"].startswith("application/json")
    assert "no recorded answer" in orjson.loads(seen.body)["error"]["message"]


def test_websocket_upgrade_is_refused_in_one_line(wire: Wire, caplog: pytest.LogCaptureFixture):
    request = Request("GET", "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent")

    seen = wire.ask(request, "connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13")

    assert (seen.status, "WebSocket" in orjson.loads(seen.body)["error"]["message"]) == (501, True)
    assert caplog.records == []


def test_compressed_request_matches_what_was_recorded_without(wire: Wire):
    import gzip

    packed = replace(HELLO.request, body=gzip.compress(HELLO.request.body))

    assert wire.ask(packed, "content-encoding: gzip").status == 200


def test_request_that_is_no_http_is_refused_and_others_are_not(server: Server):
    with Wire(server.url) as broken:
        broken.send(b"\x16\x03\x01 tls?\r\n\r\n")
        assert broken.read().status == 400
    with Wire(server.url) as wire:
        assert wire.ask(HELLO).status == 200


def test_client_that_leaves_in_the_middle_of_its_request_harms_nobody(server: Server):
    with Wire(server.url) as leaving:
        leaving.send(b"POST /v1beta/models/m:generateContent HTTP/1.1\r\ncontent-length: 100\r\n\r\n{")
    with Wire(server.url) as wire:
        assert wire.ask(HELLO).status == 200


def test_large_bodies_pass_both_ways(tmp_path: Path):
    item = exchange([user("x" * 3_000_000)], model_text("y" * 3_000_000))
    with serve(cassette_of(tmp_path / "run.db", [item])) as server, Wire(server.url) as wire:
        seen = wire.ask(item)

    assert item.response
    assert seen.body == item.response.body


def test_concurrent_equal_requests_get_each_recorded_answer_once(tmp_path: Path):
    count = 64
    recorded = [exchange([user("same")], model_text(f"answer {number}")) for number in range(count)]

    async def ask_all(url: str) -> list[bytes]:
        limits = httpx.Limits(max_connections=count)
        async with httpx.AsyncClient(base_url=url, limits=limits, trust_env=False, timeout=60) as client:
            request = recorded[0].request
            answers = await asyncio.gather(
                *(client.post(request.path, content=request.body) for _ in range(count))
            )
        return [answer.content for answer in answers]

    with serve(cassette_of(tmp_path / "run.db", recorded)) as server:
        got = asyncio.run(ask_all(server.url))

    assert sorted(got) == sorted(item.response.body for item in recorded if item.response)


def test_every_request_is_told_with_its_reply(tmp_path: Path):
    heard: list[tuple[Asked, Reply]] = []
    path = cassette_of(tmp_path / "run.db", [HELLO])
    with (
        serve(path, heard=lambda asked, reply: heard.append((asked, reply))) as server,
        Wire(server.url) as wire,
    ):
        wire.ask(HELLO)
        wire.ask(exchange([user("new")]))

    assert [(asked.path, reply.verdict, reply.number) for asked, reply in heard] == [
        (HELLO.request.path, Verdict.HIT, 1),
        (HELLO.request.path, Verdict.MISS, 0),
    ]


def test_fault_of_our_own_is_an_error_that_no_client_retries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    with serve(cassette_of(tmp_path / "run.db", [HELLO])) as server, Wire(server.url) as wire:
        monkeypatch.setattr(server.deck, "answer", lambda *_: 1 / 0)
        seen = wire.ask(HELLO)

    assert (seen.status, "fault of gemtape" in orjson.loads(seen.body)["error"]["message"]) == (412, True)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert server.deck.verdicts()[Verdict.MISS] == 1


def test_server_can_be_started_and_stopped_many_times(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [HELLO])
    for _ in range(5):
        with serve(path) as server, Wire(server.url) as wire:
            assert wire.ask(HELLO).status == 200
        with pytest.raises(ConnectionError):
            Wire(server.url)
        assert not server.running


def test_stopping_closes_idle_and_busy_connections(tmp_path: Path):
    """One that waits between requests, and one in the middle of a request."""
    with serve(cassette_of(tmp_path / "run.db", [HELLO])) as server:
        idle, busy = Wire(server.url), Wire(server.url)
        idle.ask(HELLO)
        busy.ask(HELLO)
        busy.send(b"POST /v1beta/models/m:generateContent HTTP/1.1\r\ncontent-length: 100\r\n\r\n{")
    with idle, busy:
        assert idle.ended()
        assert busy.ended()


def test_stopping_twice_is_harmless_and_leaves_no_thread(tmp_path: Path):
    before = threading.active_count()
    server = serve(cassette_of(tmp_path / "run.db", [HELLO]))
    server.start()

    server.stop()
    server.stop()

    assert threading.active_count() == before


def test_server_that_was_never_started_can_be_stopped(tmp_path: Path):
    server = serve(cassette_of(tmp_path / "run.db", [HELLO]))

    server.stop()

    assert not server.running


def test_two_servers_of_one_cassette_run_side_by_side(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [HELLO])
    with serve(path) as one, serve(path) as other, Wire(one.url) as first, Wire(other.url) as second:
        assert (first.ask(HELLO).status, second.ask(HELLO).status) == (200, 200)
        assert one.deck.verdicts() == other.deck.verdicts()


def test_port_in_use_is_said(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [HELLO])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(
            SetupError, match=f"port {port} on 127.0.0.1 is in use: choose another with --port"
        ):
            serve(path, port=port)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "a" * 300])
def test_address_that_cannot_be_listened_on_is_said(tmp_path: Path, host: str):
    path = cassette_of(tmp_path / "run.db", [HELLO])

    with pytest.raises(SetupError, match="cannot listen on"):
        serve(path, host=host)


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("localhost", "localhost")])
def test_url_is_one_that_clients_can_use(tmp_path: Path, host: str, shown: str):
    with serve(cassette_of(tmp_path / "run.db", [HELLO]), host=host) as server:
        assert server.url.startswith(f"http://{shown}:")
        with Wire(server.url) as wire:
            assert wire.ask(HELLO).status == 200


def test_ipv6_address_stands_in_brackets(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [HELLO])
    try:
        server = serve(path, host="::1")
    except SetupError:
        pytest.skip("no IPv6 here")
    with server:
        assert server.url.startswith("http://[::1]:")
        assert httpx.get(server.url, trust_env=False).status_code == 200


def test_plain_event_loop_serves_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On some platforms there is no uvloop."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with serve(cassette_of(tmp_path / "run.db", ALL)) as server:
        for item in (STREAMED, CUT):
            with Wire(server.url) as wire:
                seen = wire.ask(item)
            assert item.response
            assert (seen.pieces, seen.complete) == ([c.data for c in item.response.chunks], item is STREAMED)


def test_other_users_of_uvicorn_keep_their_loggers(tmp_path: Path):
    access = logging.getLogger("uvicorn.access")
    handler = logging.NullHandler()
    access.addHandler(handler)
    try:
        with serve(cassette_of(tmp_path / "run.db", [HELLO])):
            pass
        assert handler in access.handlers
        assert access.propagate
    finally:
        access.removeHandler(handler)


def test_serving_imports_nothing_that_is_slow_and_not_needed(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [HELLO])
    script = (
        "import sys\nfrom gemtape.replay.server import serve\n"
        f"with serve({str(path)!r}): pass\n"
        "heavy = {'mitmproxy', 'httpx', 'h2', 'sqlite_utils', 'msgspec'}\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & heavy))"
    )

    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )

    assert run.stdout == "[]\n"


def test_a_page_that_bound_its_own_name_to_our_address_is_not_answered(tmp_path: Path):
    with serve(cassette_of(tmp_path / "run.db", [HELLO])) as server, Wire(server.url) as wire:
        wire.send(b"GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n")
        refused = wire.read("GET")
        answered = wire.ask(HELLO)

    assert (refused.status, answered.status) == (403, 200)
    assert "rebound.example" in orjson.loads(refused.body)["error"]["message"]
    assert "access-control-allow-origin" not in refused.headers
