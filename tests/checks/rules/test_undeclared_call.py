"""Calls of functions that the request does not declare."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.undeclared_call import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, answer_body, call, calls, user

ASK = [user("Weather in Pune?")]
TOOLS = [{"functionDeclarations": [{"name": "get_forecast", "description": "x"}]}]
WEATHER = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE))


def _messages(*steps: Any, **example: Any) -> list[str]:
    return [item.message for item in judge(*steps, **example) if item.rule == NAME]


@pytest.mark.parametrize(
    ("surface", "prefix"), [("gemini-api", ""), ("vertex", ""), ("code-assist", "/response")]
)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_it_is_a_warning_on_the_answer(surface: str, prefix: str, model: str):
    violations = judge((ASK, WEATHER), tools=TOOLS, surface=surface, model=model)

    assert found(violations, NAME) == [("warning", f"{prefix}/candidates/0/content/parts/0")]
    assert [item.at for item in violations if item.rule == NAME] == ["response"]


def test_each_undeclared_call_of_a_batch_is_named():
    batch = calls({"text": "I look."}, call("get_forecast", signature=SIGNATURE), call("a"), call("b"))

    violations = judge((ASK, batch), tools=TOOLS)
    assert [pointer for _, pointer in found(violations, NAME)] == [
        "/candidates/0/content/parts/2",
        "/candidates/0/content/parts/3",
    ]


def test_in_a_stream_the_place_is_that_of_the_folded_answer():
    events = [answer_body(calls({"text": "I "})), answer_body(calls({"text": "look."})), answer_body(WEATHER)]

    assert found(judge((ASK, events), tools=TOOLS), NAME) == [("warning", "/candidates/0/content/parts/1")]


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        (["get_wether", "get_time"], "it declares get_wether"),
        (["aaa", "bbb"], "it declares aaa, bbb"),
        ([letter * 9 for letter in "abcdfgh"], "ddddddddd, fffffffff and 2 more"),
    ],
)
def test_the_message_says_what_is_declared(names: list[str], hint: str):
    tools = [{"functionDeclarations": [{"name": name} for name in names]}]

    assert _messages((ASK, WEATHER), tools=tools)[0].endswith(hint)


def test_a_request_without_tools_declares_nothing():
    assert _messages(({"contents": ASK}, WEATHER)) == [
        "the model called 'get_weather', which the request does not declare; it declares no function"
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"contents": ASK, "cachedContent": "cachedContents/abc"},
        {"contents": ASK, "tools": [{"mcpServers": [{"name": "weather"}]}]},
        {"contents": ASK, "tools": [{"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]},
        {"contents": ASK, "tools": [{"function_declarations": {"name": "get_weather"}}]},
    ],
    ids=["cached content", "tool server", "computer use", "snake case"],
)
def test_functions_may_be_declared_elsewhere_or_otherwise(body: dict):
    assert not found(judge((body, WEATHER)), NAME)


@pytest.mark.parametrize(
    "answer",
    [
        {"functionCall": {"args": {}}},
        {"functionCall": {"name": "", "args": {}}},
        {"functionCall": {"name": ["x"]}},
        {"functionCall": "x"},
        {"functionCall": {"name": "get_weather"}, "thought": True},
        {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "id": "1"}},
    ],
    ids=str,
)
def test_what_names_no_function_is_no_undeclared_call(answer: dict):
    assert not found(judge((ASK, calls(answer)), tools=TOOLS), NAME)


def test_a_declared_call_is_fine():
    assert loud(judge((ASK, calls(call("get_forecast", signature=SIGNATURE))), tools=TOOLS)) == []
