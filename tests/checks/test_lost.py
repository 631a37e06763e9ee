from __future__ import annotations

import pytest

from gemtape.cassettes.models import Failure
from tests.checks.helpers import found
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, weather
from tests.factories import call, calls, model_text, result, results, tools_for, user

S1, S2, S3, S4 = SIGNATURES
PLANS = "You plan journeys and look up the weather where they lead."
TITLES = "Write a title of at most five words for what the user says."
RULE = "dropped-model-turn"
LOST_AT_1 = [("error", "/contents/1")]


def lost(tape: Tape) -> list[tuple[str, str]]:
    """What the last exchange has lost."""
    last = len(tape.exchanges)
    return found([item for item in tape.violations() if item.exchange == last], RULE)


def test_the_first_request_without_an_answer_has_lost_it():
    tape = Tape()
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), user("y")])

    assert lost(tape) == LOST_AT_1


def test_each_lost_answer_is_named_at_its_place():
    tape = Tape()
    first = tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([user("x"), user("y"), user("z")])

    assert lost(tape) == [("error", "/contents/1"), ("error", "/contents/2")]


def test_an_answer_that_came_back_earlier_is_lost_where_what_followed_it_still_does():
    tape = Tape()
    first = tape.ask([user("x")], model_text("A"))
    second = tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([user("x"), user("y"), second, user("z")])

    assert lost(tape) == LOST_AT_1


def test_an_answer_that_came_back_earlier_is_replaced_where_something_new_follows():
    tape = Tape()
    first = tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([user("x"), user("So far: A and B."), user("z")], model_text("C"))
    assert lost(tape) == []

    tape.ask([user("x"), user("So far: A and B."), user("z"), model_text("C"), user("zz")])
    assert lost(tape) == []


def test_an_answer_is_lost_within_a_content_whose_neighbours_were_merged():
    tape = Tape()
    first = tape.ask([user("x")], model_text("A"))
    second = tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([results({"text": "x"}, {"text": "y"}), second, user("z")])

    assert lost(tape) == [("error", "/contents/0/parts/1")]


def test_responses_that_add_up_to_what_was_once_sent_lose_nothing():
    """Three responses to one answer are not two to it and one to the next."""
    tape = Tape(FLASH_2)
    three = calls(*(call("a", {"n": at}) for at in range(3)))
    ok = result("a", {})
    tape.ask([user("x")], three)
    tape.ask([user("x"), three, results(ok, ok, ok)], calls(call("a", {"n": 9}), call("b")))
    short = [user("x"), calls(*three["parts"][:2]), results(ok, ok)]
    tape.ask([*short, calls(call("a", {"n": 9}), call("b")), results(ok, result("b", {}))])

    assert lost(tape) == []


def test_a_prompt_that_grew_goes_on_from_nothing():
    tape = Tape()
    tape.ask([user("x")], model_text("A"))
    tape.ask([results({"text": "x"}, {"text": "and y"})])

    assert lost(tape) == []


@pytest.mark.parametrize(
    "other",
    [
        {"instruction": TITLES},
        {"instruction": PLANS, "tools": tools_for(weather())},
        {},
    ],
    ids=["instruction", "tools", "no-instruction"],
)
def test_the_answer_of_another_agent_is_not_missed(other: dict):
    tape = Tape()
    tape.ask([user("x")], model_text("A"), **other)
    tape.ask([user("x"), user("y")], instruction=PLANS)

    assert lost(tape) == []


def test_the_answer_to_an_agent_with_a_clock_in_its_instruction_is_missed():
    tape = Tape()
    tape.ask([user("x")], model_text("A"), instruction=f"It is 10:00. {PLANS}")
    tape.ask([user("x"), user("y")], instruction=f"It is 10:01. {PLANS}")

    assert lost(tape) == LOST_AT_1


def test_responses_tell_whose_answer_is_missed():
    """Whatever else changed between the two requests."""
    tape = Tape()
    tape.ask([user("x")], weather(S1), instruction=TITLES)
    tape.ask([user("x"), celsius()], instruction=PLANS, tools=[])

    assert lost(tape) == LOST_AT_1


def test_the_id_of_a_response_tells_whose_answer_is_missed_where_the_prompt_changed():
    tape = Tape()
    tape.ask([user("x at noon")], weather(S1, id="q1"))
    tape.ask([user("x at one"), celsius(id="q1")])

    assert lost(tape) == LOST_AT_1


