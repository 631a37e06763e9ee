"""What the API is known to refuse, by the request alone."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.checks import strict
from gemtape.checks.finding import Severity
from gemtape.checks.selection import Selection
from gemtape.checks.strict import Strict
from tests.chats import chat_exchange
from tests.factories import SIGNATURE, call, calls, exchange, result, results, user

SOUND = [user("a"), calls(call("f", signature=SIGNATURE)), results(result("f", {}))]
UNSIGNED = [user("a"), calls(call("f")), results(result("f", {}))]
STREAM = "/v1beta/models/gemini-3-pro-preview:streamGenerateContent"


def entry(contents: Any, **more: Any) -> Entry:
    return entry_of(exchange(contents, **more), Redactor(), TurnTree())


def test_sound_request_is_not_refused():
    assert Strict().rejection(entry(SOUND)) is None


def test_refusal_is_the_apis_own():
    rejection = Strict().rejection(entry(UNSIGNED))

    assert rejection
    error = orjson.loads(rejection.body)["error"]
    assert (rejection.status, error["code"], error["status"]) == (400, 400, "INVALID_ARGUMENT")
    assert error["message"].startswith("Function call is missing a thought_signature in functionCall parts.")
    assert rejection.headers == (("content-type", "application/json; charset=UTF-8"),)
    assert rejection.fault == ("missing-signature", "/contents/1/parts/0")


@pytest.mark.parametrize(("query", "listed"), [("alt=sse", False), ("", True)])
def test_refusal_of_an_array_stream_comes_in_a_list(query: str, listed: bool):
    rejection = Strict().rejection(entry(UNSIGNED, path=STREAM, query=query))

    assert rejection
    assert isinstance(orjson.loads(rejection.body), list) is listed


@pytest.mark.parametrize("stream", [False, True])
def test_refusal_of_a_chat_completion_comes_in_a_list_and_points_into_the_messages(stream: bool):
    """And says what the API itself says, which counts contents: an instruction is none."""
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "a"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "b"},
    ]
    asked = entry_of(chat_exchange(messages, stream=stream), Redactor(), TurnTree())

    rejection = Strict().rejection(asked)

    assert rejection
    [refusal] = orjson.loads(rejection.body)
    assert "function call `default_api:f` , position 2." in refusal["error"]["message"]
    assert rejection.fault == ("missing-signature", "/messages/2/tool_calls/0")
    assert rejection.message.endswith("has no extra_content.google.thought_signature")
    assert Strict().words(asked).startswith("missing-signature at /messages/2/tool_calls/0: ")


def test_older_models_are_not_held_to_it():
    assert Strict().rejection(entry(UNSIGNED, model="gemini-2.5-pro")) is None


def test_other_actions_are_not_judged():
    assert Strict().rejection(entry(UNSIGNED, path="/v1beta/models/gemini-3-pro:countTokens")) is None


def test_the_same_fault_is_the_same_rule_at_the_same_place():
    longer = [*UNSIGNED, calls(call("g")), results(result("g", {}))]
    judge = Strict()

    faults = [judge.rejection(entry(contents)) for contents in (UNSIGNED, UNSIGNED, longer, SOUND)]

    assert [item.fault[1] if item else None for item in faults] == [
        "/contents/1/parts/0",
        "/contents/1/parts/0",
        "/contents/1/parts/0",
        None,
    ]


def test_words_name_what_is_wrong_without_being_refused():
    mismatched = [
        user("a"),
        calls(call("f", signature=SIGNATURE, id="one")),
        results(result("f", {}, id="two")),
    ]

    judge = Strict()

    assert judge.rejection(entry(mismatched)) is None
    assert judge.words(entry(mismatched)).startswith("mismatched-id at /contents/2/parts/0")
    assert judge.words(entry(SOUND)) == ""


def test_judge_that_met_many_requests_is_renewed(monkeypatch: pytest.MonkeyPatch):
    """What it remembers would grow for ever."""
    monkeypatch.setattr(strict, "_RENEWED_AFTER", 3)
    judge = Strict()
    first = judge._judge

    for number in range(3):
        judge.rejection(entry([user(str(number))]))

    assert judge._judge is not first
    assert judge.rejection(entry(UNSIGNED))


def test_rule_that_is_not_told_refuses_nothing():
    selection = Selection(ignore=frozenset({"missing-signature"}))
    elsewhere = Selection(per_cassette_ignore={"other.db": frozenset({"missing-signature"})})

    assert Strict("run.db", selection).rejection(entry(UNSIGNED)) is None
    assert Strict("run.db", selection).words(entry(UNSIGNED)) == ""
    assert Strict("run.db", elsewhere).rejection(entry(UNSIGNED))
    assert Strict("tapes/other.db", elsewhere).rejection(entry(UNSIGNED)) is None


def test_configured_severity_decides_what_is_spoken_of():
    selection = Selection(severity={"missing-signature": Severity.INFO})

    assert Strict("run.db", selection).words(entry(UNSIGNED)) == ""
