"""A conversation is wholly from the cassette or wholly live: real clients, and an upstream that knows what reached it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from gemtape.cassettes.lookup import Repeat
from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.checks.config import Config
from gemtape.proxy.choosing import choosers
from gemtape.proxy.tape import Existing
from gemtape.proxy.tapes import Tapes
from tests.factories import (
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
from tests.proxied import Proxy, proxied, stored
from tests.upstream import Answer, Gate, Upstream
from tests.upstream import stream as streamed
from tests.upstream import unary as answering

OLD, LIVE = "EpwCCpkCAVSoXO4=", "EpwCCpkCAVSoXOAA"
TOOLS = [{"functionDeclarations": [{"name": "f", "description": "f"}]}]
DONE = results(result("f", {"ok": True}))
HOST = "https://generativelanguage.googleapis.com/v1beta/"


def first(text: str = "hello", signature: str = OLD, **more: Any) -> Exchange:
    return exchange([user(text)], calls(call("f", signature=signature)), tools=TOOLS, **more)


def second(text: str = "hello", signature: str | None = OLD, outcome: Any = DONE, **more: Any) -> Exchange:
    contents = [user(text), calls(call("f", signature=signature)), outcome]
    return exchange(contents, model_text("done"), tools=TOOLS, **more)


CONVERSATION = [first(), second()]
COOL = {"generationConfig": {"temperature": 0.1}}
"""Makes another request of the same contents."""


def answer(content: Any) -> Answer:
    return answering(json.dumps(answer_body(content)).encode())


def about(name: str, text: str = "sum up") -> Exchange:
    file = {"fileData": {"fileUri": HOST + name, "mimeType": "text/plain"}}
    return exchange([{"role": "user", "parts": [file, {"text": text}]}], model_text(f"of {name}"))


def plain(method: str, path: str, body: Any = None, response: Response | None = None) -> Exchange:
    data = b"" if body is None else json.dumps(body).encode()
    return Exchange(Request(method, path, body=data), response or unary({}), None, 1.0, 20)


class Mixed:
    """A proxy with `--mode new`, its upstream, and a client."""

    def __init__(self, proxy: Proxy, upstream: Upstream, client: httpx.Client) -> None:
        self.proxy = proxy
        self.upstream = upstream
        self._client = client

    def ask(self, item: Exchange, prefix: str = "") -> httpx.Response:
        request = item.request
        target = f"{prefix}{request.path}" + (f"?{request.query}" if request.query else "")
        headers = {"content-type": "application/json", **dict(request.headers)}
        return self._client.request(request.method, target, content=request.body, headers=headers)

    def reached(self, *items: Exchange, prefix: str = "") -> list[bool]:
        """Whether each of some requests went to the upstream, all of them being answered."""
        return [self._reached(item, prefix) for item in items]

    def refusal(self, item: Exchange, status: int = 412) -> str:
        """What is said of a request that gets no answer and is not sent."""
        before = len(self.upstream.requests)
        response = self.ask(item)
        assert (response.status_code, len(self.upstream.requests)) == (status, before)
        if status == 412:
            assert response.headers["x-should-retry"] == "false"
        return response.json()["error"]["message"]

    def _reached(self, item: Exchange, prefix: str) -> bool:
        before = len(self.upstream.requests)
        response = self.ask(item, prefix)
        assert response.status_code == 200, response.text
        return len(self.upstream.requests) > before


@contextmanager
def mixed(path: Path, *recorded: Exchange, default: Answer | None = None, **options: Any) -> Iterator[Mixed]:
    if recorded:
        cassette_of(path, recorded)
    live = default or answer(calls(call("f", signature=LIVE)))
    with (
        Upstream(live) as upstream,
        proxied(path, upstream.url, existing=Existing.NEW, **options) as proxy,
        proxy.client() as client,
    ):
        yield Mixed(proxy, upstream, client)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


def test_recorded_conversation_is_replayed_byte_for_byte_and_nothing_is_sent(path: Path):
    with mixed(path, *CONVERSATION) as door:
        responses = [door.ask(item) for item in CONVERSATION]
        [done] = door.proxy.stop()

        assert door.upstream.connections == 0
    for response, item in zip(responses, CONVERSATION, strict=True):
        assert item.response
        assert (response.status_code, response.content) == (200, item.response.body)
        assert response.headers["content-type"] == item.response.header("content-type")
    assert [line.split("  ")[0] for line in door.proxy.lines] == ["replayed #1", "replayed #2"]
    assert (done.exchanges, done.replayed) == (0, 2)
    assert len(stored(path)) == 2


def test_conversation_whose_first_request_is_unknown_goes_live_and_stays_live(path: Path):
    """Its second request has the match key of a recorded one, which leaves signatures out."""
    with mixed(path, *CONVERSATION) as door:
        assert door.reached(first(**COOL), second(signature=LIVE)) == [True, True]
        [done] = door.proxy.stop()

    assert [json.loads(request.body) for request in door.upstream.requests] == [
        first(**COOL).request.json,
        second(signature=LIVE).request.json,
    ]
    assert (done.exchanges, done.replayed) == (2, 0)
    assert [item.request.json for item in stored(path)[2:]] == [
        first(**COOL).request.json,
        second(signature=LIVE).request.json,
    ]


def test_miss_in_a_replayed_conversation_says_to_record_it_from_its_start(path: Path):
    with mixed(path, *CONVERSATION) as door:
        door.ask(CONVERSATION[0])
        message = door.refusal(second(outcome=results(result("f", {"ok": False}))))
        [done] = door.proxy.stop()

    assert "It goes on from exchange 1 of the cassette, so it was not sent" in message
    assert "The nearest recorded exchange is 2" in message
    assert message.endswith(
        f"from the start of its conversation, under a new name or with gemtape record --replace {path}"
    )
    assert door.proxy.lines[-1].startswith("REFUSED  412  It goes on from exchange 1")
    assert done.complaints.fails(None) is False
    [complaint] = done.complaints.paragraphs()
    assert complaint.startswith(
        "miss  request 2, POST /v1beta/models/gemini-3-pro-preview:generateContent: It"
    )
    assert len(stored(path)) == 2


def test_client_that_lost_the_recorded_answer_does_not_go_live(path: Path):
    with mixed(path, *CONVERSATION) as door:
        door.ask(CONVERSATION[0])
        door.refusal(exchange([user("hello"), user("and then?")], tools=TOOLS))


def test_two_conversations_at_once_each_stay_what_they_are(path: Path):
    recorded = [*CONVERSATION, first("other"), second("other")]
    with mixed(path, *recorded) as door:
        assert door.reached(first()) == [False]
        assert door.reached(first(**COOL)) == [True]
        assert door.reached(second(signature=LIVE)) == [True]
        assert door.reached(second(signature=OLD)) == [False]
        assert door.reached(first("other"), second("other")) == [False, False]


def test_first_request_of_a_live_conversation_goes_live_again(path: Path):
    """It is recorded by then, but in this run."""
    with mixed(path, *CONVERSATION) as door:
        assert door.reached(*[first("new")] * 3) == [True, True, True]
        door.proxy.stop()
    with mixed(path) as door:
        assert door.reached(*[first("new")] * 3) == [False, False, False]


@pytest.mark.parametrize(
    "other",
    [
        {"generationConfig": {"temperature": 0.1}},
        {"tools": [{"functionDeclarations": [{"name": "f", "description": "said anew"}]}]},
    ],
    ids=["settings", "declaration"],
)
@pytest.mark.parametrize("live_first", [True, False])
def test_twins_with_equal_words_stay_what_they_are(path: Path, other: dict[str, Any], live_first: bool):
    """A text without a signature, which other settings do not change, tells nothing of who gave it."""

    def talk(**more: Any) -> list[Exchange]:
        history = [user("hello"), model_text("Hi!"), user("next"), model_text("Hi!"), user("last")]
        return [
            exchange(history[:length], model_text("Hi!"), **{"tools": TOOLS, **more}) for length in (1, 3, 5)
        ]

    steps = list(zip(talk(), talk(**other), strict=True))
    with mixed(path, *talk(), default=answer(model_text("Hi!"))) as door:
        for recorded, live in steps:
            pair = [(live, True), (recorded, False)] if live_first else [(recorded, False), (live, True)]
            for item, goes_live in pair:
                assert door.reached(item) == [goes_live]


def test_live_conversation_stays_live_when_the_client_loses_a_signature(path: Path):
    """What the API says to that is for the client to see, though a sound twin of the request is recorded."""
    unsigned, done = calls(call("f", id="live")), results(result("f", {"ok": True}, id="live"))
    faulty = exchange([user("hello"), unsigned, done], tools=TOOLS)
    with mixed(
        path, *CONVERSATION, default=answer(calls(call("f", signature=LIVE, id="live"))), only_success=True
    ) as door:
        assert door.reached(first(**COOL)) == [True]
        door.upstream.answers.append(answering(b'{"error": {"code": 400}}', 400))
        assert door.ask(faulty).content == b'{"error": {"code": 400}}'
        door.proxy.stop()

        assert len(door.upstream.requests) == 2
    assert len(stored(path)) == 3


def test_conversation_begun_elsewhere_goes_live(path: Path):
    elsewhere = exchange([user("x"), model_text("y"), user("z")], model_text("w"))
    with mixed(path, *CONVERSATION) as door:
        assert door.reached(elsewhere) == [True]


def test_equal_first_requests_at_once_that_are_known_get_each_recorded_answer_once(path: Path):
    recorded = [exchange([user("same")], model_text(f"answer {number}")) for number in range(6)]
    with mixed(path, *recorded) as door, ThreadPoolExecutor(6) as pool:
        bodies = sorted(pool.map(lambda item: door.ask(item).content, recorded))
        again = door.ask(recorded[0]).content
        assert door.upstream.requests == []

    assert bodies == sorted(item.response.body for item in recorded if item.response)
    assert recorded[-1].response
    assert again == recorded[-1].response.body


def test_equal_first_requests_at_once_that_are_unknown_all_go_live(path: Path):
    """Each waits until all of them have arrived, so none can have been answered with what another recorded."""
    barrier = threading.Barrier(4, timeout=20)

    def together(_: Any) -> Iterator[object]:
        barrier.wait()
        yield from answer(model_text("live"))(_)

    with mixed(path, *CONVERSATION, default=together) as door, ThreadPoolExecutor(4) as pool:
        statuses = [found.status_code for found in pool.map(door.ask, [first("new")] * 4)]
        door.proxy.stop()

    assert statuses == [200] * 4
    assert len(stored(path)) == 6


def test_replay_while_a_live_answer_is_still_coming(path: Path):
    gate = Gate()
    event = b'data: {"candidates": []}\r\n\r\n'
    live = exchange([user("new")], path="/v1beta/models/m:streamGenerateContent", query="alt=sse")
    with (
        mixed(path, *CONVERSATION, default=streamed(event, event, gate=gate)) as door,
        ThreadPoolExecutor(1) as pool,
    ):
        coming = pool.submit(door.ask, live)
        while not door.upstream.requests:
            pass
        assert door.reached(*CONVERSATION) == [False, False]
        gate.open()
        gate.open()
        assert coming.result(20).content == event * 2
        door.proxy.stop()

    assert len(stored(path)) == 3


def test_history_that_the_api_would_refuse_is_refused_and_neither_served_nor_sent(path: Path):
    with mixed(path, *CONVERSATION) as door:
        door.ask(CONVERSATION[0])
        message = door.refusal(second(signature=None), status=400)
        [done] = door.proxy.stop()

    assert "missing a thought_signature" in message
    [complaint] = done.complaints.paragraphs()
    assert complaint.startswith("refused as the API would  request 2, POST")
    assert "REFUSED  400  missing-signature at /contents/1/parts/0" in door.proxy.lines[-1]


def test_known_history_from_elsewhere_is_not_sent_for_its_fault(path: Path):
    """Nothing that is recorded was issued for it, so only its match key makes it a recorded one."""
    with mixed(path, second()) as door:
        door.refusal(second(signature=None), status=400)
        assert door.reached(second()) == [False]


def test_violations_of_replayed_requests_are_told(path: Path):
    with mixed(path, *CONVERSATION) as door:
        assert door.reached(first(), second(signature="EpwCCpkCAVSoXOBB")) == [False, False]
        [done] = door.proxy.stop()

    assert door.proxy.lines[-1] == (
        "replayed #2  gemini-3-pro-preview  generateContent  200  1 error: altered-signature"
    )
    [complaint] = done.complaints.paragraphs()
    assert complaint.startswith("error  altered-signature at /contents/1/parts/0")


def test_recorded_failure_and_the_success_after_it_come_in_recorded_order(path: Path):
    busy = unary({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, 503)
    retried = [exchange([user("hello")], busy), exchange([user("hello")], model_text("hi"))]
    with mixed(path, *retried) as door:
        assert [door.ask(retried[0]).status_code for _ in range(3)] == [503, 200, 200]
        assert door.upstream.requests == []


def test_live_conversation_that_failed_is_tried_again_live(path: Path):
    with mixed(path, *CONVERSATION) as door:
        door.upstream.answers.append(answering(b"{}", 503))
        assert door.ask(first("new")).status_code == 503
        assert door.reached(first("new"), second("new", LIVE)) == [True, True]


def failing(status: int = 503) -> Answer:
    return answering(b'{"error": {}}', status)


def test_live_conversation_that_broke_off_is_taken_out_and_is_live_again_in_the_next_run(path: Path):
    with mixed(path, *CONVERSATION, only_success=True) as door:
        assert door.reached(first("new"), first("other")) == [True, True]
        door.upstream.answers.append(failing())
        assert door.ask(second("new", LIVE)).status_code == 503
        [done] = door.proxy.stop()

    assert (done.exchanges, done.broken) == (1, 1)
    assert [item.request.json for item in stored(path)] == [
        *(item.request.json for item in CONVERSATION),
        first("other").request.json,
    ]
    with mixed(path, only_success=True) as door:
        assert door.reached(first("new"), second("new", LIVE), *CONVERSATION) == [True, True, False, False]
        [done] = door.proxy.stop()
    assert (done.exchanges, done.broken) == (2, 0)


def test_conversation_that_goes_on_around_a_failure_is_taken_out_whole(path: Path):
    """In the next run the request that failed would come again, in its middle."""
    with mixed(path, *CONVERSATION, only_success=True) as door:
        assert door.reached(first("new")) == [True]
        door.upstream.answers.append(failing())
        assert door.ask(second("new", LIVE)).status_code == 503
        assert door.reached(second("new", LIVE, **COOL)) == [True]
        [done] = door.proxy.stop()

    assert (done.exchanges, done.broken) == (0, 2)
    assert len(stored(path)) == 2


@pytest.mark.parametrize("fails_first", [True, False])
def test_request_that_was_answered_after_all_breaks_nothing(path: Path, fails_first: bool):
    with mixed(path, *CONVERSATION, only_success=True) as door:
        assert door.reached(first("new")) == [True]
        fine = answer(model_text("done"))
        door.upstream.answers += [failing(), fine] if fails_first else [fine, failing()]
        assert {door.ask(second("new", LIVE)).status_code for _ in range(2)} == {200, 503}
        [done] = door.proxy.stop()

    assert (done.exchanges, done.broken) == (2, 0)


def test_recording_of_nothing_but_a_conversation_that_broke_off_leaves_no_file(path: Path):
    with mixed(path, only_success=True) as door:
        assert door.reached(first("new")) == [True]
        door.upstream.answers.append(failing())
        assert door.ask(second("new", LIVE)).status_code == 503
        door.proxy.stop()

    assert list(path.parent.iterdir()) == []


def test_stream_keeps_its_type_and_its_bytes_and_a_cut_one_is_cut(path: Path):
    where = {"path": "/v1beta/models/m:streamGenerateContent", "query": "alt=sse"}
    parts = [answer_body(model_text(text)) for text in ("one", "two")]
    whole = exchange([user("a")], sse(*parts), **where)
    cut = exchange([user("b")], sse(*parts, cut=True), **where)
    with mixed(path, whole, cut) as door:
        response = door.ask(whole)
        assert whole.response
        assert response.content == whole.response.body
        assert response.headers["content-type"] == "text/event-stream"
        with pytest.raises(httpx.RemoteProtocolError):
            door.ask(cut)
        assert door.reached(whole) == [False]


def test_exchange_without_an_answer_is_replayed_as_it_was_met(path: Path):
    gone = Exchange(first().request, None, Failure.CLIENT_GONE, 1.0, 20)
    reset = Exchange(first("other").request, None, Failure.RESET, 1.0, 20)
    with mixed(path, gone, reset) as door:
        with pytest.raises(httpx.RemoteProtocolError):
            door.ask(gone)
        assert door.ask(reset).status_code == 502
        assert door.upstream.requests == []


def test_other_requests_are_replayed_if_they_are_known_and_else_recorded(path: Path):
    counted = plain(
        "POST", "/v1beta/models/m:countTokens", {"contents": [user("a")]}, unary({"totalTokens": 1})
    )
    other = plain("POST", "/v1beta/models/m:countTokens", {"contents": [user("b")]})
    models = plain("GET", "/v1beta/models", None, unary({"models": []}))
    with mixed(path, counted, models) as door:
        assert door.reached(counted, models, other, other) == [False, False, True, True]
        door.proxy.stop()

    assert len(stored(path)) == 4


def test_what_the_cassette_issued_is_asked_of_nobody_else(path: Path):
    """Files, caches and operations of a recording are long gone, or somebody else's."""
    uploaded = plain(
        "POST", "/upload/v1beta/files", None, unary({"file": {"name": "files/a", "uri": HOST + "files/a"}})
    )
    started = plain(
        "POST", "/v1beta/models/veo:predictLongRunning", {}, unary({"name": "models/veo/operations/o"})
    )
    polls = [
        plain("GET", "/v1beta/models/veo/operations/o", None, unary({"done": done})) for done in (False, True)
    ]
    with mixed(path, uploaded, about("files/a"), started, *polls) as door:
        assert door.reached(uploaded, about("files/a"), started) == [False, False, False]
        assert [door.ask(polls[0]).json()["done"] for _ in range(3)] == [False, True, True]
        message = door.refusal(about("files/a", "another question"))
        door.refusal(plain("DELETE", "/v1beta/files/a"))
        door.refusal(plain("POST", "/v1beta/models/veo/operations/o:cancel", {}))

    assert "It names files/a, which was issued in the cassette, so it was not sent" in message


