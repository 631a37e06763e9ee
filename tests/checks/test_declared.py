"""The functions that tools declare, and the calls that answers issue."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.folding import fold_events
from gemtape.cassettes.schema import TOOL
from gemtape.cassettes.turns import Turn, TurnTree
from gemtape.checks.declared import call_faults, declarations, issued_calls
from tests.factories import answer_body, call, calls

TAKES_INTEGER = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}}


def _tools(*tools: Any) -> Turn:
    return TurnTree().intern(tools, TOOL)


def _declaring(*declared: Any) -> Turn:
    return _tools({"functionDeclarations": list(declared)})


def test_declarations_of_all_tools_by_name():
    tools = _tools(
        {"function_declarations": {"name": "a"}},
        {"googleSearch": {}},
        {"functionDeclarations": [{"name": "b", "description": "x"}, {"name": "a"}]},
    )

    assert {name: len(found) for name, found in declarations(tools).items()} == {"a": 2, "b": 1}
    assert declarations(tools) is declarations(tools)


@pytest.mark.parametrize(
    "tool", ["text", None, 3, {"functionDeclarations": "x"}, {"functionDeclarations": [3, {"name": 4}, {}]}]
)
def test_broken_tools_declare_nothing(tool: Any):
    assert declarations(_tools(tool)) == {}


def test_no_tools_declare_nothing():
    assert declarations(TurnTree().root(TOOL)) == {}


@pytest.mark.parametrize(
    ("issued", "faults"),
    [
        ({"name": "f", "args": {"n": 1}}, 0),
        ({"name": "f"}, 0),
        ({"name": "f", "args": {"n": "x"}}, 1),
        ({"name": "f", "args": "n"}, 1),
        ({"name": "g", "args": {"n": "x"}}, 0),
        ({"name": ["f"], "args": {"n": "x"}}, 0),
        ({}, 0),
    ],
    ids=str,
)
def test_faults_of_a_call(issued: dict, faults: int):
    assert len(call_faults(_declaring({"name": "f", "parameters": TAKES_INTEGER}), issued)) == faults


def test_a_function_declared_twice_takes_what_either_takes():
    twice = _declaring(
        {"name": "f", "parameters": TAKES_INTEGER},
        {"name": "f", "parametersJsonSchema": {"properties": {"n": {"type": "string"}}}},
    )

    assert call_faults(twice, {"name": "f", "args": {"n": "x"}}) == []
    assert call_faults(twice, {"name": "f", "args": {"n": []}})


def test_calls_of_an_answer_with_their_parts():
    """A thought's call is none; a call whose arguments were streamed is one, at its first part."""
    thought = {**call("no"), "thought": True}
    started = {"functionCall": {"name": "b", "willContinue": True}}
    piece = {"functionCall": {"partialArgs": [{"jsonPath": "$.n", "numberValue": 3}]}}
    events = [
        answer_body(calls({"text": "x"}, thought, call("a", {"n": 1}))),
        answer_body(calls(started)),
        answer_body(calls(piece)),
    ]

    assert list(issued_calls(fold_events(events))) == [
        (2, {"name": "a", "args": {"n": 1}}),
        (3, {"name": "b", "args": {"n": 3}}),
    ]
