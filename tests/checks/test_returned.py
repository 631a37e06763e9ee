from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.conversation import run_of
from gemtape.checks.ledger import Ledger, Record
from gemtape.checks.returned import Returned
from tests.checks.helpers import entries
from tests.checks.tape import SIGNATURES, Tape, thought
from tests.factories import call, calls, model_text, user

S1, S2, S3, S4 = SIGNATURES
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}


def record_of(issued: Any, *prefill: Any) -> Record:
    tape = Tape()
    tape.ask([user("x"), *prefill], issued)
    (entry,) = entries(tape.exchanges)
    return Ledger().remember(entry, 0)


def returned(issued: Any, *sent: Any, previous: Returned | None = None) -> Returned:
    record = previous.record if previous else record_of(issued)
    run = run_of(TurnTree().intern([user("x"), *sent], CONTENT))
    assert run is not None
    return Returned(record, 0, run, previous)


def pairs(answer: Returned) -> list[tuple[int, tuple[int, int] | None]]:
    """For each issued part, by its index, the content and part that came back for it."""
    return [(answer.issued.index(issued), at and (at.content, at.part)) for issued, at in answer.pairs]


def test_what_came_back_as_it_was_is_paired_in_order():
    issued = calls({"text": "A"}, call("a"), call("a"), PICTURE)

    assert pairs(returned(issued, issued)) == [(0, (1, 0)), (1, (1, 1)), (2, (1, 2)), (3, (1, 3))]


@pytest.mark.parametrize(
    ("issued", "sent", "expected"),
    [
        (
            [call("a", {"n": 1}, id="1"), call("a", {"n": 2}, id="2")],
            [call("a", {"n": 9}, id="2"), call("a", {"n": 8}, id="1")],
            [1, 0],
        ),
        ([call("a", {"n": 1}), call("a", {"n": 2})], [call("a", {"n": 2}), call("a", {"n": 1})], [1, 0]),
        (
            [call("a", {"n": 1}, signature=S1), call("a", {"n": 2})],
            [call("a", {"n": 8}), call("a", {"n": 9}, signature=S1)],
            [1, 0],
        ),
        ([call("a", id="1"), call("b", id="2")], [call("y", id="2"), call("z", id="1")], [1, 0]),
        ([call("a", {"n": 1}), call("b", {"n": 2})], [call("b", {"n": 8}), call("a", {"n": 9})], [1, 0]),
        ([{"text": "A"}, PICTURE], [{"fileData": {"fileUri": "f"}}, {"text": "B"}], [1, 0]),
        ([call("a"), call("b")], [{"text": "a"}, call("b")], [None, 1]),
    ],
    ids=["id", "value", "signature", "id-renamed", "name", "kind", "lost"],
)
def test_by_what_parts_are_paired(issued: list, sent: list, expected: list):
    answer = returned(calls(*issued), calls(*sent))

    assert [at and at[1] for _, at in pairs(answer)] == expected


def test_thoughts_take_no_part():
    answer = returned(calls(thought("hmm"), {"text": "A"}), calls({"text": "A"}, thought("other")))

    assert pairs(answer) == [(1, (1, 0))]
    assert answer.missing == answer.extra == []
    assert len(answer.issued) == 2


def test_what_is_missing_and_what_is_too_much():
    answer = returned(calls(call("a"), call("b")), calls(call("b"), {"text": "A"}))

    assert [part.call for part in answer.missing] == [{"name": "a"}]
    assert [(at.content, at.part) for at in answer.extra] == [(1, 1)]
    assert answer.issued_for(answer.sent[0]) is answer.issued[1]
    assert answer.issued_for(answer.extra[0]) is None


def test_pieces_of_one_answer_share_what_was_issued():
    issued = calls(call("a", {"n": 1}), call("b"), call("a", {"n": 2}))
    first = returned(issued, calls(call("a", {"n": 1})))
    second = returned(issued, calls(call("b")), previous=first)
    third = returned(issued, calls(call("a", {"n": 2})), previous=second)

    assert third.pieces == [first, second, third]
    assert third.started is second
    assert [len(piece.missing) for piece in third.pieces] == [2, 1, 0]
    assert third.issued is first.issued


