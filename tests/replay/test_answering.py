"""Which answer a request gets: the recorded one, the API's refusal, or an explained miss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from gemtape.cassettes.lookup import Lookup, Repeat
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.replay.answering import Answering, Options, Reply, Verdict
from tests.chats import chat_exchange
from tests.factories import (
    SIGNATURE,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    unary,
    user,
)

HELLO = exchange([user("hello")], model_text("hi"))
STEP = [user("a"), calls(call("f", signature=SIGNATURE)), results(result("f", {}))]
UNSIGNED = [user("a"), calls(call("f")), results(result("f", {}))]
REFUSED = unary({"error": {"code": 400, "message": "recorded", "status": "INVALID_ARGUMENT"}}, 400)
BUSY = unary({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, 503)


@contextmanager
def playing(tmp_path: Path, *recorded: Exchange, **options: Any) -> Iterator[Answering]:
    path = cassette_of(tmp_path / "run.db", recorded)
    with Cassette.read(path) as cassette:
        chosen = Options(**options)
        yield Answering(Lookup(cassette, chosen.repeat), chosen, "gemtape record --replace run.db")


def ask(answering: Answering, item: Exchange, session: str = "") -> Reply:
    return answering.answer(answering.read(item.request), session)


def body(reply: Reply) -> bytes:
    return b"".join(chunk.data for chunk in reply.answer.chunks)


def error(reply: Reply) -> dict[str, Any]:
    return orjson.loads(body(reply))["error"]


def test_recorded_request_gets_its_answer(tmp_path: Path):
    with playing(tmp_path, HELLO) as answering:
        reply = ask(answering, HELLO)

    assert (reply.verdict, reply.number, reply.note) == (Verdict.HIT, 1, "")
    assert HELLO.response
    assert body(reply) == HELLO.response.body


def test_answer_served_again_is_a_repeat(tmp_path: Path):
    with playing(tmp_path, HELLO) as answering:
        verdicts = [ask(answering, HELLO).verdict for _ in range(3)]

    assert verdicts == [Verdict.HIT, Verdict.REPEAT, Verdict.REPEAT]


def test_miss_is_412_with_the_whole_advice_in_the_message(tmp_path: Path):
    with playing(tmp_path, HELLO) as answering:
        reply = ask(answering, exchange([user("hullo")]))

    found = error(reply)
    assert (reply.verdict, reply.number, reply.answer.status) == (Verdict.MISS, 0, 412)
    assert found["message"] == (
        "gemtape: no recorded answer for POST /v1beta/models/gemini-3-pro-preview:generateContent in "
        f"{tmp_path / 'run.db'}. The nearest recorded exchange is 1, which was not served yet: content 1 part 1 differs "
        'at text: recorded "hello", got "hullo" (kind: text; JSON Pointer: /contents/0/parts/0/text). If that differs '
        'in every run, match-ignore = ["/contents/0/parts/0/text"] leaves it out. If the request is '
        "meant to be as it is now, record it again: gemtape record --replace run.db"
    )
    assert (found["code"], found["status"]) == (412, "FAILED_PRECONDITION")
    assert dict(reply.answer.headers)[b"x-should-retry"] == b"false"
    (details,) = found["details"]
    assert details["metadata"] == {
        "cassette": str(tmp_path / "run.db"),
        "exchange": "1",
        "used": "false",
        "kind": "text",
        "pointer": "/contents/0/parts/0/text",
        "recorded": '"hello"',
        "got": '"hullo"',
    }


@pytest.mark.parametrize(
    ("item", "listed"),
    [
        (exchange([user("x")], path="/v1beta/models/m:streamGenerateContent"), True),
        (exchange([user("x")], path="/v1beta/models/m:streamGenerateContent", query="alt=sse"), False),
        (chat_exchange([{"role": "user", "content": "x"}]), False),
    ],
    ids=["array stream", "sse", "openai"],
)
def test_miss_of_an_array_stream_comes_in_a_list(tmp_path: Path, item: Exchange, listed: bool):
    """But never on the OpenAI path: its clients show nothing of an error in a list."""
    with playing(tmp_path, HELLO) as answering:
        reply = ask(answering, item)

    value = orjson.loads(body(reply))
    assert isinstance(value, list) is listed
    assert (value[0] if listed else value)["error"]["code"] == 412


def test_miss_names_the_violations_of_the_request(tmp_path: Path):
    mismatched = [
        *STEP[:1],
        calls(call("f", signature=SIGNATURE, id="one")),
        results(result("f", {}, id="two")),
    ]
    with playing(tmp_path, HELLO) as answering:
        reply = ask(answering, exchange(mismatched))

    assert " Violations of this request: mismatched-id at /contents/2/parts/0" in error(reply)["message"]


def test_one_request_too_many_is_a_miss_where_answers_are_served_once(tmp_path: Path):
    with playing(tmp_path, HELLO, repeat=Repeat.ONCE) as answering:
        ask(answering, HELLO)
        reply = ask(answering, HELLO)

    assert reply.verdict is Verdict.MISS
    assert "already used" in error(reply)["message"]


def test_faulty_history_is_refused_although_its_answer_is_at_hand(tmp_path: Path):
    with playing(tmp_path, exchange(STEP, model_text("done"))) as answering:
        reply = ask(answering, exchange(UNSIGNED))
        after = ask(answering, exchange(STEP))

    assert (reply.verdict, reply.answer.status, reply.number) == (Verdict.REJECTED, 400, 0)
    assert reply.note.startswith("missing-signature at /contents/1/parts/0: ")
    assert error(reply)["message"].startswith("Function call is missing a thought_signature")
    assert (after.verdict, after.number) == (Verdict.HIT, 1), "it was not taken out of its queue"


def test_faulty_history_that_was_never_recorded_is_refused(tmp_path: Path):
    with playing(tmp_path, HELLO) as answering:
        assert ask(answering, exchange(UNSIGNED)).verdict is Verdict.REJECTED


def test_recorded_answer_to_the_same_fault_is_ground_truth(tmp_path: Path):
    """The API took it once, whatever we think of it."""
    with playing(tmp_path, exchange(UNSIGNED, model_text("fine"))) as answering:
        reply = ask(answering, exchange(UNSIGNED))

    assert (reply.verdict, reply.answer.status) == (Verdict.HIT, 200)


def test_recorded_refusal_is_served_in_its_own_words(tmp_path: Path):
    with playing(tmp_path, exchange(UNSIGNED, REFUSED)) as answering:
        replies = [ask(answering, exchange(UNSIGNED)) for _ in range(2)]

    assert [error(reply)["message"] for reply in replies] == ["recorded", "recorded"]


def test_recorded_error_is_served_before_the_refusal(tmp_path: Path):
    with playing(tmp_path, exchange(STEP, BUSY), exchange(STEP, model_text("done"))) as answering:
        replies = [ask(answering, exchange(UNSIGNED)) for _ in range(2)]

    assert [reply.answer.status for reply in replies] == [503, 400]


def test_sound_request_does_not_get_the_refusal_of_a_faulty_one(tmp_path: Path):
    """Both have one match key: signatures are no part of it. The fix was recorded behind the fault."""
    recorded = [exchange(UNSIGNED, REFUSED), exchange(STEP, model_text("done"))]
    with playing(tmp_path, *recorded) as answering:
        sound = ask(answering, exchange(STEP))
        faulty = ask(answering, exchange(UNSIGNED))

    assert (sound.number, sound.answer.status) == (2, 200)
    assert (faulty.number, faulty.answer.status) == (1, 400)


def test_refusal_of_a_sound_request_is_served(tmp_path: Path):
    """The API said 400 for reasons of its own."""
    with playing(tmp_path, exchange(STEP, REFUSED)) as answering:
        assert ask(answering, exchange(STEP)).answer.status == 400


def test_errors_and_success_replay_in_recorded_order(tmp_path: Path):
    limited = unary({"error": {"code": 429, "message": "", "status": ""}}, 429)
    recorded = [exchange([user("a")], answer) for answer in (BUSY, limited, model_text("done"))]
    with playing(tmp_path, *recorded) as answering:
        statuses = [ask(answering, recorded[0]).answer.status for _ in range(4)]

    assert statuses == [503, 429, 200, 200]


def test_lenient_serves_what_the_api_would_refuse_and_says_so(tmp_path: Path):
    with playing(tmp_path, exchange(STEP, model_text("done")), lenient=True) as answering:
        reply = ask(answering, exchange(UNSIGNED))

    assert (reply.verdict, reply.answer.status) == (Verdict.HIT, 200)
    assert reply.note.startswith("the API would refuse this: ")


def test_lenient_miss_names_the_fault(tmp_path: Path):
    with playing(tmp_path, HELLO, lenient=True) as answering:
        reply = ask(answering, exchange(UNSIGNED))

    assert (reply.verdict, reply.answer.status) == (Verdict.MISS, 412)
    assert "Violations of this request: missing-signature" in error(reply)["message"]


def test_tally_counts_by_session_and_altogether(tmp_path: Path):
    with playing(tmp_path, HELLO, exchange([user("other")])) as answering:
        ask(answering, HELLO, "a")
        ask(answering, HELLO, "a")
        ask(answering, exchange(UNSIGNED), "a")
        ask(answering, exchange([user("new")]), "b")

        mine, other, total = answering.tally("a"), answering.tally("b"), answering.tally()

    assert list(mine.verdicts.values()) == [1, 1, 0, 1, 0]
    assert list(other.verdicts.values()) == [0, 0, 1, 0, 0]
    assert list(total.verdicts.values()) == [1, 1, 1, 1, 0]
    assert (mine.unused, other.unused, total.unused, total.exchanges) == ((2,), (1, 2), (2,), 2)


def test_reset_rewinds_a_session_and_keeps_the_total(tmp_path: Path):
    with playing(tmp_path, HELLO) as answering:
        ask(answering, HELLO, "a")
        answering.reset("a")

        assert answering.tally("a").verdicts[Verdict.HIT] == 0
        assert ask(answering, HELLO, "a").verdict is Verdict.HIT
        assert answering.tally().verdicts[Verdict.HIT] == 2


def test_requests_leave_nothing_behind_in_the_histories(tmp_path: Path):
    """A client that invents ids sends new contents with every run; a server may live for days."""
    with playing(tmp_path, HELLO) as answering:
        root = answering.lookup.cassette.turns.root(
            answering.read(HELLO.request).entry.layout.history.message
        )
        before = len(root.children)
        for number in range(5):
            known = answering.read(exchange([user(f"new {number}"), model_text("x"), user("y")]).request)
            answering.answer(known)
            known.let_go()

        assert len(root.children) == before


def test_answer_that_was_found_without_names_is_marked(tmp_path: Path):
    """One that was found as it is is not."""

    def about(name: str) -> Exchange:
        file = {"fileData": {"fileUri": f"https://host/v1beta/files/{name}"}}
        return exchange([{"role": "user", "parts": [file, {"text": "sum up"}]}], model_text("fine"))

    with playing(tmp_path, about("a")) as answering:
        literal, nameless = ask(answering, about("a")), ask(answering, about("b"))
        again = ask(answering, about("a"))

    assert (nameless.verdict, nameless.number, body(nameless)) == (Verdict.HIT, 1, body(literal))
    assert dict(nameless.answer.headers)[b"x-gemtape-match"] == b"without names"
    assert (
        nameless.note == "matched without names of files and caches, which were not issued in this cassette"
    )
    for reply in (literal, again):
        assert (b"x-gemtape-match" in dict(reply.answer.headers), reply.note) == (False, "")
