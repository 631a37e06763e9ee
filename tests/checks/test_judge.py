from __future__ import annotations

from collections.abc import Iterator

import pytest

from gemtape.checks.finding import Finding, Scope, Severity, content_place
from gemtape.checks.judge import Judge
from gemtape.checks.rule import RequestContext, Rule, RunContext
from tests.checks.helpers import entries
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, weather
from tests.factories import call, calls, model_text, result, results, user

S1, S2, S3, S4 = SIGNATURES


def objecting(scope: Scope = Scope.ALWAYS, word: str = "bad", severity: Severity = Severity.ERROR) -> Rule:
    """A rule that objects to every part whose text holds a word."""

    def check(context: RunContext) -> Iterator[Finding]:
        for at in context.run.parts:
            if word in str(at.value.get("text")):
                yield Finding("objection", severity, content_place(at.content, at.part), "told", scope=scope)

    return Rule("objection", "Objects.", on_run=check)


def places(tape: Tape, rule: Rule) -> list[tuple[int, str, str]]:
    judge = Judge([rule])
    return [
        (item.exchange, item.severity, item.pointer)
        for entry in entries(tape.exchanges)
        for item in judge.judge(entry)
    ]


def growing(*prompts: str) -> Tape:
    """A chat of these prompts."""
    tape = Tape(FLASH_2)
    history = []
    for prompt in prompts:
        history.append(user(prompt))
        history.append(tape.ask(list(history), model_text("A")))
    return tape


def test_what_always_counts_is_said_of_every_request_that_holds_it():
    assert places(growing("bad", "x", "y"), objecting()) == [
        (at, "error", "/contents/0/parts/0") for at in (1, 2, 3)
    ]


def test_what_counts_in_the_current_turn_ends_with_it():
    tape = Tape(FLASH_2)
    first = tape.ask([user("bad")], weather())
    second = tape.ask([user("bad"), first, celsius()], model_text("A"))
    tape.ask([user("bad"), first, celsius(), second, user("x")], model_text("A"))

    assert [item[0] for item in places(tape, objecting(Scope.CURRENT_TURN))] == [1, 2]


@pytest.mark.parametrize(("severity", "less"), [("error", "warning"), ("warning", "info")])
def test_what_may_lie_in_the_current_turn_is_a_step_less_severe(severity: str, less: str):
    """A prompt in a content of its own right behind responses may start a turn, or not."""
    tape = Tape(FLASH_2)
    first = tape.ask([user("x")], calls({"text": "bad"}, call("a")))
    tape.ask([user("x"), first, results(result("a", {})), user("y")], model_text("A"))

    rule = objecting(Scope.CURRENT_TURN, severity=Severity(severity))
    assert places(tape, rule) == [(2, less, "/contents/1/parts/0")]


def test_what_is_said_once_is_said_of_the_first_request_that_holds_it():
    tape = growing("bad", "bad", "x")
    tape.exchanges.append(tape.exchanges[-1])

    assert places(tape, objecting(Scope.ONCE)) == [
        (1, "error", "/contents/0/parts/0"),
        (2, "error", "/contents/2/parts/0"),
    ]


def test_what_is_said_once_a_conversation_is_said_again_of_the_next():
    tape = growing("bad", "bad", "bad")
    tape.exchanges += growing("very bad", "bad").exchanges

    assert [item[0] for item in places(tape, objecting(Scope.CONVERSATION))] == [1, 4]


def test_findings_take_no_note_of_what_they_saw():
    tape = growing("bad", "bad")
    judge = Judge([objecting(Scope.ONCE)])
    first, second = entries(tape.exchanges)

    assert len(judge.findings(first)) == len(judge.findings(first)) == 1
    assert judge.ledger.records == {}
    assert len(judge.judge(first)) == len(judge.judge(second)) == 1


def test_a_run_is_looked_at_once_and_again_only_where_it_is_the_last():
    """So a request costs what is new in it."""
    looked: list[tuple[int, bool]] = []

    def look(context: RunContext) -> Iterator[Finding]:
        looked.append((context.run.start, context.final))
        return iter(())

    judge = Judge([Rule("looking", "Looks.", on_run=look)])
    for entry in entries(growing("a", "b", "c").exchanges):
        judge.judge(entry)

    assert looked == [
        (0, True),
        *[(0, False), (1, False), (2, True)],
        *[(2, False), (3, False), (4, True)],
    ]


def test_what_other_endpoints_are_asked_is_not_judged():
    tape = growing("bad")
    (entry,) = entries(tape.exchanges)
    judge = Judge([objecting()])
    for path in ("/v1beta/models/m:countTokens", "/v1beta/cachedContents", "/v1beta/models/m:embedContent"):
        object.__setattr__(entry, "path", path)
        entry.__dict__.pop("route", None)
        assert judge.judge(entry) == judge.findings(entry) == []

    assert judge.ledger.conversations == 0


def test_a_violation_says_where_and_of_whom():
    tape = Tape("gemini-3-pro", "code-assist")
    tape.ask([user("bad")], None, status=429)

    (entry,) = entries(tape.exchanges)
    (item,) = Judge([objecting()]).judge(entry)
    assert (item.rule, item.severity, item.exchange, item.at) == ("objection", "error", 1, "request")
    assert (item.pointer, item.message) == ("/request/contents/0/parts/0", "told")
    assert (item.model, item.status) == ("gemini-3-pro", 429)


