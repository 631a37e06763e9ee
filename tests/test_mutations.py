"""Every kind of fault is found at its place, with nothing but its consequences; a faithful client is left in peace."""

from __future__ import annotations

import copy

import pytest
from hypothesis import HealthCheck, assume, given, settings

from gemtape.cassettes.models import Violation
from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge
from tests.mutations import MUTATORS, Conversation, Mutator, conversations

ALL_MODELS = ("gemini-3-pro-preview", "gemini-3.5-flash", "gemini-2.5-flash")


def _judge(made: Conversation, contents: list, **body: object) -> list[Violation]:
    """The violations of a last request, after the conversation that it belongs to; that one has none above info."""
    judge = Judge()
    with Cassette.temporary() as cassette:
        before = [
            violation
            for item in made.exchanges(len(made.contents))
            for violation in cassette.append(cassette.prepare(item), judge.judge)[1]
        ]
        assert [item for item in before if item.severity != "info"] == []
        request = made.request(contents, 1000.0, **body)
        return cassette.append(cassette.prepare(request), judge.judge)[1]


@given(conversations(ALL_MODELS))
@settings(max_examples=60)
def test_a_faithful_conversation_has_nothing_above_info(made: Conversation):
    """Unary and streamed, parallel and sequential, with and without ids, Gemini 2.5 and 3."""
    found = _judge(made, made.contents)

    assert [item for item in found if item.severity != "info"] == []


@pytest.mark.parametrize("mutator", MUTATORS, ids=str)
def test_a_fault_is_found_at_its_place_with_nothing_but_its_consequences(mutator: Mutator):
    applied = 0

    @given(conversations((mutator.model,)))
    @settings(max_examples=12, suppress_health_check=list(HealthCheck))
    def check(made: Conversation) -> None:
        nonlocal applied
        contents = copy.deepcopy(made.contents)
        fault = mutator.apply(made, contents)
        assume(fault is not None)
        assert fault
        applied += 1
        found = _judge(made, contents, **fault.body)

        told = [(item.rule, item.severity, item.pointer) for item in found]
        assert (mutator.rule, mutator.severity, fault.pointer) in told
        loud = {item.rule for item in found if item.severity != "info"} - {mutator.rule}
        assert loud <= mutator.consequences

    check()
    assert applied, "no conversation had a place for this fault"
