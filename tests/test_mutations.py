"""Every kind of fault is found at its place, with nothing but its consequences; a faithful client is left in peace."""

from __future__ import annotations

import copy
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gemtape.cassettes.models import Violation
from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge
from tests.chats import ChatConversation, as_pointer
from tests.mutations import BODY, MUTATORS, Conversation, Mutator, conversations

ALL_MODELS = ("gemini-3-pro-preview", "gemini-3.5-flash", "gemini-2.5-flash")


class Told(NamedTuple):
    """What a fault is called in a chat, where that differs: its rule, and what stands behind its place."""

    rule: str
    within: str


IN_CHATS = {
    "signature inside the call": Told("missing-signature", "/functionCall/thoughtSignature"),
}
NOT_IN_CHATS = {
    "response renamed",
    "response unnamed",
    "responses reversed",
    "text beside responses",
    "responses split",
    "responses under function",
    "content without parts",
    "response is a list",
    "allowed names in mode AUTO",
}
"""What cannot be said in a chat, or is no fault there: a tool's message has no name, no role of its own, and any text."""


def in_chat(made: Conversation) -> ChatConversation:
    """The same conversation through chat completions, where every call has an id."""
    return ChatConversation(**{**vars(made), "contents": copy.deepcopy(made.contents)})


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


@given(conversations(ALL_MODELS, ids=st.just(value=True)))
@settings(max_examples=60)
def test_a_faithful_chat_has_nothing_above_info(made: Conversation):
    found = _judge(in_chat(made), made.contents)

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


@pytest.mark.parametrize("mutator", MUTATORS, ids=str)
def test_a_fault_in_a_chat_is_found_at_its_place_with_nothing_but_its_consequences(mutator: Mutator):
    applied = 0
    other = IN_CHATS.get(mutator.name)
    rule = other.rule if other else mutator.rule

    @given(conversations((mutator.model,), ids=st.just(value=True)))
    @settings(max_examples=12, suppress_health_check=list(HealthCheck))
    def check(made: Conversation) -> None:
        nonlocal applied
        contents = copy.deepcopy(made.contents)
        fault = mutator.apply(made, contents)
        assume(fault is not None)
        assert fault
        applied += 1
        found = _judge(in_chat(made), contents, **fault.body)

        place = fault.pointer.removesuffix(other.within) if other else fault.pointer
        pointer = as_pointer(place, contents, {**BODY, **fault.body})
        assert (rule, mutator.severity, pointer) in [
            (item.rule, item.severity, item.pointer) for item in found
        ]
        loud = {item.rule for item in found if item.severity != "info"} - {rule}
        assert loud <= mutator.consequences

    if mutator.name not in NOT_IN_CHATS:
        check()
        assert applied, "no conversation had a place for this fault"


@pytest.mark.parametrize(
    "mutator",
    [item for item in MUTATORS if item.name in NOT_IN_CHATS - {"allowed names in mode AUTO"}],
    ids=str,
)
def test_what_is_no_fault_in_a_chat_is_not_told(mutator: Mutator):
    @given(conversations((mutator.model,), ids=st.just(value=True)))
    @settings(max_examples=12, suppress_health_check=list(HealthCheck))
    def check(made: Conversation) -> None:
        contents = copy.deepcopy(made.contents)
        fault = mutator.apply(made, contents)
        found = _judge(in_chat(made), contents, **(fault.body if fault else {}))

        assert [item for item in found if item.severity != "info"] == []

    check()
