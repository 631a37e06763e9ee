from __future__ import annotations

from collections.abc import Callable

import pytest

from gemtape.checks.asker import asker_of
from gemtape.checks.conversation import Run, run_of
from gemtape.checks.judge import Judge
from gemtape.checks.ledger import Ledger
from gemtape.checks.linking import Asking, Link, chain, link, went_on
from gemtape.checks.returned import Returned
from tests.checks.clients import FAITHFUL, NEEDS_TIMES
from tests.checks.helpers import entries
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, weather
from tests.factories import call, calls, model_text, result, results, user

S1, S2, S3, S4 = SIGNATURES


@pytest.mark.parametrize("scenario", FAITHFUL, ids=lambda scenario: scenario.__name__)
def test_a_faithful_client_is_not_blamed(scenario: Callable[[], Tape]):
    assert scenario().loud() == []


@pytest.mark.parametrize(
    "scenario",
    [scenario for scenario in FAITHFUL if scenario.__name__ not in NEEDS_TIMES],
    ids=lambda scenario: scenario.__name__,
)
def test_a_faithful_client_is_not_blamed_where_no_times_are_known(scenario: Callable[[], Tape]):
    assert scenario().without_times().loud() == []


def _runs(tape: Tape) -> tuple[Ledger, list[Run], Asking]:
    """What is known before the last request, the model runs of that request in order, and who asks."""
    *earlier, last = entries(tape.exchanges)
    judge = Judge()
    for entry in earlier:
        judge.judge(entry)
    runs: list[Run] = []
    run = run_of(last.layout.history)
    while run is not None:
        runs.append(run)
        run = run.before
    models = [run for run in reversed(runs) if run.role == "model"]
    return judge.ledger, models, Asking(asker_of(last), last.started_at)


def _linked(tape: Tape) -> list[tuple[int, bool, int]]:
    """For each model run of the last request: the exchange, whether it should be its answer, what was left out."""
    ledger, runs, asking = _runs(tape)
    previous: Returned | None = None
    found: list[tuple[int, bool, int]] = []
    for run in runs:
        item = link(ledger, run, asking, previous)
        found.append(_numbers(item))
        previous = (item.returned if item else None) or previous
    return found


def _numbers(item: Link | None) -> tuple[int, bool, int]:
    if item is None:
        return 0, False, 0
    return item.record.number, item.returned is not None, item.left_out.number if item.left_out else 0


def test_a_run_is_linked_by_the_clients_words_in_front_of_it():
    """Whatever became of the answer itself."""
    tape = Tape(FLASH_2)
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), model_text("edited"), user("y")])

    assert _linked(tape) == [(1, True, 0)]


def test_a_run_is_linked_by_its_signature_where_the_words_changed():
    tape = Tape()
    tape.ask([user("x at noon")], weather(S1))
    tape.ask([user("x at one"), weather(S1, "Goa"), celsius()])

    assert _linked(tape) == [(1, True, 0)]


def test_a_run_is_linked_by_an_equal_call_or_text_where_nothing_else_is_left():
    tape = Tape(FLASH_2)
    tape.ask([user("1")], weather())
    tape.ask([user("2"), weather(), celsius()], model_text("Warm."))
    tape.ask([user("3"), weather(), celsius(), model_text("Warm."), user("y")])

    assert _linked(tape) == [(1, True, 0), (2, True, 0)]


def test_a_call_id_alone_says_nothing_where_the_words_differ():
    """Ids may be anybody's; ``call_0`` is everybody's."""
    tape = Tape(FLASH_2)
    tape.ask([user("1")], weather(None, "Pune", id="call_0"))
    tape.ask([user("2"), weather(None, "Goa", id="call_0"), celsius(id="call_0")])

    assert _linked(tape) == [(0, False, 0)]


def test_what_the_run_says_decides_between_answers_to_the_same_words():
    tape = Tape(FLASH_2)
    for text in ("one", "two", "three"):
        tape.ask([user("x")], model_text(text))
    tape.ask([user("x"), model_text("two"), user("y")])

    assert _linked(tape) == [(2, True, 0)]


def test_a_run_of_unknown_origin_is_linked_to_nothing():
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("other"), weather(S2, "Goa"), celsius()])

    assert _linked(tape) == [(0, False, 0)]


def test_the_answer_of_another_agent_is_no_answer_that_should_come_back():
    tape = Tape()
    tape.ask([user("x")], model_text("A title"), instruction="Write a title of at most five words.")
    tape.ask(
        [user("x"), model_text("From before the recording"), user("y")], instruction="You plan journeys."
    )

    assert _linked(tape) == [(0, False, 0)]


