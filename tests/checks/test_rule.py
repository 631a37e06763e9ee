from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.conversation import Run, run_of
from gemtape.checks.ledger import Ledger, Origin, Record
from gemtape.checks.returned import Returned
from gemtape.checks.rule import RequestContext, Rule, RunContext
from gemtape.checks.target import target_of
from tests.checks.helpers import entries
from tests.checks.tape import SIGNATURES, Tape, thought, weather
from tests.factories import call, calls, exchange, user

S1, S2, S3, S4 = SIGNATURES


def request(**body: Any) -> RequestContext:
    (entry,) = entries([exchange([user("x")], **body)])
    return RequestContext(entry, target_of(entry), Ledger(), run_of(entry.layout.history), None)


def test_the_settings_are_what_is_left_in_normal_form():
    assert request(generation_config={"topK": 3.0}, tools=[{"googleSearch": {}}]).settings == {
        "generationConfig": {"topK": 3}
    }


def test_the_tools_and_their_declarations_with_their_places():
    one, other = {"name": "a"}, {"name": "b"}
    tools = [
        {"googleSearch": {}},
        {"function_declarations": [one, 3, other]},
        {"functionDeclarations": one},
        7,
    ]
    context = request(tools=tools)

    assert len(context.tools) == 4
    assert context.declarations == [(1, 0, one), (1, 2, other), (2, 0, one)]


@pytest.mark.parametrize(
    ("config", "mode"),
    [
        ({"function_calling_config": {"mode": "any"}}, "ANY"),
        ({"functionCallingConfig": {"mode": 2}}, "ANY"),
        ({"functionCallingConfig": {"mode": 9}}, ""),
        ({"functionCallingConfig": {"mode": ["ANY"]}}, ""),
        ({"functionCallingConfig": "ANY"}, ""),
        ({}, ""),
        ("ANY", ""),
    ],
)
def test_the_calling_mode(config: Any, mode: str):
    assert request(toolConfig=config).calling_mode == mode


def test_a_rule_is_summed_up_by_the_first_line_of_its_page():
    assert Rule("some-rule", "What is wrong.\n\nWhat it finds\n    This.").summary == "What is wrong."
    assert "page" not in repr(Rule("some-rule", "What is wrong."))


def _answers(tape: Tape) -> tuple[Ledger, list[Record], Run]:
    """All exchanges but the last, each a conversation of its own, and the last run of the last."""
    *earlier, last = entries(tape.exchanges)
    ledger = Ledger()
    records = [ledger.remember(entry, 0) for entry in earlier]
    run = run_of(last.layout.history)
    assert run is not None
    return ledger, records, run


def test_the_conversation_of_a_run_goes_by_where_it_stands():
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("y")], weather(S2))
    tape.ask([user("x"), weather(S2)])
    ledger, (first, second), run = _answers(tape)
    target = target_of(next(iter(entries(tape.exchanges))))
    front = Returned(first, 0, run)

    def conversation(**known: Any) -> int | None:
        return RunContext(run, target, ledger, **known).conversation

    assert conversation() is None
    assert conversation(newest=front) == 1
    assert conversation(returned=Returned(second, 0, run, front)) == 2
    assert conversation(returned=Returned(second, 0, run, front, in_place=False)) == 1
    assert conversation(returned=Returned(second, 0, run, in_place=False)) == 2


def test_a_signature_is_at_home_on_a_part_of_its_own_answer():
    tape = Tape()
    tape.ask([user("x")], calls(thought("hmm", S2), call("a", signature=S1)))
    tape.ask([user("y")], calls(call("a", signature=S3)))
    tape.ask([user("x"), calls(call("a", signature=S1), {"text": "A"})])
    ledger, (first, second), run = _answers(tape)
    context = RunContext(
        run, target_of(next(iter(entries(tape.exchanges)))), ledger, returned=Returned(first, 0, run)
    )
    sent, text = run.whole

    assert context.is_at_home(Origin(first, 0, 1), sent)
    assert context.is_at_home(Origin(first, 0, 0), sent)
    assert not context.is_at_home(Origin(first, 0, 1), text)
    assert not context.is_at_home(Origin(second, 0, 0), sent)
    assert not RunContext(run, context.target, ledger).is_at_home(Origin(first, 0, 1), sent)
