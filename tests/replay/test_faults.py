"""Faults on demand: each comes once, before the recorded answer, in the API's own words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.lookup import Lookup, Repeat
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.replay.answering import Answering, Options, Reply, Verdict
from gemtape.replay.delivery import Chunks, Delivery
from gemtape.replay.faults import Fault, parse_fault
from gemtape.replay.server import serve
from tests.factories import answer_body, cassette_of, exchange, model_text, sse, unary, user
from tests.wire import Wire

SSE_PATH = "/v1beta/models/m:streamGenerateContent"
HELLO = exchange([user("hello")], model_text("hi"))
OTHER = exchange([user("other")], model_text("there"))
EVENTS = [answer_body(model_text(text)) for text in ("one", "two", "three")]
STREAM = exchange([user("stream")], sse(*EVENTS), path=SSE_PATH, query="alt=sse")
ASSIST = "/v1internal:streamGenerateContent"
VERTEX = "/v1/projects/p/locations/us-central1/publishers/google/models/m:generateContent"


@contextmanager
def playing(
    tmp_path: Path, *recorded: Exchange, faults: tuple[str, ...], **options: Any
) -> Iterator[Answering]:
    with Cassette.read(cassette_of(tmp_path / "run.db", recorded)) as cassette:
        chosen = Options(faults=tuple(map(parse_fault, faults)), **options)
        yield Answering(Lookup(cassette, chosen.repeat), chosen, "")


def ask(answering: Answering, item: Exchange, session: str = "") -> Reply:
    return answering.answer(answering.read(item.request), session)


def body(reply: Reply) -> bytes:
    return b"".join(chunk.data for chunk in reply.answer.chunks)


def statuses(answering: Answering, item: Exchange, count: int = 3) -> list[int]:
    return [ask(answering, item).answer.status for _ in range(count)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("cut-after=2", Fault(cut=2)),
        ("429", Fault(status=429)),
        ("503@2", Fault(status=503, exchange=2)),
        ("finish=MAX_TOKENS", Fault(finish="MAX_TOKENS")),
        ("finish=MALFORMED_FUNCTION_CALL@11", Fault(finish="MALFORMED_FUNCTION_CALL", exchange=11)),
    ],
)
def test_spelling(text: str, fault: Fault):
    assert parse_fault(text) == fault


@pytest.mark.parametrize(
    "text", ["", "418", "cut-after", "cut-after=0", "503@0", "503@", "finish=", "finish=max", "503 "]
)
def test_any_other_spelling_is_refused_with_those_that_there_are(text: str):
    with pytest.raises(SetupError, match="there are cut-after=EVENTS, 429, 500, 503, 504 and finish=REASON"):
        parse_fault(text)


def test_fault_comes_before_the_answer_of_every_exchange_and_no_exchange_is_used_up_by_it(tmp_path: Path):
    with playing(tmp_path, HELLO, OTHER, faults=("503",), repeat=Repeat.ONCE) as answering:
        assert statuses(answering, HELLO) == [503, 200, 412]
        assert statuses(answering, OTHER) == [503, 200, 412]
        verdicts = answering.tally().verdicts

    assert (verdicts[Verdict.FAULT], verdicts[Verdict.HIT], verdicts[Verdict.MISS]) == (2, 2, 2)


def test_fault_can_be_meant_for_one_exchange(tmp_path: Path):
    with playing(tmp_path, HELLO, OTHER, faults=("429@2",)) as answering:
        assert statuses(answering, HELLO) == [200, 200, 200]
        assert statuses(answering, OTHER) == [429, 200, 200]


def test_several_faults_come_in_the_given_order(tmp_path: Path):
    with playing(tmp_path, HELLO, faults=("503", "429", "504@1")) as answering:
        assert statuses(answering, HELLO, 5) == [503, 429, 504, 200, 200]


def test_every_session_has_its_faults_and_a_reset_brings_them_back(tmp_path: Path):
    with playing(tmp_path, HELLO, faults=("503",)) as answering:
        assert [ask(answering, HELLO, session).answer.status for session in ("a", "b", "a", "b")] == [
            503,
            503,
            200,
            200,
        ]
        answering.reset("a")
        assert [ask(answering, HELLO, session).answer.status for session in ("a", "b")] == [503, 200]


def test_equal_requests_keep_their_order(tmp_path: Path):
    answers = [exchange([user("hello")], model_text(text)) for text in ("first", "second")]
    with playing(tmp_path, *answers, faults=("503@1", "503@2"), repeat=Repeat.ONCE) as answering:
        replies = [ask(answering, answers[0]) for _ in range(4)]

    assert [(reply.number, reply.answer.status) for reply in replies] == [
        (1, 503),
        (1, 200),
        (2, 503),
        (2, 200),
    ]


@pytest.mark.parametrize(
    ("path", "query", "listed"),
    [
        ("/v1beta/models/m:generateContent", "", False),
        (SSE_PATH, "alt=sse", False),
        (SSE_PATH, "", True),
        (ASSIST, "alt=sse", True),
    ],
)
@pytest.mark.parametrize(
    ("status", "name", "words"),
    [
        (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        (503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    ],
)
def test_error_is_the_one_that_the_api_sends(
    tmp_path: Path, path: str, query: str, listed: bool, status: int, name: str, words: str
):
    """In a list where the API sends it in one."""
    item = exchange([user("a")], unary({}), path=path, query=query)
    with playing(tmp_path, item, faults=(str(status),)) as answering:
        reply = ask(answering, item)

    value = orjson.loads(body(reply))
    assert isinstance(value, list) is listed
    assert (value[0] if listed else value) == {"error": {"code": status, "message": words, "status": name}}
    assert b"x-should-retry" not in dict(reply.answer.headers), "a client is to try again"


def test_vertex_has_words_of_its_own(tmp_path: Path):
    item = exchange([user("a")], unary({}), path=VERTEX)
    with playing(tmp_path, item, faults=("429",)) as answering:
        assert b"error-code-429" in body(ask(answering, item))


@pytest.mark.parametrize("chunks", Chunks)
def test_stream_is_cut_after_an_event_whatever_its_pieces_are(tmp_path: Path, chunks: Chunks):
    assert STREAM.response
    ends = [len(chunk.data) for chunk in STREAM.response.chunks]
    wanted = STREAM.response.body[: sum(ends[:2])]
    with playing(tmp_path, STREAM, faults=("cut-after=2",), delivery=Delivery(chunks)) as answering:
        cut, whole = ask(answering, STREAM), ask(answering, STREAM)

    assert (body(cut), cut.answer.cut, cut.answer.status) == (wanted, True, 200)
    assert (body(whole), whole.answer.cut) == (STREAM.response.body, False)


def test_array_stream_is_cut_after_an_event(tmp_path: Path):
    item = exchange([user("a")], unary([{"a": 1}, {"b": 2}]), path=SSE_PATH)
    with playing(tmp_path, item, faults=("cut-after=1",)) as answering:
        reply = ask(answering, item)

    assert (body(reply), reply.answer.cut) == (b'[{"a": 1}, ', True)


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        (STREAM, "cut-after=4"),
        (HELLO, "cut-after=1"),
        (exchange([user("a")], path="/v1beta/models/m:countTokens"), "finish=MAX_TOKENS"),
        (exchange([user("a")], unary({"error": {}}, 500)), "finish=MAX_TOKENS"),
    ],
    ids=["fewer events", "no stream", "no generation", "no success"],
)
def test_fault_that_cannot_be_leaves_the_answer_as_recorded(tmp_path: Path, item: Exchange, fault: str):
    """The next one in line comes instead."""
    with playing(tmp_path, item, faults=(fault, "503")) as answering:
        replies = [ask(answering, item), ask(answering, item)]

    assert item.response
    assert [reply.answer.status for reply in replies] == [503, item.response.status]
    assert body(replies[1]) == item.response.body


def test_recovery_over_the_wire(tmp_path: Path):
    """503 first, then a cut stream, then all of it: what a client goes through that tries again."""
    options = Options(faults=(Fault(status=503), Fault(cut=1)))
    with serve(cassette_of(tmp_path / "run.db", [STREAM]), options=options) as server:
        seen = []
        for _ in range(3):
            with Wire(server.url) as wire:
                seen.append(wire.ask(STREAM))

    assert STREAM.response
    assert [(item.status, item.complete) for item in seen] == [(503, True), (200, False), (200, True)]
    assert seen[1].body == STREAM.response.chunks[0].data
    assert seen[2].body == STREAM.response.body
