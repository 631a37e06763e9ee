from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.asker import Asker, asker_of
from gemtape.checks.chat import as_generate
from tests.checks.helpers import entries
from tests.checks.tape import Tape
from tests.factories import exchange, user

LONG = "You plan journeys and look up the weather where they lead. Answer in the language of the user."
TOOLS = [{"functionDeclarations": [{"name": name} for name in "abcd"]}]


def askers(*requests: dict[str, Any]) -> list[Asker]:
    tape = Tape()
    for request in requests:
        tape.ask([user("x")], **request)
    return [asker_of(entry) for entry in entries(tape.exchanges)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({"instruction": LONG, "tools": TOOLS}, {"instruction": LONG, "tools": TOOLS}),
        ({"instruction": f"It is 10:00. {LONG}"}, {"instruction": f"It is 11:30, Monday. {LONG}"}),
        ({"tools": TOOLS}, {"tools": [*TOOLS, {"functionDeclarations": [{"name": "e"}]}]}),
        (
            {"tools": TOOLS},
            {"tools": [{"functionDeclarations": [{"name": n, "description": "new"} for n in "dcba"]}]},
        ),
        ({"instruction": LONG}, {"instruction": LONG, "model": "gemini-2.5-flash"}),
        ({"tools": TOOLS}, {"tools": TOOLS, "model": "gemini-2.5-flash"}),
    ],
    ids=[
        "nothing",
        "all",
        "clock",
        "one-tool-more",
        "tools-in-other-order",
        "other-model-told",
        "other-model-tools",
    ],
)
def test_one_agent(one: dict, other: dict):
    first, second = askers(one, other)

    assert first.is_like(second)
    assert second.is_like(first)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"instruction": LONG}, {}),
        (
            {"instruction": LONG},
            {"instruction": "Write a title of at most five words for what the user says."},
        ),
        ({"instruction": LONG, "tools": TOOLS}, {"instruction": LONG}),
        ({"tools": TOOLS}, {"tools": [{"functionDeclarations": [{"name": "e"}, {"name": "f"}]}]}),
        ({"tools": TOOLS}, {"tools": [{"googleSearch": {}}]}),
        ({}, {"model": "gemini-2.5-flash"}),
    ],
    ids=["no-instruction", "instruction", "no-tools", "tools", "built-in", "model"],
)
def test_two_agents(one: dict, other: dict):
    first, second = askers(one, other)

    assert not first.is_like(second)
    assert not second.is_like(first)


@pytest.mark.parametrize(
    "tools", [[3], [{"functionDeclarations": 3}], [{"functionDeclarations": [3, {}]}], [None]]
)
def test_malformed_tools_are_compared_as_they_are(tools: list):
    first, second, third = askers({"tools": tools}, {"tools": tools}, {"tools": TOOLS})

    assert first.is_like(second)
    assert isinstance(first.is_like(third), bool)


def asker(turns: TurnTree, item: Exchange) -> Asker:
    return asker_of(as_generate(entry_of(item, Redactor(), turns)))


def test_the_more_is_equal_the_more_alike_they_are():
    """Tools described anew and an instruction with the time in it leave an agent what it is, but no twin."""
    turns = TurnTree()

    def made(words: str = LONG, description: str = "old", **more: Any) -> Asker:
        tools = [{"functionDeclarations": [{"name": "f", "description": description}]}]
        told = {"systemInstruction": {"parts": [{"text": words}]}, "tools": tools}
        return asker(turns, exchange([user("x")], **told, **more))

    first = made()
    others = [
        made(),
        made(generationConfig={"temperature": 0.1}),
        made(description="new"),
        made(path="/v1beta/models/gemini-3-pro-preview:streamGenerateContent"),
        made(f"It is 10:00. {LONG}", "new"),
    ]

    assert [first.likeness(other) for other in others] == [4, 3, 3, 3, 2]
    assert all(first.is_like(other) for other in others)
    assert [first.key == other.key for other in others] == [True, False, False, False, False]


def test_chat_completions_differ_in_what_no_rule_reads_too():
    turns = TurnTree()

    def made(**more: Any) -> Asker:
        body = {"model": "gemini-3-pro-preview", "messages": [{"role": "user", "content": "x"}], **more}
        request = Request("POST", "/v1beta/openai/chat/completions", body=json.dumps(body).encode())
        return asker(turns, Exchange(request, None))

    assert made().key == made().key
    assert made().key != made(temperature=0.1).key