def test_another_answer_is_no_piece():
    first = returned(calls(call("a")), calls(call("a")))
    other = Returned(record_of(calls(call("b"))), 0, first.run, first)

    assert other.started is None
    assert other.pieces == [other]


@pytest.mark.parametrize(
    ("issued", "sent", "same"),
    [
        (model_text("A B"), [model_text("A B\n")], True),
        (model_text("A B"), [model_text("A"), model_text(" B")], True),
        (calls({"text": "A"}, call("a"), {"text": "B"}), [calls(call("a"), {"text": "AB"})], True),
        (calls(thought("hmm"), {"text": "A"}), [calls({"text": "A"}, thought("no"))], True),
        (calls(call("a")), [calls(call("a"))], True),
        (model_text("A"), [model_text("B")], False),
        (model_text("A"), [calls(call("a"))], False),
    ],
)
def test_whether_the_text_is_the_same(issued: Any, sent: list, same: bool):
    assert returned(issued, *sent).same_text is same


def test_what_the_request_had_put_in_front_need_not_come_back():
    record = record_of(model_text("B"), model_text("A"))
    for text, same in (("AB", True), ("B", True), ("A", False)):
        run = run_of(TurnTree().intern([user("x"), model_text(text)], CONTENT))
        assert run is not None
        assert Returned(record, 0, run).same_text is same


SIGNED = calls(
    thought("hmm", S3),
    {"text": "A", "thoughtSignature": S4},
    call("a", {"n": 1}, signature=S1),
    call("a", {"n": 2}),
    PICTURE,
)


@pytest.mark.parametrize(
    ("issued", "sent", "may"),
    [
        (1, {"text": "other", "thoughtSignature": S4}, True),
        (1, {"thoughtSignature": S4}, True),
        (1, call("a", {"n": 1}, signature=S4), False),
        (0, call("a", {"n": 1}, signature=S3), True),
        (0, thought("hmm", S3), True),
        (2, call("a", {"n": 1}, signature=S1), True),
        (2, {"text": "A", "thoughtSignature": S1}, False),
        (3, call("a", {"n": 2}, signature=S2), True),
        (4, {"fileData": {"fileUri": "f"}, "thoughtSignature": S2}, True),
        (4, {"text": "A", "thoughtSignature": S2}, False),
    ],
)
def test_which_part_may_carry_which_signature(issued: int, sent: dict, may: bool):
    answer = returned(SIGNED, calls(sent))

    assert answer.may_carry(answer.issued[issued].value, answer.sent[0]) is may


def test_whether_a_part_keeps_its_signature():
    answer = returned(
        SIGNED,
        calls({"text": "A", "thoughtSignature": S4}, call("a", {"n": 1}), call("a", {"n": 2}, signature=S1)),
    )
    _, text, first, *_ = answer.issued

    assert answer.keeps(text.value)
    assert not answer.keeps(first.value)
    assert answer.signatures == {S4, S1}


def test_an_earlier_piece_keeps_its_signature():
    issued = calls(call("a", {"n": 1}, signature=S1), call("b"))
    first = returned(issued, calls(call("a", {"n": 1}, signature=S1)))
    second = returned(issued, calls(call("b", signature=S1)), previous=first)

    assert second.keeps(second.issued[0].value)


def test_many_parts_are_paired_quickly():
    """A hostile answer of thousands of equal parts must not cost their square."""
    many = calls(*(call("a") for _ in range(3_000)))
    answer = returned(many, many)

    assert answer.missing == answer.extra == []


def test_a_long_history_knows_the_answers_that_it_holds():
    """Compared with looking at one after the other; some answers came back in two pieces."""
    first = record_of(calls(call("a")))
    records = [replace(first, number=number) for number in range(1, 400)]
    run = run_of(TurnTree().intern([user("x"), calls(call("a"))], CONTENT))
    assert run is not None
    answer: Returned | None = None
    held: list[Record] = []
    for record in records:
        if record.number % 3:
            for _ in range(1 + (record.number % 7 == 0)):
                answer = Returned(record, 0, run, answer)
            held.append(record)

    assert answer is not None
    assert [record for record in records if answer.holds(record)] == held
    assert not answer.holds(replace(held[5]))
