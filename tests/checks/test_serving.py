"""Which recorded exchange answers a request, by what it asks and by what is wrong with it, and what is said without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from gemtape.cassettes.answers import Answer
from gemtape.cassettes.lookup import Lookup
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.checks.selection import Selection
from gemtape.checks.serving import Found, Serving
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
SIGNED = [user("a"), calls(call("f", signature=SIGNATURE)), results(result("f", {}))]
UNSIGNED = [user("a"), calls(call("f")), results(result("f", {}))]
REFUSED = unary({"error": {"code": 400, "message": "recorded", "status": "INVALID_ARGUMENT"}}, 400)
HOST = "https://generativelanguage.googleapis.com/v1beta/"


def about(name: str) -> Exchange:
    file = {"fileData": {"fileUri": HOST + name, "mimeType": "text/plain"}}
    return exchange([{"role": "user", "parts": [file, {"text": "sum up"}]}], model_text("short"))


@contextmanager
def serving(tmp_path: Path, *recorded: Exchange, **options: Any) -> Iterator[Serving]:
    with Cassette.read(cassette_of(tmp_path / "run.db", recorded)) as cassette:
        yield Serving(Lookup(cassette), "gemtape record --replace run.db", **options)


def found(door: Serving, item: Exchange) -> Found | None:
    return door.find(door.read(item.request))


def message(answer: Answer) -> str:
    [chunk] = answer.chunks
    return orjson.loads(chunk.data)["error"]["message"]


def test_recorded_exchange_answers_and_answers_again(tmp_path: Path):
    with serving(tmp_path, HELLO) as door:
        assert [found(door, HELLO), found(door, HELLO)] == [Found(1, False, False), Found(1, True, False)]
        assert found(door, exchange([user("bye")])) is None


def test_answer_is_the_recorded_one_as_it_is_to_be_delivered(tmp_path: Path):
    asked: list[int] = []

    def delivered(answer: Answer, number: int) -> Answer:
        asked.append(number)
        return replace(answer, pace=2.0)

    with serving(tmp_path, HELLO, about("files/a"), delivered=delivered) as door:
        bodies = [door.answer(number).chunks[0].data for number in (1, 2, 1)]
        paces = {door.answer(number).pace for number in (1, 2)}

    assert HELLO.response
    assert bodies[0] == bodies[2] == HELLO.response.body != bodies[1]
    assert (paces, asked) == ({2.0}, [1, 2])


def test_names_made_elsewhere_are_left_out_and_the_answer_says_so(tmp_path: Path):
    with serving(tmp_path, about("files/a")) as door:
        other = door.read(about("files/b").request)
        taken = door.find(other)
        assert taken == Found(1, False, True)
        answer, note = door.served(other, taken)

    assert answer.header("x-gemtape-match") == "without names"
    assert note.startswith("matched without names")


def test_request_that_the_api_refuses_gets_its_refusal_and_not_the_answer_to_a_sound_one(tmp_path: Path):
    with serving(tmp_path, exchange(SIGNED, model_text("done"))) as door:
        faulty = door.read(exchange(UNSIGNED).request)
        sound = door.read(exchange(SIGNED).request)
        assert door.find(faulty) is None
        refusal = door.refused(faulty)
        assert door.refused(sound) is None
        assert door.find(sound) == Found(1, False, False)

    assert refusal is not None
    assert refusal.status == 400
    assert "thought_signature" in message(refusal)


def test_lenient_serves_it_and_says_so(tmp_path: Path):
    with serving(tmp_path, exchange(SIGNED, model_text("done")), lenient=True) as door:
        faulty = door.read(exchange(UNSIGNED).request)
        taken = door.find(faulty)
        assert taken == Found(1, False, False)
        assert door.refused(faulty) is None
        assert door.served(faulty, taken)[1].startswith("the API would refuse this: ")


def test_rules_that_are_not_selected_refuse_nothing(tmp_path: Path):
    with serving(tmp_path, selection=Selection(ignore=frozenset({"missing-signature"}))) as door:
        assert door.refused(door.read(exchange(UNSIGNED).request)) is None


def test_recorded_refusal_answers_the_same_fault_and_no_sound_request(tmp_path: Path):
    with serving(tmp_path, exchange(UNSIGNED, REFUSED)) as door:
        assert found(door, exchange(SIGNED)) is None
        assert found(door, exchange(UNSIGNED)) == Found(1, False, False)


def test_miss_says_why_it_can_be_answered_from_the_cassette_only(tmp_path: Path):
    with serving(tmp_path, HELLO) as door:
        answer, miss = door.missed(door.read(exchange([user("hullo")]).request), because="So it is.")

    words = message(answer)
    assert (answer.status, answer.header("x-should-retry")) == (412, "false")
    assert words.startswith("gemtape: no recorded answer for POST /v1beta/models/")
    assert "run.db. So it is. The nearest recorded exchange is 1" in words
    assert words.endswith(f"{miss.why}")
    assert words.endswith("record it again: gemtape record --replace run.db")