def test_answers_are_looked_at_with_all_that_was_found():
    def look(context: RequestContext) -> Iterator[Finding]:
        told = f"{len(context.findings)} found"
        yield Finding("looking", Severity.INFO, ("candidates", 0), told, at="response")

    (entry,) = entries(growing("bad").exchanges)
    items = Judge([objecting(), Rule("looking", "Looks.", on_answer=look)]).judge(entry)

    assert [(item.rule, item.at, item.pointer, item.message) for item in items[1:]] == [
        ("looking", "response", "/candidates/0", "1 found")
    ]


def test_long_messages_are_clipped():
    def look(_: RequestContext) -> Iterator[Finding]:
        yield Finding("looking", Severity.INFO, (), "x" * 100_000)

    (entry,) = entries(growing("a").exchanges)
    (item,) = Judge([Rule("looking", "Looks.", on_request=look)]).judge(entry)

    assert len(item.message) < 2_000


# What a request continues.


def seen(tape: Tape) -> list[RequestContext]:
    """The request contexts that rules were given."""
    found: list[RequestContext] = []

    def look(context: RequestContext) -> Iterator[Finding]:
        found.append(context)
        return iter(())

    judge = Judge([Rule("looking", "Looks.", on_request=look)])
    for entry in entries(tape.exchanges):
        judge.judge(entry)
    return found


def continued(tape: Tape) -> list[int]:
    """The exchange that each one continues, 0 where it starts a conversation."""
    return [context.continues.number if context.continues else 0 for context in seen(tape)]


def test_a_request_continues_the_newest_answer_in_its_history():
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    second = tape.ask([user("x"), first, celsius()], model_text("A"))
    tape.ask([user("y")], model_text("B"))
    tape.ask([user("x"), first, celsius(), second, user("z")], model_text("C"))
    tape.ask([user("x"), first, celsius(), model_text("edited"), user("w")], model_text("C"))

    assert continued(tape) == [0, 1, 0, 2, 2]


def test_a_request_that_lost_an_answer_continues_it_all_the_same():
    tape = Tape()
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x"), user("y")], model_text("B"))

    assert continued(tape) == [0, 1]


def test_a_retry_and_a_new_chat_continue_nothing():
    tape = Tape()
    tape.ask([user("x")], None, status=503)
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("x")], model_text("B"))

    assert continued(tape) == [0, 0, 0]


def runs_seen(tape: Tape) -> list[RunContext]:
    """The run contexts of the last request."""
    found: list[RunContext] = []

    def look(context: RunContext) -> Iterator[Finding]:
        found.append(context)
        return iter(())

    *earlier, last = entries(tape.exchanges)
    judge = Judge([Rule("looking", "Looks.", on_run=look)])
    for entry in earlier:
        judge.judge(entry)
    found.clear()
    judge.judge(last)
    return found


def numbers(context: RunContext) -> tuple[int, int, list[int]]:
    """The exchanges that a run should be, that the run before it should be, and whose answers end with it."""
    returned, answered = context.returned, context.answered
    return (
        returned.record.number if returned else 0,
        answered.record.number if answered else 0,
        [answer.record.number for answer in context.closed],
    )


def test_an_answer_is_closed_where_another_begins_or_the_history_ends():
    tape = Tape()
    first, second = weather(S1), weather(S2, "Goa")
    tape.ask([user("x")], first)
    tape.ask([user("x"), first, celsius()], second)
    tape.ask([user("x"), first, celsius(), second, celsius()], model_text("k"))

    assert [numbers(context) for context in runs_seen(tape)] == [
        (0, 1, []),
        (2, 0, [1]),
        (0, 2, [2]),
    ]


def test_an_answer_in_pieces_is_closed_once():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    pieces = [
        calls(call("a", signature=S1)),
        results(result("a", {})),
        calls(call("b")),
        results(result("b", {})),
    ]
    tape.ask([user("x"), *pieces], model_text("k"))

    contexts = runs_seen(tape)
    assert [numbers(context) for context in contexts] == [
        (0, 0, []),
        (1, 0, []),
        (0, 1, []),
        (1, 0, []),
        (0, 1, [1]),
    ]
    assert [len(answer.pieces) for answer in contexts[-1].closed] == [2]


def test_a_summary_in_the_models_place_closes_nothing():
    tape = growing("x", "y")
    tape.ask([user("x"), model_text("So far: A, A."), user("z")], model_text("k"))

    assert [context.closed for context in runs_seen(tape)] == [(), ()]


def test_an_answer_of_unknown_time_counts():
    tape = growing("x", "y").without_times()

    assert continued(tape) == [0, 1]


def test_as_another_model_rules_are_given_that_model():
    targets: list[str] = []

    def look(context: RequestContext) -> Iterator[Finding]:
        targets.append(context.target.model)
        return iter(())

    (entry,) = entries(growing("x").exchanges)
    Judge([Rule("looking", "Looks.", on_request=look)], as_model="gemini-3.6-flash").judge(entry)
    assert targets == ["gemini-3.6-flash"]
