"""Model turns made of a recorded one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.answers import Answer, recorded_answer
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.replay.drill.composing import only_call, only_text, with_call
from gemtape.replay.reshaping import events_of
from tests.chats import chat_exchange, streamed
from tests.factories import SIGNATURE, cassette_of
from tests.replay.drill.recorded import VALID, conversation

BAD = {"city": "Pune", "days": 14}


def _first(path: Path, exchanges: list[Exchange]) -> tuple[Entry, Answer]:
    with Cassette.read(cassette_of(path, exchanges)) as cassette:
        entry = cassette.entry(1)
    return entry, recorded_answer(entry)


def _candidate(answer: Answer) -> dict[str, Any]:
    (event,) = events_of(answer)
    (candidate,) = event["candidates"]
    return candidate


@pytest.mark.parametrize("streamed", [False, True])
def test_only_the_call_changes(tmp_path: Path, streamed: bool):
    entry, answer = _first(tmp_path / "run.db", conversation(parallel=True, streamed=streamed))

    made = with_call(entry, answer, 0, "get_forecast", BAD)

    assert made.is_whole is not streamed
    assert made.header("content-type") == answer.header("content-type")
    first, second = _candidate(made)["content"]["parts"]
    assert first == {
        "functionCall": {"id": "abcd1234", "name": "get_forecast", "args": BAD},
        "thoughtSignature": SIGNATURE,
    }
    assert second["functionCall"]["name"] == "get_time"
    assert "thoughtSignature" not in second


def test_a_call_proposed_again_is_alone_signed_and_has_an_id_of_its_own(tmp_path: Path):
    entry, answer = _first(tmp_path / "run.db", conversation(parallel=True))

    (part,) = _candidate(only_call(entry, answer, 1, 2))["content"]["parts"]

    assert part["functionCall"] == {"id": "efgh5678-2", "name": "get_time", "args": {}}
    assert part["thoughtSignature"] == SIGNATURE


def test_without_ids_none_is_made(tmp_path: Path):
    entry, answer = _first(tmp_path / "run.db", conversation(ids=False))

    (part,) = _candidate(only_call(entry, answer, 0, 1))["content"]["parts"]
    assert part["functionCall"] == {"name": "get_forecast", "args": VALID}


def test_words_instead_of_a_call(tmp_path: Path):
    entry, answer = _first(tmp_path / "run.db", conversation(streamed=True))

    candidate = _candidate(only_text(entry, answer, "No."))
    assert candidate["content"] == {"role": "model", "parts": [{"text": "No."}]}
    assert candidate["finishReason"] == "STOP"


CHAT_CALL = {
    "id": "function-call-1",
    "type": "function",
    "function": {"name": "get_forecast", "arguments": json.dumps(VALID)},
    "extra_content": {"google": {"thought_signature": SIGNATURE}},
}
MESSAGES = [{"role": "user", "content": "Will Pune be warmer?"}]
BAD_CALL = {**CHAT_CALL, "function": {"name": "get_forecast", "arguments": '{"city":"Pune","days":14}'}}


def test_a_chat_completion_stays_one(tmp_path: Path):
    message = {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}
    entry, answer = _first(tmp_path / "run.db", [chat_exchange(MESSAGES, message)])

    (event,) = events_of(with_call(entry, answer, 0, "get_forecast", BAD))
    assert event["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": None, "tool_calls": [BAD_CALL]},
            "finish_reason": "tool_calls",
        }
    ]
    (event,) = events_of(only_text(entry, answer, "No."))
    assert event["choices"][0]["message"] == {"role": "assistant", "content": "No."}


def test_a_streamed_chat_completion_is_one_event_and_its_end(tmp_path: Path):
    response = streamed({"role": "assistant", "tool_calls": [{"index": 0, **CHAT_CALL}]}, finish="tool_calls")
    entry, answer = _first(tmp_path / "run.db", [chat_exchange(MESSAGES, response, stream=True)])

    made = with_call(entry, answer, 0, "get_forecast", BAD)
    event, *rest = events_of(made)
    assert event["choices"][0]["delta"]["tool_calls"] == [{"index": 0, **BAD_CALL}]
    assert event["choices"][0]["finish_reason"] == "tool_calls"
    assert rest == []
    assert b"".join(chunk.data for chunk in made.chunks).endswith(b"data: [DONE]\r\n\r\n")
