"""Replay without a socket: the same answers and misses as the server's, through the clients of two libraries."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from gemtape.cassettes.errors import CassetteMissing, ConfigError, SetupError
from gemtape.cassettes.lookup import Repeat
from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response
from gemtape.replay.answering import Verdict
from gemtape.replay.deck import Deck
from gemtape.replay.server import serve
from gemtape.replay.transport import ReplayTransport
from tests.factories import (
    MODEL,
    SIGNATURE,
    SSE,
    answer_body,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    sse,
    unary,
    user,
)

HOST = "https://generativelanguage.googleapis.com"
STREAM = f"/v1beta/models/{MODEL}:streamGenerateContent"
HELLO = exchange([user("hello")], model_text("hi"))
EVENTS = [answer_body(model_text(text)) for text in ("Grü", "ße", "!")]
STREAMED = exchange([user("stream")], sse(*EVENTS), path=STREAM, query="alt=sse")
ODD = exchange(
    [user("odd")],
    Response(200, SSE, (Chunk(1, b'data: {"a": "\xc3'), Chunk(1, b'\xbc"}\r'), Chunk(2, b"\n\r\n"))),
    path=STREAM,
    query="alt=sse",
)
CUT = exchange([user("cut")], sse(*EVENTS[:2], cut=True), path=STREAM, query="alt=sse")
GONE = Exchange(exchange([user("gone")]).request, None, Failure.CLIENT_GONE)
TIMEOUT = Exchange(exchange([user("timeout")]).request, None, Failure.TIMEOUT)
BUSY = exchange([user("busy")], unary({"error": {"code": 503, "message": "busy"}}, 503))
EMPTY = exchange([user("empty")], Response(204))
STEP = [user("a"), calls(call("f", signature=SIGNATURE)), results(result("f", {}))]
UNSIGNED = [user("a"), calls(call("f")), results(result("f", {}))]
TOOL = exchange(STEP, model_text("done"))
ALL = [HELLO, STREAMED, ODD, CUT, GONE, TIMEOUT, BUSY, EMPTY, TOOL]

LIBRARIES = [
    "httpx",
    pytest.param(
        "httpx2",
        marks=pytest.mark.skipif(
            sys.version_info < (3, 12), reason="mitmproxy 11 pins an h11 too old for it"
        ),
    ),
]


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    pieces: list[bytes]
    error: str
    """The class of what ended the answer, with its module; empty where it came whole."""

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


class Client(NamedTuple):
    """A way of asking: a library, sync or async."""

    library: Any
    is_async: bool

    def ask(
        self, transport: ReplayTransport, item: Exchange | Request, base: str = HOST, **headers: str
    ) -> Got:
        request = item.request if isinstance(item, Exchange) else item
        made = self.library.Request(
            request.method,
            base + request.path + (f"?{request.query}" if request.query else ""),
            headers={**dict(request.headers), **headers},
            content=request.body,
        )
        got = self._ask_async(transport, made) if self.is_async else None
        return asyncio.run(got) if got else self._ask(transport, made)

    def _ask(self, transport: ReplayTransport, request: Any) -> Got:
        pieces: list[bytes] = []
        answer, error = None, ""
        with self.library.Client(transport=transport) as client:
            try:
                answer = client.send(request, stream=True)
                pieces.extend(answer.iter_raw())
            except self.library.TransportError as problem:
                error = name_of(problem)
        return got(answer, pieces, error)

    async def _ask_async(self, transport: ReplayTransport, request: Any) -> Got:
        pieces: list[bytes] = []
        answer, error = None, ""
        async with self.library.AsyncClient(transport=transport) as client:
            try:
                answer = await client.send(request, stream=True)
                async for piece in answer.aiter_raw():
                    pieces.append(piece)  # noqa: PERF401 - those before an error count
            except self.library.TransportError as problem:
                error = name_of(problem)
        return got(answer, pieces, error)


def name_of(problem: Exception) -> str:
    return f"{type(problem).__module__.partition('.')[0]}.{type(problem).__name__}"


def got(answer: Any, pieces: list[bytes], error: str) -> Got:
    return Got(answer.status_code if answer else 0, dict(answer.headers) if answer else {}, pieces, error)


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    return import_module(request.param)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def client(library: Any, request: pytest.FixtureRequest) -> Client:
    return Client(library, request.param)


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", ALL)


@pytest.fixture
def transport(cassette: Path):
    with ReplayTransport(cassette) as opened:
        yield opened


def test_unary_answer_comes_byte_for_byte(client: Client, transport: ReplayTransport):
    seen = client.ask(transport, HELLO)

    assert HELLO.response
    assert (seen.status, seen.pieces, seen.error) == (200, [HELLO.response.body], "")
    assert seen.headers == {
        "content-type": "application/json; charset=UTF-8",
        "content-length": str(len(HELLO.response.body)),
    }


@pytest.mark.parametrize("item", [STREAMED, ODD], ids=["sse", "cut inside a character"])
def test_stream_comes_in_the_pieces_that_were_recorded(
    client: Client, transport: ReplayTransport, item: Exchange
):
    seen = client.ask(transport, item)

    assert item.response
    assert seen.pieces == [chunk.data for chunk in item.response.chunks]
    assert seen.error == ""


def test_cut_stream_raises_what_the_library_raises_for_one(client: Client, transport: ReplayTransport):
    seen = client.ask(transport, CUT)

    assert CUT.response
    assert (seen.status, seen.pieces) == (200, [chunk.data for chunk in CUT.response.chunks])
    assert seen.error == f"{client.library.__name__}.RemoteProtocolError"


def test_request_that_nothing_answered_raises_too(client: Client, transport: ReplayTransport):
    seen = client.ask(transport, GONE)

    assert (seen.status, seen.error) == (0, f"{client.library.__name__}.RemoteProtocolError")


@pytest.mark.parametrize("item", [CUT, GONE], ids=["cut", "dropped"])
def test_errors_are_those_of_a_socket(cassette: Path, item: Exchange):
    """In the words of the library too, as users search for them."""
    said = []
    with serve(cassette) as server, ReplayTransport(cassette) as transport:
        for options in ({"base_url": server.url, "trust_env": False}, {"transport": transport}):
            with (
                httpx.Client(**{"base_url": HOST, **options}) as client,
                pytest.raises(httpx.RemoteProtocolError) as caught,
            ):
                client.post(item.request.path, params=item.request.query, content=item.request.body)
            said.append(str(caught.value))

    assert said[0] == said[1]


MISSING = exchange([user("hullo")])
FAULTY = exchange(UNSIGNED, tools=json.loads(TOOL.request.body)["tools"])
ASKED = [
    *ALL,
    HELLO,
    MISSING,
    FAULTY,
    Request("POST", "/", body=HELLO.request.body),
    Request("GET", "/v1beta/models"),
    Request("GET", "/"),
    Request("POST", "/refunds" + HELLO.request.path, "", HELLO.request.headers, HELLO.request.body),
    Request("POST", HELLO.request.path, "", (), b"\xff not JSON"),
]


def test_answers_and_misses_are_those_of_the_server(client: Client, cassette: Path):
    """Status, headers, bytes and error of every kind of answer; but for what frames a stream on a socket."""
    plain = Client(httpx, is_async=False)

    with serve(cassette) as server, ReplayTransport(cassette) as transport:
        over_a_socket = [plain.ask(httpx.HTTPTransport(), item, server.url) for item in ASKED]
        in_process = [client.ask(transport, item) for item in ASKED]

    for one, other in zip(over_a_socket, in_process, strict=True):
        one.headers.pop("transfer-encoding", None)
        assert (one.status, one.headers, one.body) == (other.status, other.headers, other.body)
        assert one.error.partition(".")[2] == other.error.partition(".")[2]
    assert {seen.status for seen in in_process} == {0, 200, 204, 400, 412, 503, 504}


def test_compressed_request_is_read(client: Client, transport: ReplayTransport):
    item = HELLO.request
    packed = Request(
        item.method, item.path, item.query, (("Content-Encoding", "gzip"),), gzip.compress(item.body)
    )

    assert client.ask(transport, packed).status == 200


def test_one_transport_serves_every_kind_of_client(library: Any, tmp_path: Path):
    """And they draw from one queue."""
    twice = [HELLO, exchange([user("hello")], model_text("hi again"))]
    with ReplayTransport(cassette_of(tmp_path / "run.db", twice)) as transport:
        bodies = [Client(library, is_async).ask(transport, HELLO).body for is_async in (False, True)]

    assert bodies == [item.response.body for item in twice if item.response]


def test_folder_and_session_are_chosen_by_the_path_of_the_base_url(client: Client, tmp_path: Path):
    cassette_of(tmp_path / "tapes/refunds/happy.db", [HELLO])
    with ReplayTransport(tmp_path / "tapes", repeat="once") as transport:
        statuses = [
            client.ask(transport, HELLO, HOST + prefix).status
            for prefix in ("/refunds/happy", "/refunds/happy", "/refunds/happy/@other", "/nothing", "")
        ]

    assert statuses == [200, 412, 200, 412, 412]


def test_deck_tells_what_was_asked(client: Client, transport: ReplayTransport):
    for item in (HELLO, HELLO, MISSING):
        client.ask(transport, item)

    [(_, tally)] = transport.deck.tallies()
    assert +Counter(tally.verdicts) == {Verdict.HIT: 1, Verdict.REPEAT: 1, Verdict.MISS: 1}
    assert tally.unused == tuple(range(2, len(ALL) + 1))


def test_open_deck_is_played_with_its_own_options(tmp_path: Path, client: Client):
    deck = Deck(cassette_of(tmp_path / "run.db", [HELLO]))
    heard = []
    with ReplayTransport(
        deck, heard=lambda asked, reply: heard.append((asked.path, reply.verdict))
    ) as transport:
        client.ask(transport, HELLO)

    assert transport.deck is deck
    assert heard == [(HELLO.request.path, Verdict.HIT)]


def test_closed_transport_opens_again(client: Client, transport: ReplayTransport):
    """Clients close their transport when they are closed, also one that others use."""
    first = client.ask(transport, HELLO)
    transport.close()

    assert client.ask(transport, HELLO).body == first.body


def test_forgotten_transport_closes_its_cassette(cassette: Path):
    transport = ReplayTransport(cassette)
    deck = transport.deck
    del transport

    assert not deck._players[""]._open


@pytest.mark.parametrize(
    ("written", "given", "statuses"),
    [
        ("", {}, [200, 200]),
        ("", {"repeat": "once"}, [200, 412]),
        ("", {"repeat": Repeat.ONCE}, [200, 412]),
        ('repeat = "once"', {}, [200, 412]),
        ('repeat = "once"', {"repeat": "last"}, [200, 200]),
    ],
)
def test_repeat_is_as_asked_for_else_as_configured(
    tmp_path: Path, monkeypatch, written: str, given: dict[str, Any], statuses: list[int]
):
    (tmp_path / "gemtape.toml").write_text(written)
    monkeypatch.chdir(tmp_path)
    client = Client(httpx, is_async=False)

    with ReplayTransport(cassette_of(tmp_path / "run.db", [HELLO]), **given) as transport:
        assert [client.ask(transport, HELLO).status for _ in range(2)] == statuses


def test_lenient_transport_serves_what_the_api_would_refuse(tmp_path: Path):
    cassette = cassette_of(tmp_path / "run.db", [TOOL])
    client = Client(httpx, is_async=False)
    with ReplayTransport(cassette) as strict, ReplayTransport(cassette, lenient=True) as lenient:
        assert client.ask(strict, FAULTY).status == 400
        assert client.ask(lenient, FAULTY).status == 200


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda folder: ReplayTransport(folder / "none.db"), CassetteMissing),
        (lambda folder: ReplayTransport(folder / "run.db", repeat="twice"), SetupError),
        (
            lambda folder: (folder / "gemtape.toml").write_text("x = 1") and ReplayTransport("run.db"),
            ConfigError,
        ),
    ],
    ids=["no cassette", "no such way to repeat", "broken configuration"],
)
def test_what_cannot_be_played_is_said_at_once(
    tmp_path: Path, monkeypatch, make: Callable[[Path], Any], error: type[Exception]
):
    cassette_of(tmp_path / "run.db", [HELLO])
    monkeypatch.chdir(tmp_path)

    with pytest.raises(error):
        make(tmp_path)


def test_request_of_another_library_is_refused(transport: ReplayTransport):
    class Foreign:
        method = "GET"
        url = httpx.URL(HOST)
        headers = httpx.Headers()

        def read(self) -> bytes:
            return b""

    with pytest.raises(TypeError, match="Foreign is no request of httpx or httpx2"):
        transport.handle_request(Foreign())


def test_64_requests_at_once_get_the_64_recorded_answers(library: Any, tmp_path: Path):
    recorded = [exchange([user("hello")], model_text(str(number))) for number in range(64)]
    cassette = cassette_of(tmp_path / "run.db", recorded)

    async def ask_all(transport: ReplayTransport) -> list[bytes]:
        async with library.AsyncClient(transport=transport, base_url=HOST) as client:
            asking = [client.post(HELLO.request.path, content=HELLO.request.body) for _ in recorded]
            return [answer.content for answer in await asyncio.gather(*asking)]

    with ReplayTransport(cassette, repeat="once") as transport:
        bodies = asyncio.run(ask_all(transport))

    assert Counter(bodies) == Counter(item.response.body for item in recorded if item.response)


def test_nothing_is_connected_to(client: Client, transport: ReplayTransport, monkeypatch):
    def connect(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect)

    assert [client.ask(transport, item).status for item in (HELLO, MISSING)] == [200, 412]


def test_neither_server_nor_clients_are_imported():
    """An HTTP server costs a tenth of a second, and httpx2 need not be there at all."""
    loaded = "import gemtape.replay.transport, sys; print({'uvicorn', 'httpx', 'httpx2'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)

    assert shown.stdout == "set()\n"
