"""Requests, contents and parts with nothing in them."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.models import Exchange as Recorded
from gemtape.cassettes.models import Failure, Request
from gemtape.checks.judge import Judge
from gemtape.checks.rules.empty_content import NAME
from tests.checks.helpers import entries, examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

HELLO, THERE = user("Hello"), user("Are you there?")


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview"])
@pytest.mark.parametrize(
    "content",
    [
        {"role": "model", "parts": []},
        {"role": "model"},
        {"role": "model", "parts": None},
        {},
        None,
        "Hi",
        7,
        [],
    ],
    ids=str,
)
def test_a_content_without_parts(content: Any, model: str):
    violations = judge([HELLO, content, THERE], model=model)

    assert found(violations, NAME) == [("error", "/contents/1")]
    assert loud(violations) == [(NAME, "/contents/1")]


@pytest.mark.parametrize(
    "part",
    [
        {},
        None,
        {"text": None},
        {"thought": True},
        {"thoughtSignature": SIGNATURE},
        {"thought_signature": SIGNATURE, "thought": True},
        {"videoMetadata": {"fps": 2}},
    ],
    ids=str,
)
def test_a_part_without_data(part: Any):
    violations = judge([HELLO, calls({"text": "Hi."}, part), THERE])

    assert found(violations, NAME) == [("error", "/contents/1/parts/1")]


@pytest.mark.parametrize(
    "part",
    [
        {"text": ""},
        {"text": "", "thoughtSignature": SIGNATURE},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"file_data": {"file_uri": "files/a"}},
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        {"code_execution_result": {"outcome": "OUTCOME_OK"}},
        {"audioTranscription": {"text": "hm"}},
        {"dataOfTheFuture": {}},
    ],
    ids=lambda part: next(iter(part)),
)
def test_whatever_holds_or_may_hold_data_is_not_empty(part: dict):
    assert not found(judge([HELLO, calls({"text": "Hi."}, part), THERE]), NAME)


def test_a_carrier_part_that_came_without_data_goes_back_without_it():
    answer = calls({"text": "Hi."}, {"thoughtSignature": SIGNATURE})

    assert loud(judge(([HELLO], answer), [HELLO, answer, THERE])) == []


def test_a_part_that_lost_its_data_is_found_though_its_signature_was_issued():
    answer = calls({"text": "Hi.", "thoughtSignature": SIGNATURE})

    violations = judge(([HELLO], answer), [HELLO, calls({"thoughtSignature": SIGNATURE}), THERE])

    assert found(violations, NAME) == [("error", "/contents/1/parts/0")]


@pytest.mark.parametrize("body", [{}, {"contents": []}, {"contents": None}, {"messages": [HELLO]}], ids=str)
def test_a_request_without_contents(body: dict):
    assert loud(judge(body)) == [(NAME, "/contents")]


@pytest.mark.parametrize("body", [{"contents": "Hello"}, {"contents": 7}, {"contents": True}], ids=str)
def test_contents_that_are_no_list(body: dict):
    assert loud(judge(body)) == [(NAME, "/contents")]
    assert rejections(examine(body), NAME) == [""]


def test_code_assist_points_into_the_wrapped_request():
    assert loud(judge({"generationConfig": {}}, surface="code-assist")) == [(NAME, "/request/contents")]


@pytest.mark.parametrize("body", [b"{", b"contents=Hello", b"\xff\xfe", b"[" * 500 + b"]" * 500])
def test_a_body_that_cannot_be_read(body: bytes):
    request = Request("POST", "/v1beta/models/gemini-3-pro-preview:generateContent", body=body)
    [entry] = entries([Recorded(request, failure=Failure.RESET)])

    violations = Judge().judge(entry)

    assert found(violations, NAME) == [("error", "/contents")]
    assert rejections(Judge().findings(entry), NAME) == [""]


def test_single_objects_instead_of_lists_are_fine():
    assert loud(judge({"contents": {"parts": {"text": "Hello"}}})) == []


@pytest.mark.parametrize(
    ("request_", "gemini", "vertex", "assist"),
    [
        (
            {"contents": []},
            "* GenerateContentRequest.contents: contents is not specified\n",
            "Unable to submit request because at least one contents field is required.",
            "The GenerateContentRequest proto is invalid:\n  * contents: contents is not specified",
        ),
        (
            [HELLO, model_text(""), {"role": "model", "parts": []}, THERE],
            "* GenerateContentRequest.contents[2].parts: contents.parts must not be empty.\n",
            "Unable to submit request because it must include at least one parts field",
            "The GenerateContentRequest proto is invalid:\n  * contents[2].parts: contents.parts must not be empty.",
        ),
        (
            [HELLO, calls({"text": "Hi."}, {}), THERE],
            (
                "* GenerateContentRequest.contents[1].parts[1].data: required oneof field 'data' must have one "
                "initialized field\n"
            ),
            "Unable to submit request because it must include at least one parts field",
            "The GenerateContentRequest proto is invalid:\n  * contents[1].parts[1].data: required oneof field",
        ),
    ],
    ids=["contents", "parts", "data"],
)
def test_the_apis_words(request_: Any, gemini: str, vertex: str, assist: str):
    def words(surface: str) -> str:
        return rejections(examine(request_, surface=surface), NAME)[0]

    assert words("gemini-api") == gemini
    assert words("vertex").startswith(vertex)
    assert words("code-assist").startswith(assist)


def test_a_healthy_step_is_not_empty():
    step = [calls(call("weather", signature=SIGNATURE)), results(result("weather", {}))]

    assert loud(judge([HELLO, *step])) == []
