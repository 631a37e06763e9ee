"""Responses under another name than their call's."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.judge import Judge
from gemtape.checks.rules.mismatched_name import NAME
from tests.chats import chat_exchange
from tests.checks.helpers import entries, examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Weather and time?")
ONE = calls(call("weather", signature=SIGNATURE))
TWO = calls(call("weather", signature=SIGNATURE, id="a1"), call("time", id="a2"))


@pytest.mark.parametrize(
    ("history", "pointers"),
    [
        ([QUESTION, ONE, results(result("call_7f3a", {}))], ["/contents/2/parts/0"]),
        ([QUESTION, ONE, results(result("Weather", {}))], ["/contents/2/parts/0"]),
        (
            [QUESTION, TWO, results(result("weather", {}, id="a1"), result("clock", {}, id="a2"))],
            ["/contents/2/parts/1"],
        ),
        (
            [QUESTION, TWO, results(result("x", {}), result("y", {}))],
            ["/contents/2/parts/0", "/contents/2/parts/1"],
        ),
    ],
    ids=["an id as name", "another case", "paired by id", "paired by position"],
)
@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
def test_other_names(history: list, pointers: list[str], model: str):
    violations = judge(history, model=model)

    assert found(violations, NAME) == [("error", pointer) for pointer in pointers]
    assert {rule for rule, _ in loud(violations)} == {NAME}
    assert set(rejections(examine(history), NAME)) == {""}


@pytest.mark.parametrize("name", ["", None, 7, ["weather"]], ids=repr)
def test_no_name_is_refused(name: Any):
    history = [QUESTION, ONE, results(result(name, {}))]

    assert found(judge(history), NAME) == [("error", "/contents/2/parts/0")]
    assert rejections(examine(history), NAME) == [
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n"
    ]
    assert rejections(examine(history, surface="code-assist"), NAME) == [
        (
            "The GenerateContentRequest proto is invalid:\n  * contents[2].parts[0].function_response.name: "
            "Name cannot be empty."
        )
    ]


def test_a_response_to_nothing_needs_a_name_too():
    violations = judge([QUESTION, model_text("Hm."), results(result("", {}))])

    assert found(violations, NAME) == [("error", "/contents/2/parts/0")]


@pytest.mark.parametrize(
    "responses",
    [
        [result("weather", {}, id="a1"), result("time", {}, id="a2")],
        [result("time", {}, id="a2"), result("weather", {}, id="a1")],
        [result("weather", {}), result("time", {})],
    ],
    ids=["in order", "in another order", "without ids"],
)
def test_the_names_of_the_calls_are_fine(responses: list):
    assert loud(judge([QUESTION, TWO, results(*responses)])) == []


def test_a_call_without_a_name_expects_none():
    nameless = calls({"functionCall": {"args": {}}, "thoughtSignature": SIGNATURE})

    assert not found(judge([QUESTION, nameless, results(result("weather", {}))]), NAME)


@pytest.mark.parametrize("name", [None, "", "call_7f3a"])
def test_a_tool_message_of_a_chat_names_its_call_by_the_id(name: str | None):
    made = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    made["extra_content"] = {"google": {"thought_signature": SIGNATURE}}
    answered = {"role": "tool", "tool_call_id": "c1", "name": name, "content": "{}"}
    question = {"role": "user", "content": "Weather?"}
    tools = [{"type": "function", "function": {"name": "weather"}}]
    messages = [question, {"role": "assistant", "tool_calls": [made]}, answered]
    [entry] = entries([chat_exchange(messages, tools=tools)])

    assert loud(Judge().judge(entry)) == []
