"""One id for two calls, or for two responses, of a step."""

from __future__ import annotations

from gemtape.checks.rules.duplicate_id import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Rates?")


def test_the_second_call_and_the_second_response_are_named():
    history = [
        QUESTION,
        calls(call("rate", {"p": "a"}, signature=SIGNATURE, id="x"), call("rate", {"p": "b"}, id="x")),
        results(result("rate", {"v": 1}, id="x"), result("rate", {"v": 2}, id="x")),
    ]

    violations = judge(history)

    assert found(violations, NAME) == [("error", "/contents/1/parts/1"), ("error", "/contents/2/parts/1")]
    assert {rule for rule, _ in loud(violations)} == {NAME}
    assert rejections(examine(history), NAME) == ["", ""]


def test_responses_may_share_an_id_that_the_calls_do_not():
    history = [
        QUESTION,
        calls(call("rate", {"p": "a"}, signature=SIGNATURE, id="x"), call("rate", {"p": "b"}, id="y")),
        results(result("rate", {"v": 1}, id="x"), result("rate", {"v": 2}, id="x")),
    ]

    assert found(judge(history), NAME) == [("error", "/contents/2/parts/1")]


def test_every_further_occurrence_counts_over_all_contents_of_the_run():
    history = [
        QUESTION,
        calls(call("rate", signature=SIGNATURE, id="x")),
        calls(call("rate", signature=SIGNATURE, id="x"), call("rate", id="x")),
        results(*(result("rate", {}) for _ in range(3))),
    ]

    assert found(judge(history), NAME) == [("error", "/contents/2/parts/0"), ("error", "/contents/2/parts/1")]


def test_the_same_id_in_a_later_step_or_turn_is_fine():
    step = [calls(call("rate", signature=SIGNATURE, id="x")), results(result("rate", {}, id="x"))]

    assert loud(judge([QUESTION, *step, *step, model_text("1"), user("And now?"), *step])) == []


def test_calls_without_ids_share_nothing():
    history = [
        QUESTION,
        calls(call("rate", {"p": "a"}, signature=SIGNATURE), call("rate", {"p": "b"})),
        results(result("rate", {"v": 1}), result("rate", {"v": 2})),
    ]

    assert loud(judge(history)) == []


def test_a_response_that_comes_in_pieces_repeats_its_id():
    piece = {"functionResponse": {"id": "x", "name": "rate", "response": {}, "willContinue": True}}
    history = [
        QUESTION,
        calls(call("rate", signature=SIGNATURE, id="x")),
        results(piece, result("rate", {}, id="x")),
    ]

    assert loud(judge(history)) == []


def test_streamed_arguments_that_repeat_the_id_are_one_call():
    def piece(**more):
        return {"functionCall": {"name": "rate", "id": "x", **more}}

    streamed = [
        {**piece(willContinue=True), "thoughtSignature": SIGNATURE},
        piece(partialArgs=[{"jsonPath": "$.p", "stringValue": "a"}], willContinue=True),
        piece(),
    ]

    assert not found(judge([QUESTION, calls(*streamed), results(result("rate", {}, id="x"))]), NAME)