@pytest.mark.parametrize(
    "history",
    [
        [celsius(id="q1")],
        [user("new"), weather(S1, id="q1"), celsius(id="q1")],
        [user("new"), weather(S1, id="q1"), celsius(id="q1"), model_text("A"), celsius(id="q1")],
        [user("new"), celsius(id="unknown")],
    ],
    ids=["window", "there", "answered-again", "unknown-id"],
)
def test_the_id_of_a_response_says_nothing_where_the_answer_is_there_or_the_history_begins_with_it(
    history: list,
):
    tape = Tape()
    tape.ask([user("x")], weather(S1, id="q1"))
    tape.ask(history)

    assert lost(tape) == []


def test_an_id_that_was_issued_twice_says_nothing():
    tape = Tape()
    tape.ask([user("x")], weather(S1, id="call_0"))
    tape.ask([user("y")], weather(S2, id="call_0"))
    tape.ask([user("z"), celsius(id="call_0")])

    assert lost(tape) == []


def test_a_step_taken_out_of_the_middle_is_lost():
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius(1)], weather(S2, "Goa"))
    tape.ask([user("x"), second, celsius(2)])

    assert lost(tape) == LOST_AT_1


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": None, "status": 503},
        {"answer": [model_text("par")], "cut": True, "failure": Failure.RESET},
        {"answer": [model_text("par")], "failure": Failure.CLIENT_GONE},
        {"answer": model_text("withheld"), "finish": "PROHIBITED_CONTENT"},
        {"answer": model_text("half"), "finish": "MAX_TOKENS"},
        {"answer": model_text("")},
        {"answer": calls({"text": "hmm", "thought": True})},
        {"answer": {"role": "model"}},
    ],
    ids=["error", "cut", "gone", "withheld", "half", "empty", "thought", "nothing"],
)
def test_an_answer_that_came_short_or_held_nothing_is_not_missed(answer: dict):
    tape = Tape()
    tape.ask([user("x")], **answer)
    tape.ask([user("x"), user("y")])

    assert lost(tape) == []


def test_the_latest_answer_to_the_same_words_decides():
    tape = Tape()
    tape.ask([user("x")], None, status=503)
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), user("y")])
    assert lost(tape) == LOST_AT_1

    tape = Tape()
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x")], None, status=503)
    tape.ask([user("x"), user("y")])
    assert lost(tape) == []


def test_an_answer_that_had_not_ended_when_the_words_were_first_sent_is_not_missed():
    """Nor later, when the same words are sent again."""
    tape = Tape()
    tape.ask([user("x"), user("title?")], model_text("T"), at=2, takes=1)
    tape.ask([user("x")], model_text("A"), at=1, takes=5)
    tape.ask([user("x"), user("title?"), model_text("T"), user("shorter")], at=9)

    assert lost(tape) == []


@pytest.mark.parametrize(
    ("answer", "told", "expected"),
    [
        (weather(S1), "[A] called get_weather for Pune", []),
        (weather(S1), "Use get_weather again", LOST_AT_1),
        (model_text("First book the train."), "[A] said: First book the train.", []),
        (model_text("Yes"), "[A] said: Yes", []),
        (model_text("Yes"), "Yes or no?", LOST_AT_1),
        (model_text("Yes"), "", LOST_AT_1),
    ],
)
def test_an_answer_that_is_retold_is_not_missed(answer: dict, told: str, expected: list):
    tape = Tape(FLASH_2)
    tape.ask([user("x")], answer, tools=tools_for(weather()))
    tape.ask([user("x"), user(told)], tools=tools_for(weather()))

    assert lost(tape) == expected


def test_another_model_may_have_been_asked_by_the_same_agent():
    tape = Tape()
    tape.ask([user("x")], model_text("A"), instruction=PLANS)
    tape.ask([user("x"), user("y")], instruction=PLANS, model=FLASH_2)

    assert lost(tape) == LOST_AT_1


def test_parallel_responses_in_another_order_are_the_same_words():
    tape = Tape()
    both = calls(call("a", signature=S1), call("b"))
    first = tape.ask([user("x")], both)
    tape.ask([user("x"), first, results(result("a", {}), result("b", {}))], model_text("A"))
    tape.ask([user("x"), first, results(result("b", {}), result("a", {})), user("y")])

    assert lost(tape) == [("error", "/contents/3")]
