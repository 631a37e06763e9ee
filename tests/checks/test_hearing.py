"""What is said of a request that is answered from a cassette: what its client lost or changed of what it got."""

from __future__ import annotations

from typing import Any

from gemtape.cassettes.answers import DROPPED, Answer, recorded_answer
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.finding import Severity
from gemtape.checks.hearing import Hearing
from gemtape.checks.selection import Selection
from tests.factories import call, calls, exchange, model_text, result, results, sse, user

FIRST = exchange([user("a")], calls(call("f", signature="AAAA")))
ANSWER = results(result("f", {"ok": True}))


def answer_of(item: Exchange) -> Answer:
    return recorded_answer(entry_of(item, Redactor(), TurnTree()))


def heard(hearing: Hearing, *items: Exchange, **options: Any) -> list[list[str]]:
    """The rules that each request breaks, those that merely inform aside."""
    found = [hearing.violations(item.request, answer_of(item), **options)[0] for item in items]
    return [[item.rule for item in violations if item.severity != Severity.INFO] for violations in found]


def step(signature: str) -> Exchange:
    return exchange([user("a"), calls(call("f", signature=signature)), ANSWER], model_text("done"))


def test_request_is_judged_by_what_an_earlier_answer_issued():
    assert heard(Hearing(Redactor()), FIRST, step("AAAA")) == [[], []]
    assert heard(Hearing(Redactor()), FIRST, step("BBBB")) == [[], ["altered-signature"]]


def test_of_the_answer_nothing_is_said():
    undeclared = exchange(
        [user("a")], calls(call("g", signature="AAAA")), tools=[{"functionDeclarations": []}]
    )

    assert "undeclared-call" not in heard(Hearing(Redactor()), undeclared)[0]


def test_selection_decides_what_counts_and_what_it_left_out_is_counted():
    selection = Selection(
        ignore=frozenset({"altered-signature"}), severity={"missing-signature": Severity.WARNING}
    )
    hearing = Hearing(Redactor(), selection)
    hearing.violations(FIRST.request, answer_of(FIRST))
    altered, dropped = step("BBBB"), exchange([user("a"), calls(call("f")), ANSWER])

    kept, suppressed = hearing.violations(altered.request, answer_of(altered))
    assert ("altered-signature" in [item.rule for item in kept], suppressed) == (False, 1)
    found = {item.rule: item.severity for item in hearing.violations(dropped.request, answer_of(dropped))[0]}
    assert found["missing-signature"] == Severity.WARNING


def test_answer_that_was_cut_or_never_came_need_not_come_back():
    part = {"candidates": [{"content": model_text("one")}]}
    cut = exchange([user("a")], sse(part, cut=True), path="/v1beta/models/m:streamGenerateContent")
    again = exchange([user("a"), user("b")], model_text("two"))
    hearing = Hearing(Redactor())

    assert heard(hearing, cut, again) == [[], []]
    assert hearing.violations(FIRST.request, DROPPED)[1] == 0
