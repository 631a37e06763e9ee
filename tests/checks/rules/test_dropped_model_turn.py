from __future__ import annotations

from tests.checks.tape import SIGNATURES, Tape, celsius, weather
from tests.factories import call, calls, model_text, user

RULE = "dropped-model-turn"


def test_it_names_the_exchange_and_what_it_answered():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=SIGNATURES[0]), call("b")))
    tape.ask([user("y")], model_text("A"))
    tape.ask(
        [user("x"), user("z")],
        model_text("k"),
        tools=[{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}],
    )
    tape.ask([user("y"), user("z")], model_text("k"))

    assert [item.message for item in tape.violations() if item.rule == RULE] == [
        "the answer of exchange 1 (calls a, b) should stand here; it is missing",
        "the answer of exchange 2 (text) should stand here; it is missing",
    ]


def test_the_orphan_that_a_dropped_call_leaves_is_told_beside_it():
    tape = Tape()
    tape.ask([user("x")], weather(SIGNATURES[0]))
    tape.ask([user("x"), celsius()], model_text("k"))

    assert tape.loud() == [
        (2, RULE, "error", "/contents/1"),
        (2, "orphan-response", "error", "/contents/1/parts/0"),
    ]


def test_code_assist_wraps_the_place():
    tape = Tape(surface="code-assist")
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), user("y")], model_text("k"))

    assert tape.loud() == [(2, RULE, "error", "/request/contents/1")]


def test_it_is_told_of_every_request_that_lacks_the_answer():
    tape = Tape()
    tape.ask([user("x")], model_text("A"))
    answer = tape.ask([user("x"), user("y")], model_text("B"))
    tape.ask([user("x"), user("y"), answer, user("z")], model_text("k"))

    assert [(exchange, place) for exchange, _, _, place in tape.loud()] == [
        (2, "/contents/1"),
        (3, "/contents/1"),
    ]
