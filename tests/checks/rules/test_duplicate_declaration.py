"""Functions that are declared twice."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.duplicate_declaration import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import user

QUESTION = [user("Weather?")]


def _tool(*names: Any) -> dict[str, Any]:
    return {"functionDeclarations": [{"name": name, "description": "d"} for name in names]}


@pytest.mark.parametrize(
    ("tools", "pointers"),
    [
        ([_tool("a", "b", "a")], ["/tools/0/functionDeclarations/2"]),
        ([_tool("a"), _tool("b", "a")], ["/tools/1/functionDeclarations/1"]),
        ([_tool("a", "a", "a")], ["/tools/0/functionDeclarations/1", "/tools/0/functionDeclarations/2"]),
        ([{"function_declarations": [{"name": "a"}, {"name": "a"}]}], ["/tools/0/functionDeclarations/1"]),
        ({"functionDeclarations": [{"name": "a"}, {"name": "a"}]}, ["/tools/0/functionDeclarations/1"]),
    ],
)
def test_every_further_occurrence_is_an_error(tools: Any, pointers: list[str]):
    violations = judge({"contents": QUESTION, "tools": tools})

    assert found(violations, NAME) == [("error", pointer) for pointer in pointers]
    assert {rule for rule, _ in loud(violations)} == {NAME}


def test_the_message_says_where_the_first_is_and_the_api_names_the_function():
    body = {"contents": QUESTION, "tools": [_tool("a"), _tool("b", "a")]}

    [violation] = judge(body)

    assert violation.message == "function 'a' is declared already, at tools[0].functionDeclarations[0]"
    assert rejections(examine(body), NAME) == ["Duplicate function declaration found: a"]


@pytest.mark.parametrize(
    "tools", [[_tool("a", "b")], [_tool("a", "A", "a_")], [_tool("a"), {"googleMaps": {}}]]
)
def test_different_names_are_fine(tools: list):
    assert not found(judge({"contents": QUESTION, "tools": tools}), NAME)


def test_declarations_without_a_name_are_no_duplicates():
    assert not found(judge({"contents": QUESTION, "tools": [_tool("", "", None, None, 7, 7)]}), NAME)


def test_code_assist_points_into_the_wrapped_request():
    violations = judge({"contents": QUESTION, "tools": [_tool("a", "a")]}, surface="code-assist")

    assert found(violations, NAME) == [("error", "/request/tools/0/functionDeclarations/1")]
