"""Whatever the pieces are, the bytes are those that were recorded, and so is where they end."""

from __future__ import annotations

import asyncio
import json
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.answers import Answer, whole_answer
from gemtape.cassettes.models import Chunk, Exchange, Response
from gemtape.replay.answering import Options
from gemtape.replay.app import App
from gemtape.replay.deck import Deck
from gemtape.replay.delivery import Chunks, Delivery, cut_at, event_ends
from gemtape.replay.server import serve
from gemtape.replay.transport import ReplayTransport
from tests.captures import CAPTURES, capture_exchanges
from tests.factories import JSON, SSE, answer_body, cassette_of, exchange, model_text, sse, user
from tests.wire import Wire

STREAM = "/v1beta/models/m:streamGenerateContent"
EVENTS = [answer_body(model_text(text)) for text in ("Grüße ", "an \U0001f600 ", 'alle "hier"')]
ARRAY = b"[" + b"\n,\r\n".join(json.dumps(event, ensure_ascii=False).encode() for event in EVENTS) + b"\n]\n"
TEXT = b"".join(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\r\n\r\n" for event in EVENTS)


def streamed(body: bytes, kind: Any, size: int = 50, *, cut: bool = False) -> Answer:
    """An answer in pieces of some size, 10 ms apart."""
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    headers = tuple((name.encode(), value.encode()) for name, value in kind)
    return Answer(200, headers, tuple(Chunk(10 * at, data) for at, data in enumerate(pieces, 1)), cut)


def sent(answer: Answer) -> list[bytes]:
    return [chunk.data for chunk in answer.chunks]


FORMS = pytest.mark.parametrize(("body", "kind"), [(TEXT, SSE), (ARRAY, JSON)], ids=["sse", "array"])


@FORMS
@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("chunks", Chunks)
def test_bytes_and_end_are_as_recorded(body: bytes, kind: Any, cut: bool, chunks: Chunks):
    body = body[:-30] if cut else body
    answer = streamed(body, kind, cut=cut)

    delivered = Delivery(chunks).of(answer, 1)

    assert b"".join(sent(delivered)) == body
    assert all(sent(delivered))
    assert (delivered.status, delivered.headers, delivered.cut) == (200, answer.headers, cut)


def test_pieces_as_recorded_are_left_alone():
    answer = streamed(TEXT, SSE)

    assert Delivery().of(answer, 1) is answer


@FORMS
def test_one_piece_for_each_event(body: bytes, kind: Any):
    pieces = sent(Delivery(Chunks.EVENT).of(streamed(body, kind), 1))

    assert len(pieces) == 3
    for piece, event in zip(pieces, EVENTS, strict=True):
        assert json.loads(piece.removeprefix(b"data: ").strip(b"[],\r\n ")) == event


@FORMS
def test_event_that_was_cut_is_the_last_piece(body: bytes, kind: Any):
    ends = event_ends(body, kind[0][1])

    pieces = sent(Delivery(Chunks.EVENT).of(streamed(body[: ends[1] + 20], kind, cut=True), 1))

    assert pieces == [body[: ends[0]], body[ends[0] : ends[1]], body[ends[1] : ends[1] + 20]]


def test_what_follows_the_last_event_is_a_piece_of_its_own():
    body = b'data: {"a": 1}\n\ndata: [DONE]\n\n'

    assert sent(Delivery(Chunks.EVENT).of(streamed(body, SSE), 1)) == [
        b'data: {"a": 1}\n\n',
        b"data: [DONE]\n\n",
    ]


@FORMS
def test_one_write(body: bytes, kind: Any):
    assert sent(Delivery(Chunks.WHOLE).of(streamed(body, kind), 1)) == [body]


@FORMS
def test_hostile_cuts_are_inside_characters_escapes_and_line_ends(body: bytes, kind: Any):
    """In each of them, for any seed."""
    for seed in range(20):
        pieces = sent(Delivery(Chunks.HOSTILE, seed).of(streamed(body, kind), 1))
        edges = list(pairwise(pieces))

        assert any(right[0] & 0xC0 == 0x80 for _, right in edges), "inside a character"
        assert any(left[-1:] == b"\r" and right[:1] == b"\n" for left, right in edges), "inside CRLF"
        assert any(left[-1:] == b"\\" for left, _ in edges), "inside an escape"
        assert any(left[-1:] in b'{[,:"' for left, _ in edges), "inside JSON"


def test_hostile_cuts_are_those_of_their_seed_and_exchange():
    answer = streamed(TEXT, SSE)
    cuts = [
        sent(Delivery(Chunks.HOSTILE, seed).of(answer, number))
        for seed, number in ((1, 1), (1, 1), (2, 1), (1, 2))
    ]

    assert cuts[0] == cuts[1]
    assert cuts[0] != cuts[2] != cuts[3] != cuts[0]


def test_answer_that_was_no_stream_goes_out_whole():
    answer = whole_answer(200, JSON, b'{"a": "b"}')

    assert all(Delivery(chunks).of(answer, 1) is answer for chunks in Chunks)


def test_no_piece_is_sent_before_its_last_byte_came():
    chunks = (Chunk(10, b"ab"), Chunk(20, b"cd"), Chunk(30, b"ef"))

    assert cut_at(chunks, b"abcdef", [1, 2, 3, 5]) == (
        Chunk(10, b"a"), Chunk(10, b"b"), Chunk(20, b"c"), Chunk(30, b"de"), Chunk(30, b"f"),
    )  # fmt: skip


def test_pace_is_a_factor_on_the_recorded_times():
    answer = streamed(b"abcdef", SSE, 2)

    assert answer.waits_s == (0, 0, 0)
    assert Delivery(pace=1).of(answer, 1).waits_s == (0.01, 0.01, 0.01)
    assert Delivery(pace=0.5).of(answer, 1).waits_s == (0.005, 0.005, 0.005)
    assert Delivery(pace=2).of(whole_answer(200, JSON, b"{}", 50), 1).waits_s == (0.1,)


@given(
    st.binary(max_size=300), st.sampled_from([SSE, JSON]), st.sampled_from(list(Chunks)), st.integers(0, 99)
)
def test_no_byte_is_lost_whatever_the_bytes_are(body: bytes, kind: Any, chunks: Chunks, seed: int):
    delivered = Delivery(chunks, seed).of(streamed(body, kind, 7), 1)

    assert b"".join(sent(delivered)) == body
    assert all(sent(delivered))


STREAMS = [
    pytest.param(item, id=f"{path.stem}-{number}")
    for path in CAPTURES
    for number, item in enumerate(capture_exchanges(path), 1)
    if item.response and len(item.response.chunks) > 1
]


@pytest.mark.parametrize("item", STREAMS)
def test_captured_streams_in_every_form_over_the_wire(tmp_path: Path, item: Exchange):
    path = cassette_of(tmp_path / "run.db", [item])
    response = item.response
    assert response
    for chunks in Chunks:
        with (
            serve(path, options=Options(delivery=Delivery(chunks, seed=3))) as server,
            Wire(server.url) as wire,
        ):
            seen = wire.ask(item)
        assert (seen.body, seen.complete) == (response.body, not response.cut)
        if chunks is Chunks.WHOLE:
            assert len(seen.pieces) == 1
        elif chunks is Chunks.HOSTILE:
            assert len(seen.pieces) > len(response.chunks)


SLOW = exchange([user("slow")], sse(*EVENTS), path=STREAM)
TIMES = [0.01, 0.01, 0.01]


def test_server_waits_before_each_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []
    order: list[str] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        order.append("wait")

    async def send(message: Any) -> None:
        order.append(message["type"].rpartition(".")[2])

    async def receive() -> Any:
        return {"type": "http.request", "body": SLOW.request.body}

    deck = Deck(cassette_of(tmp_path / "run.db", [SLOW]), Options(delivery=Delivery(pace=1.0)))
    monkeypatch.setattr(asyncio, "sleep", sleep)
    scope = {"method": "POST", "raw_path": STREAM.encode(), "query_string": b"", "headers": []}

    asyncio.run(App(deck)(scope, receive, send))

    deck.close()
    assert waited == pytest.approx(TIMES)
    assert order == ["start", *["wait", "body"] * 3]


def test_transport_waits_as_the_server_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []
    path = cassette_of(tmp_path / "run.db", [SLOW])
    deck = Deck(path, Options(delivery=Delivery(pace=1.0)))
    monkeypatch.setattr("gemtape.replay.transport.time.sleep", waited.append)

    with httpx.Client(transport=ReplayTransport(deck)) as client:
        answer = client.post(f"http://x{STREAM}", content=SLOW.request.body)

    assert isinstance(SLOW.response, Response)
    assert answer.content == SLOW.response.body
    assert waited == pytest.approx(TIMES)


def test_async_transport_lets_others_run_while_it_waits(tmp_path: Path):
    deck = Deck(cassette_of(tmp_path / "run.db", [SLOW]), Options(delivery=Delivery(pace=1.0)))
    blocked = threading.Event()

    async def ask() -> bytes:
        async with httpx.AsyncClient(transport=ReplayTransport(deck)) as client:
            asyncio.get_running_loop().call_later(0.005, blocked.set)
            async with client.stream("POST", f"http://x{STREAM}", content=SLOW.request.body) as answer:
                async for first in answer.aiter_raw():
                    assert blocked.is_set()
                    return first
        raise AssertionError("nothing came")

    assert asyncio.run(ask()).startswith(b"data: ")