def test_what_was_issued_live_is_asked_of_who_issued_it(path: Path):
    """Although the same prompt about another file is recorded, and would do in a replay."""
    uploaded = plain("POST", "/upload/v1beta/files", None, unary({"file": {"name": "files/a"}}))
    new = Exchange(Request("POST", "/upload/v1beta/files", body=b"other bytes"), None)
    with mixed(path, uploaded, about("files/a"), about("files/mine")) as door:
        assert door.reached(about("files/theirs")) == [False]
        door.upstream.answers.append(answering(b'{"file": {"name": "files/b"}}'))
        assert door.reached(new, about("files/b"), plain("GET", "/v1beta/files/b")) == [True, True, True]


def test_live_conversation_cannot_use_what_the_cassette_issued(path: Path):
    cached = plain(
        "POST", "/v1beta/cachedContents", {"model": "models/m"}, unary({"name": "cachedContents/c"})
    )
    with mixed(path, cached) as door:
        assert door.reached(cached, first("new")) == [False, True]
        message = door.refusal(second("new", LIVE, cachedContent="cachedContents/c"))

    assert "It names cachedContents/c" in message


def test_bytes_of_an_upload_that_was_begun_in_the_cassette_are_never_sent(path: Path):
    stand_in = "gemtape-0123456789abcdef"
    leg = Exchange(
        Request("POST", "/upload/v1beta/files", f"upload_id={stand_in}", body=b"\xff\x00"), unary({})
    )
    other = Exchange(Request("POST", "/upload/v1beta/files", f"upload_id={stand_in}", body=b"\xff\x01"), None)
    live = Exchange(Request("POST", "/upload/v1beta/files", "upload_id=real", body=b"\xff\x00"), None)
    with mixed(path, leg) as door:
        assert door.reached(leg, live) == [False, True]
        assert "belongs to an upload that was begun in the cassette" in door.refusal(other)


