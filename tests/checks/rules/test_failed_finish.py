"""Answers that stopped in the middle of a call."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.failed_finish import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, answer_body, call, calls, model_text, user

ASK = [user("Weather in Pune?")]
CALL = calls(call("weather", signature=SIGNATURE))
TOOLS = [{"functionDeclarations": [{"name": "weather"}]}]


def _answer(reason: str, content: dict | None = None, message: str = "") -> dict[str, Any]:
    body = answer_body(content if content is not None else {})
    body["candidates"][0].update(finishReason=reason, **({"finishMessage": message} if message else {}))
    return body


@pytest.mark.parametrize(
    "reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE"]
)
@pytest.mark.parametrize(
    ("surface", "pointer"),
    [
        ("gemini-api", "/candidates/0/finishReason"),
        ("vertex", "/candidates/0/finishReason"),
        ("code-assist", "/response/candidates/0/finishReason"),
    ],
)
def test_it_is_a_warning_on_the_answer(reason: str, surface: str, pointer: str):
    violations = judge((ASK, _answer(reason)), surface=surface, tools=TOOLS)

    assert found(violations, NAME) == [("warning", pointer)]
    assert violations[-1].at == "response"
    assert reason in violations[-1].message


def test_the_finish_message_is_told_and_cut():
    message = judge((ASK, _answer("MALFORMED_FUNCTION_CALL", message="print(" + "x" * 900)), tools=TOOLS)[
        -1
    ].message

    assert "does not parse: print(x" in message
    assert len(message) < 400


def test_the_last_event_of_a_stream_counts():
    events = [answer_body(model_text("I look.")), _answer("MALFORMED_FUNCTION_CALL")]
    del events[0]["candidates"][0]["finishReason"]

    assert found(judge((ASK, events), tools=TOOLS), NAME)


def test_the_output_limit_matters_only_with_a_call():
    assert found(judge((ASK, _answer("MAX_TOKENS", CALL)), tools=TOOLS), NAME) == [
        ("warning", "/candidates/0/finishReason")
    ]
    assert not found(judge((ASK, _answer("MAX_TOKENS", model_text("The weather"))), tools=TOOLS), NAME)


@pytest.mark.parametrize(
    "reason", ["STOP", "SAFETY", "RECITATION", "OTHER", "TOO_MANY_TOOL_CALLS", "", "A_NEW_ONE"]
)
def test_other_reasons_are_fine(reason: str):
    assert loud(judge((ASK, _answer(reason, CALL)), tools=TOOLS)) == []
