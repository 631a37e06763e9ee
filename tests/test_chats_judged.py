"""Chats judged: what faithful clients send is left in peace, what nobody should send is told, and nothing ever fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import reduce
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gemtape.cassettes.canonical import NOT_JSON
from gemtape.cassettes.models import Exchange, Request, Response
from gemtape.checks.finding import Severity
from gemtape.checks.judge import Judge
from tests.chats import PATH, chat_exchange
from tests.checks.chattapes import in_chat
from tests.checks.clients import FAITHFUL
from tests.checks.helpers import entries, loud
from tests.checks.tape import Tape
from tests.factories import unary
from tests.strategies import HOSTILE

SYSTEM = {"role": "system", "content": "Be brief."}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Pune"}'}}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": '{"celsius": 21}'}
NOT_IN_CHATS = {
    "another_candidate_chosen",
    "signature_of_a_thought_moved_to_the_call_or_left_with_it",
    "streamed_arguments_as_they_came_or_folded",
    "images_with_one_signature_in_two_answers",
}
"""Scenarios of what a chat has no form for."""


@pytest.mark.parametrize(
    "scenario",
    [item for item in FAITHFUL if item.__name__ not in NOT_IN_CHATS],
    ids=lambda scenario: scenario.__name__,
)
def test_what_faithful_clients_send_is_left_in_peace_in_a_chat_too(scenario: Callable[[], Tape]):
    judge = Judge()
    asked = entries([in_chat(item) for item in scenario().exchanges])

    assert loud([item for entry in asked for item in judge.judge(entry)]) == []


FIELDS = ["role", "content", "tool_calls", "tool_call_id", "extra_content", "function_call", "name"]
ROLES = st.sampled_from(["system", "user", "assistant", "model", "tool", "function"])
MESSAGES = (
    st.fixed_dictionaries({"role": ROLES | HOSTILE}, optional=dict.fromkeys(FIELDS[1:], HOSTILE)) | HOSTILE
)
CALLING = st.fixed_dictionaries(
    {}, optional={name: HOSTILE | st.text() for name in ("id", "type", "index", "function", "extra_content")}
)
SAID = st.fixed_dictionaries(
    {"role": ROLES}, optional={"tool_calls": st.lists(CALLING, max_size=3), "content": HOSTILE}
)
BODIES = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES | SAID, max_size=5) | HOSTILE},
    optional=dict.fromkeys(("model", "tools", "tool_choice", "functions", "extra_body", "contents"), HOSTILE),
)
ANSWERS = HOSTILE | st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {}, optional={"message": SAID, "delta": SAID, "index": HOSTILE, "finish_reason": HOSTILE}
            ),
            max_size=3,
        )
    }
)


@given(st.lists(st.tuples(BODIES | HOSTILE, ANSWERS, st.sampled_from([200, 400])), min_size=1, max_size=3))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_raises_and_what_is_said_can_be_reported(asked: list[Any]):
    made = [
        Exchange(
            Request("POST", PATH, body=json.dumps(body).encode()), unary(answer, status), started_at=float(at)
        )
        for at, (body, answer, status) in enumerate(asked, 1)
    ]
    judge = Judge()
    for entry in entries(made):
        for item in judge.judge(entry):
            assert item.severity in list(Severity)
            assert item.pointer.startswith("/")
            assert "/contents" not in item.pointer or entry.layout.envelope is None


TAPES = [
    [in_chat(item) for item in scenario().exchanges]
    for scenario in FAITHFUL
    if scenario.__name__ not in NOT_IN_CHATS
]
ODD = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "{}",
        "null",
        "c1",
        "<thought>x</thought>y",
        [],
        {},
        [[]],
        [None],
        {"a/b": 1, "~": 2},
    ),
    *("tool", "user", "assistant", "system", {"google": {"thought_signature": "x"}}, {"google": None}),
    *(
        [{"type": "text", "text": "t"}],
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}],
    ),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside another one."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, inner in members:
        yield (*path, name)
        yield from places(inner, (*path, name))


def value_at(value: Any, path: Sequence[Any]) -> Any:
    return reduce(lambda outer, name: outer[int(name) if isinstance(outer, list) else name], path, value)


def mutated(body: Any, random: Random) -> Any:
    """A chat with one to three of its values replaced, lost, said twice or put elsewhere."""
    body = deepcopy(body)
    for _ in range(random.randint(1, 3)):
        known = list(places(body))
        *way, last = random.choice(known)
        outer = value_at(body, way)
        action = random.randrange(4)
        if action == 0:
            outer[last] = deepcopy(random.choice(ODD))
        elif action == 1:
            del outer[last]
        elif action == 2 and isinstance(outer, list):
            outer.insert(last, deepcopy(random.choice(outer)))
        else:
            outer[last] = deepcopy(value_at(body, random.choice(known)))
        if not body:
            break
    return body


@given(st.sampled_from(range(len(TAPES))), st.integers())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_said_of_a_chat_points_into_it_as_it_was_sent(tape: int, seed: int):
    """To a value, or to the place of one that is missing."""
    random, judge = Random(seed), Judge()
    bodies = [mutated(item.request.json, random) for item in TAPES[tape]]
    made = [
        replace(item, request=replace(item.request, body=json.dumps(body).encode()))
        for item, body in zip(TAPES[tape], bodies, strict=True)
    ]
    for entry, body in zip(entries(made), bodies, strict=True):
        if isinstance(body.get("tools"), dict):
            body["tools"] = [body["tools"]]  # as it is read
        for item in judge.judge(entry):
            *way, last = [part.replace("~1", "/").replace("~0", "~") for part in item.pointer.split("/")[1:]]
            if way[:1] != ["choices"]:  # it is said of the answer
                outer = value_at(body, way)
                assert isinstance(outer, dict) or 0 <= int(last) < len(outer)


@pytest.mark.parametrize(
    "body", [b"", b"[", b"null", b'{"messages": 7}', b'{"messages": []}', b'{"messages": [null]}']
)
def test_a_body_that_holds_no_chat(body: bytes):
    request = Request("POST", PATH, body=body)
    [entry] = entries([Exchange(request, Response(400, (), ()), started_at=1.0)])

    assert (entry.layout.envelope is None) == (request.json is NOT_JSON)
    assert (
        "empty-content" in [rule for rule, _ in loud(Judge().judge(entry))] or body == b'{"messages": [null]}'
    )


def test_long_runs_of_odd_messages_are_read_in_no_time():
    many = 1_000
    for messages in (
        [SYSTEM] * many,
        [CALLS] * many,
        [CALLS, *[RESULT] * many],
        [{**CALLS, "tool_calls": [{**CALL, "id": str(at)} for at in range(many)]}, *[RESULT] * 9],
    ):
        [entry] = entries([chat_exchange(messages)])
        assert Judge().judge(entry)
