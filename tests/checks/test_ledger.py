from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.models import Failure
from gemtape.cassettes.routes import Surface
from gemtape.checks.clientside import client_digest
from gemtape.checks.faces import call_key, face_of
from gemtape.checks.ledger import MOST, Ledger, Record
from tests.checks.helpers import entries
from tests.checks.tape import SIGNATURES, Tape, celsius, signed, thought, weather
from tests.factories import MODEL, answer_body, call, calls, model_text, unary, user

S1, S2, S3, S4 = SIGNATURES


def remembered(tape: Tape) -> tuple[Ledger, list[Record]]:
    ledger = Ledger()
    return ledger, [ledger.remember(entry, 0) for entry in entries(tape.exchanges)]


def test_what_is_known_of_an_exchange():
    tape = Tape(surface="vertex")
    tape.ask([user("x")], weather(S1), at=3, takes=2)
    ledger, (record,) = remembered(tape)

    assert (record.number, record.model, record.surface) == (1, MODEL, Surface.VERTEX)
    assert (record.started_at, record.ended_at, record.returns) == (3.0, 5.0, True)
    assert record.parts == weather(S1)["parts"]
    assert ledger.records == {1: record}


def test_conversations_are_numbered():
    tape = Tape()
    for prompt in "xy":
        tape.ask([user(prompt)], model_text("A"))
    ledger, records = remembered(tape)
    (entry,) = entries(tape.exchanges[:1])
    continued = ledger.remember(entry, 2, continues=records[1])

    assert [record.conversation for record in records] == [1, 2]
    assert (continued.conversation, continued.continues, ledger.conversations) == (2, records[1], 2)


def test_answers_are_found_by_what_they_issued():
    tape = Tape()
    tape.ask([user("x")], calls(thought("hmm", S3), call("a", {"n": 1}, signature=S1, id="i"), call("b")))
    tape.ask([user("y")], calls(call("a", {"n": 1}, signature=S2, id="i")))
    tape.ask([user("z")], signed("A b", S1))
    ledger, (first, second, third) = remembered(tape)

    assert [(origin.record, origin.part) for origin in ledger.origins(S1)] == [(first, 1), (third, 0)]
    assert [origin.record for origin in ledger.ids("i")] == [first, second]
    assert ledger.origins(S3)[0].value["thought"]
    by_signature, by_id = ledger.by_signature(S1), ledger.ids("i")[-1]
    by_call = ledger.calls(call_key({"name": "a", "args": {"n": 1}}))[-1]
    assert by_signature is not None
    assert (by_signature.record, by_id.record, by_call.record) == (first, second, second)
    assert ledger.texts(face_of([{"text": "Ab"}]).text) == [third]


def test_what_was_not_issued_is_not_found():
    ledger, _ = remembered(Tape())

    assert ledger.by_signature(S1) is None
    assert ledger.ids("i") == []
    assert ledger.calls(call_key({"name": "a"})) == []
    assert ledger.asked_with(b"") == ledger.texts(b"") == []


def test_requests_are_found_by_the_clients_words():
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), first, celsius()], model_text("A"))
    tape.ask([user("x")], None, status=503)
    ledger, records = remembered(tape)

    assert ledger.asked_with(client_digest(records[0].history)) == [records[0], records[2]]
    assert ledger.asked_with(client_digest(records[1].history)) == [records[1]]


def test_requests_where_the_client_spoke_longer_may_be_left_out():
    """Digests do not tell ``a b`` from ``a``, an answer, ``b``."""
    tape = Tape()
    tape.ask([user("a"), user("b")], model_text("A"))
    tape.ask([user("a"), model_text("A"), user("b")], model_text("A"))
    ledger, (merged, apart) = remembered(tape)
    digest = client_digest(merged.history)

    assert ledger.asked_with(digest) == ledger.asked_with(digest, 2) == [merged, apart]
    assert ledger.asked_with(digest, 1) == [apart]


def test_only_the_latest_of_many_requests_are_looked_at():
    tape = Tape()
    for _ in range(MOST + 3):
        tape.ask([user("x")], model_text("A"))
    ledger, records = remembered(tape)

    assert ledger.asked_with(client_digest(records[0].history)) == records[3:]


def test_all_candidates_issue():
    body = answer_body(weather(S1))
    body["candidates"].append({"content": weather(S2, "Goa"), "index": 1})
    tape = Tape()
    tape.ask([user("x")], unary(body))
    ledger, (record,) = remembered(tape)

    assert record.variants == [weather(S1)["parts"], weather(S2, "Goa")["parts"]]
    (origin,) = ledger.origins(S2)
    assert (origin.variant, origin.value) == (1, record.variants[1][0])


def test_what_the_request_ended_with_comes_first_and_was_not_issued():
    tape = Tape()
    tape.ask([user("x"), signed("A", S1)], model_text("B"))
    ledger, (record,) = remembered(tape)

    assert record.prefill == signed("A", S1)["parts"]
    assert record.parts == [*signed("A", S1)["parts"], {"text": "B"}]
    assert ledger.origins(S1) == []


@pytest.mark.parametrize(
    ("answer", "returns"),
    [
        ({"answer": model_text("A")}, True),
        ({"answer": weather()}, True),
        ({"answer": calls({"inlineData": {"data": "AAAA"}})}, True),
        ({"answer": [model_text(""), model_text("A")]}, True),
        ({"answer": model_text("A"), "finish": "FINISH_REASON_UNSPECIFIED"}, True),
        ({"answer": model_text("A"), "finish": "MAX_TOKENS"}, False),
        ({"answer": weather(), "finish": "MALFORMED_FUNCTION_CALL"}, False),
        ({"answer": model_text("")}, False),
        ({"answer": calls({"thoughtSignature": S1})}, False),
        ({"answer": calls(thought("hmm"))}, False),
        ({"answer": {"role": "model", "parts": ["A"]}}, False),
        ({"answer": None, "status": 500}, False),
        ({"answer": None, "failure": Failure.REFUSED}, False),
        ({"answer": [model_text("A")], "cut": True}, False),
        ({"answer": [model_text("A")], "failure": Failure.CLIENT_GONE}, False),
        ({"answer": unary([{"candidates": []}, {"error": {"code": 500}}])}, False),
        ({"answer": unary("what?")}, False),
    ],
)
def test_which_answers_have_to_come_back(answer: dict[str, Any], returns: bool):
    tape = Tape()
    tape.ask([user("x")], **answer)
    _, (record,) = remembered(tape)

    assert record.returns is returns


def test_which_answers_came_back():
    tape = Tape()
    tape.ask([user("x")], model_text("A"))
    ledger, (record,) = remembered(tape)
    assert not ledger.came_back(record)

    ledger.note_return(record)
    assert ledger.came_back(record)
