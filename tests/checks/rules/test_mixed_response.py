"""Text behind a response in one content."""

from __future__ import annotations

import pytest

from gemtape.checks.rules.mixed_response import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, call, calls, result, results, user

QUESTION, CALLS = user("Wind?"), calls(call("wind", signature=SIGNATURE))
WIND = result("wind", {"ms": 14})
ERROR = {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-3-pro-preview", "gemini-3.7-flash"])
@pytest.mark.parametrize("role", ["user", "USER"])
def test_text_behind_a_response_is_a_warning_at_the_text(model: str, role: str):
    mixed = {"role": role, "parts": [WIND, {"text": "And gusts?"}]}

    assert found(judge([QUESTION, CALLS, mixed], model=model), NAME) == [("warning", "/contents/2/parts/1")]


def test_it_stays_advice_where_the_api_refused_the_request():
    violations = judge(([QUESTION, CALLS, results(WIND, {"text": "And gusts?"})], ERROR, 400))

    assert found(violations, NAME) == [("warning", "/contents/2/parts/1")]


@pytest.mark.parametrize(
    "parts",
    [
        [{"text": "Last round."}, WIND],
        [WIND, {"text": ""}],
        [WIND, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}],
    ],
    ids=["text in front", "empty text", "an image"],
)
def test_silence(parts: list):
    assert loud(judge([QUESTION, CALLS, results(*parts)])) == []


def test_text_in_a_content_of_its_own_is_fine():
    assert loud(judge([QUESTION, CALLS, results(WIND), user("And gusts?")])) == []


def test_one_finding_a_content():
    mixed = results(WIND, {"text": "a"}, {"text": "b"})

    assert found(judge([QUESTION, CALLS, mixed]), NAME) == [("warning", "/contents/2/parts/1")]
