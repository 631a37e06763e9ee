"""Responses to one batch of calls in several contents."""

from __future__ import annotations

import pytest

from gemtape.checks.apierrors import COUNT
from gemtape.checks.judge import Judge
from gemtape.checks.rules.split_responses import NAME
from tests.chats import PATH, chat_exchange
from tests.checks.helpers import entries, examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, result, results, user

QUESTION = user("Weather and time?")
CALLS = calls(call("weather", signature=SIGNATURE), call("time"))
WEATHER, TIME = result("weather", {"c": 31}), result("time", {"t": "9"})
SPLIT = [QUESTION, CALLS, results(WEATHER), results(TIME)]


@pytest.mark.parametrize(
    ("surface", "severity"), [("gemini-api", "warning"), ("vertex", "error"), ("code-assist", "error")]
)
def test_severity_is_that_of_the_surface(surface: str, severity: str):
    pointer = "/request/contents/2" if surface == "code-assist" else "/contents/2"

    violations = judge(SPLIT, surface=surface)

    assert found(violations, NAME) == [(severity, pointer)]
    assert loud(violations) == [(NAME, pointer)]


def test_only_where_one_content_counts_the_api_is_known_to_refuse():
    assert rejections(examine(SPLIT, surface="vertex"), NAME) == [COUNT]
    assert rejections(examine(SPLIT), NAME) == [""]


def test_a_400_that_nothing_else_explains_makes_it_an_error():
    error = {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}

    assert found(judge((SPLIT, error, 400)), NAME) == [("error", "/contents/2")]


def test_the_first_content_of_the_batch_is_named_also_behind_a_text():
    history = [QUESTION, CALLS, user("One moment."), results(WEATHER), user("And:"), results(TIME)]

    assert found(judge(history), NAME) == [("warning", "/contents/3")]


def test_calls_in_two_contents_and_their_responses_in_one_are_fine():
    split_calls = [calls(call("weather", signature=SIGNATURE)), calls(call("time", signature=SIGNATURE))]

    assert not found(judge([QUESTION, *split_calls, results(WEATHER, TIME)], surface="vertex"), NAME)


def test_a_response_to_nothing_is_no_part_of_the_batch():
    history = [QUESTION, calls(call("time", signature=SIGNATURE)), results(TIME), results(WEATHER)]

    violations = judge(history, surface="vertex")

    assert loud(violations) == [("orphan-response", "/contents/3/parts/0")]


@pytest.mark.parametrize("mark", [{"willContinue": True}, {"scheduling": "SILENT"}])
def test_asynchronous_responses_may_come_in_pieces(mark: dict):
    late = {"functionResponse": {**WEATHER["functionResponse"], **mark}}

    assert not found(judge([QUESTION, CALLS, results(late), results(TIME)], surface="vertex"), NAME)


def test_older_turns_count_too():
    later = [*SPLIT, calls({"text": "31, 9"}), user("Thanks")]

    assert found(judge(later, surface="vertex"), NAME) == [("error", "/contents/2")]


def test_in_a_chat_every_response_is_a_message_of_its_own():
    made = [
        {"id": f"c{at}", "type": "function", "function": {"name": f"f{at}", "arguments": "{}"}}
        for at in range(2)
    ]
    made[0]["extra_content"] = {"google": {"thought_signature": SIGNATURE}}
    answered = [{"role": "tool", "tool_call_id": f"c{at}", "content": "{}"} for at in range(2)]
    question = {"role": "user", "content": "Weather and time?"}
    tools = [{"type": "function", "function": {"name": f"f{at}"}} for at in range(2)]
    for path in (PATH, "/v1/projects/p/locations/global/endpoints/openapi/chat/completions"):
        messages = [question, {"role": "assistant", "tool_calls": made}, *answered]
        [entry] = entries([chat_exchange(messages, path=path, tools=tools)])

        assert loud(Judge().judge(entry)) == []