def test_chat_completions_are_conversations_too(path: Path):
    hello, hi = {"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}

    def chat(*messages: dict[str, Any]) -> Exchange:
        body = {"model": "gemini-3-pro-preview", "messages": messages}
        said = {"choices": [{"message": hi, "finish_reason": "stop"}]}
        return plain("POST", "/v1beta/openai/chat/completions", body, unary(said))

    with mixed(path, chat(hello)) as door:
        assert door.reached(chat(hello)) == [False]
        message = door.refusal(chat(hello, hi, {"role": "user", "content": "next"}))
        assert door.reached(chat({"role": "user", "content": "new"})) == [True]

    assert "It goes on from exchange 1" in message


def test_folder_has_a_cassette_a_name_and_a_session_its_own_queues(tmp_path: Path):
    recorded = [exchange([user("same")], model_text(text)) for text in ("one", "two")]
    cassette_of(tmp_path / "a.db", recorded)
    with mixed(tmp_path, folder=True) as door:
        bodies = [door.ask(recorded[0], prefix).content for prefix in ("/a", "/a/@run1", "/a", "/a/@run1")]
        assert door.reached(recorded[0], prefix="/b") == [True]
        done = door.proxy.stop()

    texts = [item.response.body for item in recorded if item.response]
    assert bodies == [texts[0], texts[0], texts[1], texts[1]]
    assert [(item.path.name, item.exchanges, item.replayed) for item in done] == [
        ("a.db", 0, 4),
        ("b.db", 1, 0),
    ]
    assert door.proxy.lines[0].startswith("replayed a#1  ")
    assert door.proxy.lines[-1].startswith("b#1  ")


def test_configuration_decides_what_is_refused_and_what_a_miss_names(path: Path):
    cassette_of(path, CONVERSATION)
    config = Config(strict=False, ignore=("missing-signature",))
    make = choosers(config, "make record")
    tapes = Tapes(path, folder=False, existing=Existing.NEW, make_chooser=make)
    tapes.prepare()
    tape = tapes.tape("")

    served = tape.choose(second(signature=None).request, "")
    assert served is not None
    assert served.entry.number == 2
    assert "missing-signature" not in [violation.rule for violation in served.violations]
    with pytest.raises(Exception, match="with make record"):
        tape.choose(second(outcome=results(result("f", {"ok": False}))).request, "")
    tapes.finish()


def test_faulty_request_is_one_more_conversation_where_faults_are_served_and_each_answer_only_once(
    path: Path,
):
    cassette_of(path, [second()])
    make = choosers(Config(strict=False, repeat=Repeat.ONCE))
    tapes = Tapes(path, folder=False, existing=Existing.NEW, make_chooser=make)
    tapes.prepare()
    tape = tapes.tape("")

    faulty = second(signature=None).request
    assert [tape.choose(faulty, "") is not None for _ in range(2)] == [True, False]
    tapes.finish()
