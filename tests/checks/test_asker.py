from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.asker import Asker, asker_of
from tests.checks.helpers import entries
from tests.checks.tape import Tape
from tests.factories import user

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