def test_an_answer_that_need_not_come_back_still_says_what_the_request_goes_on_from():
    tape = Tape()
    tape.ask([user("x")], model_text("withheld"), finish="SAFETY")
    tape.ask([user("x"), model_text("I cannot say."), user("y")])

    assert _linked(tape) == [(1, False, 0)]


def test_a_run_taken_from_further_down_names_the_answer_that_should_stand_there():
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius(1)], weather(S2, "Goa"))
    tape.ask([user("x"), second, celsius(2)])

    assert _linked(tape) == [(2, True, 1)]


def test_an_answer_stands_in_a_history_only_once():
    """Or a signature that was copied over that of another step would look right where equal calls repeat."""
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius()], weather(S2))
    third = tape.ask([user("x"), first, celsius(), second, celsius()], weather(S3))
    history = [user("x"), first, celsius(), second, celsius()]
    tape.ask([*history, third, celsius()], model_text("k"))
    tape.ask([*history, weather(S2), celsius()])

    assert _linked(tape) == [(1, True, 0), (2, True, 0), (3, True, 0)]


def test_pieces_of_one_answer_are_linked_to_it_one_after_the_other():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", {"n": 1}, signature=S1), call("b", {"n": 2}), call("a", {"n": 3})))
    history = [user("x"), calls(call("a", {"n": 1}, signature=S1)), results(result("a", {}))]
    history += [calls(call("b", {"n": 2})), results(result("b", {}))]
    tape.ask([*history, calls(call("a", {"n": 3})), results(result("a", {}))])

    assert _linked(tape) == [(1, True, 0)] * 3


def test_the_answer_that_came_next_is_no_piece_of_the_one_before():
    """Where a call was lost, and the next answer made it again."""
    tape = Tape(FLASH_2)
    first = tape.ask([user("x")], calls(call("a"), call("b")))
    second = tape.ask([user("x"), first, results(result("a", {}), result("b", {}))], calls(call("b")))
    tape.ask([user("x"), calls(call("a")), results(result("a", {})), second, results(result("b", {}))])

    assert _linked(tape) == [(1, True, 0), (2, True, 0)]


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (weather(S1, "Goa"), 1),
        (weather(S1), 1),
        (calls(call("other", signature=S1)), 1),
        (weather(S2, "Goa"), 1),
    ],
    ids=["marks", "all", "marks-alone", "place-and-answer"],
)
def test_two_of_words_marks_and_answer_outweigh_the_third(sent: dict, expected: int):
    """Behind equal prompts, where a shortened window could stand anywhere."""
    tape = Tape()
    first = tape.ask([user("go")], weather(S1, "Goa"))
    second = tape.ask([user("go"), first, celsius()], model_text("A"))
    tape.ask(
        [user("go"), first, celsius(), second, user("go")], calls(call("other", signature=S2), call("b"))
    )
    tape.ask([user("go"), sent, celsius()])

    assert _linked(tape)[0][0] == expected


def test_an_answer_that_had_not_begun_is_not_what_a_run_is():
    tape = Tape(FLASH_2)
    tape.ask([user("x")], model_text("A"), at=5)
    tape.ask([user("x"), model_text("A"), user("y")], at=1)

    assert _linked(tape) == [(0, False, 0)]


def test_only_the_place_speaks_for_a_run_that_says_something_else():
    tape = Tape(FLASH_2)
    first = tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([user("x"), model_text("So far: A, B"), user("z")])
    ledger, (run,), asking = _runs(tape)

    found = link(ledger, run, asking, None)

    assert found is not None
    assert found.returned is not None
    assert found.returned.doubtful


def test_what_earlier_requests_went_on_from():
    tape = Tape(FLASH_2)
    first = tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), first, user("y")], model_text("B"))
    tape.ask([user("x"), first, user("y")])
    *earlier, last = entries(tape.exchanges)
    judge = Judge()
    for entry in earlier:
        judge.judge(entry)
    history = last.layout.history

    assert went_on(judge.ledger, [history]) == {1}
    assert went_on(judge.ledger, history.line()[:1]) == set()


def test_a_chain_ends_where_older_exchanges_begin():
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius()], weather(S2))
    third = tape.ask([user("x"), first, celsius(), second, celsius()], weather(S3))
    tape.ask([user("x"), first, celsius(), second, celsius(), third, celsius()])
    ledger, runs, asking = _runs(tape)
    newest: Returned | None = None
    for run in runs:
        item = link(ledger, run, asking, newest)
        newest = item.returned if item else None

    assert [answer.record.number for answer in chain(newest)] == [3, 2, 1]
    assert [answer.record.number for answer in chain(newest, back_to=2)] == [3, 2]
    assert list(chain(None)) == []
