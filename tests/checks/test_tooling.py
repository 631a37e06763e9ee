"""What a request offers besides its own declarations."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.judge import Judge
from gemtape.checks.rule import RequestContext, Rule
from gemtape.checks.tooling import declares_elsewhere, server_side_tools, validates_by_default
from tests.checks.helpers import entries
from tests.checks.pages import Example, Step
from tests.factories import user


def _context(**body: Any) -> RequestContext:
    """The context that rules get for a request."""
    seen: list[RequestContext] = []
    probe = Rule("probe", "", on_request=lambda context: iter(seen.append(context) or ()))
    [entry] = entries(Example(steps=[Step({"contents": [user("Hi")], **body})]).exchanges)
    Judge([probe]).findings(entry)
    return seen[0]


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ([{"googleSearch": {}}, {"code_execution": {}}], ["googleSearch", "codeExecution"]),
        ([{"computerUse": {}}, {"functionDeclarations": [{"name": "a"}]}], []),
        ({"urlContext": {}}, ["urlContext"]),
        (["googleSearch", None, 7], []),
        ("googleSearch", []),
    ],
    ids=str,
)
def test_server_side_tools(tools: Any, names: list[str]):
    assert server_side_tools(_context(tools=tools)) == names


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, False),
        ({"tools": [{"functionDeclarations": [{"name": "a"}]}]}, False),
        ({"tools": [{"mcpServers": [{"name": "s"}]}]}, True),
        ({"cachedContent": "cachedContents/a"}, True),
        ({"functions": [{"name": "a"}]}, True),
        ({"cached_content": ""}, False),
        ({"tools": ["mcpServers"]}, False),
    ],
    ids=str,
)
def test_functions_may_be_declared_elsewhere(body: dict, expected: bool):
    assert declares_elsewhere(_context(**body)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, False),
        ({"tools": [{"googleSearch": {}}]}, True),
        ({"generationConfig": {"responseMimeType": "application/json"}}, True),
        ({"generationConfig": {"responseMimeType": "text/plain"}}, False),
        ({"generation_config": {"response_schema": {"type": "OBJECT"}}}, True),
        ({"generationConfig": 7}, False),
    ],
    ids=str,
)
def test_a_mode_that_is_not_set_may_mean_validated(body: dict, expected: bool):
    assert validates_by_default(_context(**body)) is expected
