"""Calls under the user, responses under the model, server-side parts without their other half."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.misplaced_part import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Ferries?")


def tool_call(call_id: str | None = "s1", tool: str = "GOOGLE_SEARCH_WEB") -> dict[str, Any]:
    value = {"toolType": tool, "args": {"queries": ["ferries"]}}
    return {"toolCall": {"id": call_id, **value} if call_id else value, "thoughtSignature": SIGNATURE}


def tool_response(call_id: str | None = "s1", tool: str = "GOOGLE_SEARCH_WEB") -> dict[str, Any]:
    value = {"toolType": tool, "response": {"found": 3}}
    return {"toolResponse": {"id": call_id, **value} if call_id else value, "thoughtSignature": SIGNATURE}


@pytest.mark.parametrize("role", ["user", "function"])
def test_a_call_under_the_user(role: str):
    history = [QUESTION, {"role": role, "parts": [call("ferry", signature=SIGNATURE)]}]

    assert found(judge(history, model="gemini-2.5-flash"), NAME) == [("error", "/contents/1/parts/0")]


def test_a_response_under_the_model():
    history = [QUESTION, calls(call("ferry", signature=SIGNATURE), result("ferry", {"at": "9:30"}))]

    assert found(judge(history), NAME) == [("error", "/contents/1/parts/1")]


def test_the_api_is_not_known_to_refuse_it():
    history = [QUESTION, calls(call("ferry", signature=SIGNATURE), result("ferry", {"at": "9:30"}))]

    assert rejections(examine(history), NAME) == [""]


@pytest.mark.parametrize(
    "parts",
    [
        [tool_call(), tool_response(), {"text": "Three."}],
        [tool_call(None), tool_response(None), {"text": "Three."}],
        [tool_call("a"), tool_call("b"), tool_response("b"), tool_response("a"), {"text": "Three."}],
        [tool_call("a"), tool_response(None), {"text": "Three."}],
    ],
    ids=["ids", "no ids", "another order", "id on one side"],
)
def test_pairs_of_server_side_parts_are_fine(parts: list):
    assert loud(judge([QUESTION, calls(*parts), user("And trains?")])) == []


@pytest.mark.parametrize(
    ("parts", "pointers"),
    [
        ([tool_call()], ["/contents/1/parts/0"]),
        ([tool_response()], ["/contents/1/parts/0"]),
        ([tool_call("a"), tool_response("b")], ["/contents/1/parts/0", "/contents/1/parts/1"]),
        ([tool_call(), tool_response(), tool_call("b", "URL_CONTEXT")], ["/contents/1/parts/2"]),
        (
            [tool_call(None), tool_response(None, "URL_CONTEXT")],
            ["/contents/1/parts/0", "/contents/1/parts/1"],
        ),
    ],
)
def test_lone_halves(parts: list, pointers: list[str]):
    violations = judge([QUESTION, calls(*parts, {"text": "Three."}), user("And trains?")])

    assert sorted(pointer for _, pointer in found(violations, NAME)) == pointers


def test_server_side_parts_belong_to_the_model():
    history = [QUESTION, results(tool_call(), tool_response()), user("And trains?")]

    assert [pointer for _, pointer in found(judge(history), NAME)] == [
        "/contents/1/parts/0",
        "/contents/1/parts/1",
    ]


def test_a_half_that_was_issued_without_the_other_comes_back_without_it():
    answer = calls(tool_call(), {"text": "I was cut off"})

    assert loud(judge(([QUESTION], answer), [QUESTION, answer, user("Go on")])) == []


def test_a_half_that_the_client_lost_is_found_beside_one_that_was_issued_alone():
    answer = calls(tool_call("a"), tool_call("b"), tool_response("b"), {"text": "I was cut off"})
    returned = calls(tool_call("a"), tool_call("b"), {"text": "I was cut off"})

    violations = judge(([QUESTION], answer), [QUESTION, returned, user("Go on")])

    assert found(violations, NAME) == [("error", "/contents/1/parts/1")]


def test_other_roles_are_another_rules_matter():
    history = [QUESTION, {"role": "assistant", "parts": [call("ferry")]}, model_text("x"), QUESTION]

    assert not found(judge(history), NAME)


def test_a_response_that_the_api_issued_in_the_models_content_belongs_there():
    answer = calls(call("ferry"), result("ferry", {"at": "9:30"}), {"text": "9:30."})

    assert (
        loud(judge(([QUESTION], answer), [QUESTION, answer, user("Thanks")], model="gemini-2.5-flash")) == []
    )


def test_a_second_response_beside_one_that_was_issued_is_found():
    issued = calls(call("ferry"), result("ferry", {"at": "9:30"}), call("train"))
    sent = calls(*issued["parts"], result("train", {"at": "9:40"}))

    violations = judge(([QUESTION], issued), [QUESTION, sent, user("Thanks")], model="gemini-2.5-flash")

    assert found(violations, NAME) == [("error", "/contents/1/parts/3")]
