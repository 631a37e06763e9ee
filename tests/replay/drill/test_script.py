"""What an application meets in one run of a drill."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gemtape.checks.proposals import Proposal
from gemtape.replay.drill.run import Run
from tests.factories import (
    SIGNATURE,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    unary,
    user,
)
from tests.replay.drill.playing import ERROR, Application, called, playing
from tests.replay.drill.recorded import MODEL, QUESTION, RESULT, TOOLS, VALID, conversation, recording


def _told(run: Run) -> tuple[Any, ...]:
    return run.results, run.calls, run.errors_returned, run.repair_turns


def test_the_valid_call_is_the_recorded_bytes(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.VALID) as script:
        application = Application(script)
        assert called(application.ask())[0]["args"] == VALID
        application.bring(RESULT)
        assert application.ask()["parts"] == [{"text": "Yes, 26."}]

    assert _told(script.run) == ([(False, RESULT)], 1, 0, 0)


@pytest.mark.parametrize("ids", [True, False])
def test_a_rejected_call_is_repaired_and_the_recorded_answer_reached(tmp_path: Path, ids: bool):
    with playing(recording(tmp_path / "run.db", ids=ids), Proposal.OUT_OF_RANGE) as script:
        application = Application(script)
        assert called(application.ask())[0]["args"] == {**VALID, "days": 14}
        application.bring(ERROR)
        (again,) = called(application.ask())
        assert again["args"] == VALID
        assert again.get("id") == ("abcd1234-1" if ids else None)
        application.bring(RESULT)
        assert application.ask()["parts"] == [{"text": "Yes, 26."}]

    assert _told(script.run) == ([(True, ERROR), (False, RESULT)], 2, 1, 1)
    assert script.run.repaired


def test_what_was_executed_as_it_was_goes_on_as_recorded(tmp_path: Path):
    with playing(recording(tmp_path / "run.db", streamed=True), Proposal.BAD_ENUM) as script:
        application = Application(script)
        application.ask()
        application.bring({"city": "Pune", "temperatures": []})
        assert application.ask()["parts"] == [{"text": "Yes, 26."}]

    assert _told(script.run) == ([(False, {"city": "Pune", "temperatures": []})], 1, 0, 0)


def test_without_repairs_the_drill_ends_in_words(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM, repairs=0) as script:
        application = Application(script)
        application.ask()
        application.bring(ERROR)
        content = application.ask()
        application.contents.append(user("Try again."))
        more = application.ask()

    assert called(content) == called(more) == []
    assert "cannot repair" in content["parts"][0]["text"]
    assert _told(script.run) == ([(True, ERROR)], 1, 1, 0)


def test_an_application_that_never_accepts_uses_up_the_repairs(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM, repairs=2) as script:
        application = Application(script)
        ids = []
        while calls := called(application.ask()):
            ids.append(calls[0]["id"])
            application.bring(ERROR)

    assert ids == ["abcd1234", "abcd1234-1", "abcd1234-2"]
    assert _told(script.run) == ([(True, ERROR)] * 3, 3, 3, 2)


def test_of_parallel_calls_only_the_drilled_one_counts_and_is_repaired(tmp_path: Path):
    path = recording(tmp_path / "run.db", parallel=True)
    with playing(path, Proposal.UNDECLARED_FUNCTION, target=1) as script:
        application = Application(script)
        assert [call["name"] for call in called(application.ask())] == ["get_forecast", "get_time_v2"]
        application.bring(RESULT, ERROR)
        assert [call["name"] for call in called(application.ask())] == ["get_time"]
        application.bring({"time": "12:00"})
        application.ask()

    assert _told(script.run) == ([(True, ERROR), (False, {"time": "12:00"})], 2, 1, 1)
    assert not script.run.refused


def test_configured_pointers_make_a_result_an_error(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM, error_results=("/problem",)) as script:
        application = Application(script)
        application.ask()
        application.bring({"problem": "no such unit"})
        application.ask()

    assert script.run.errors_returned == 1


def test_an_application_that_drops_the_signature_meets_the_api(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM) as script:
        application = Application(script)
        application.ask()
        del application.contents[-1]["parts"][0]["thoughtSignature"]
        application.bring(ERROR)
        reply = application.send({"contents": application.contents, **application.body})

    assert reply.answer.status == 400
    assert "thoughtSignature" in script.run.refused


def test_an_application_that_goes_on_without_a_result(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM) as script:
        application = Application(script)
        application.ask()
        application.contents = [QUESTION, user("Never mind.")]
        assert application.ask()["parts"] == [{"text": "Yes, 26."}]

    assert script.run.results == [None]


def test_the_same_request_once_more_gets_the_same_answer(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM) as script:
        application = Application(script)
        body = {"contents": [QUESTION], **application.body}
        first, second = application.send(body), application.send(copy.deepcopy(body))

    assert first.answer == second.answer
    assert script.run.calls == 1


def test_a_repetition_that_was_recorded_is_no_repetition(tmp_path: Path):
    twice = [conversation()[0], conversation()[0]]
    with playing(cassette_of(tmp_path / "run.db", twice), Proposal.BAD_ENUM, target=1) as script:
        application = Application(script)
        body = {"contents": [QUESTION], **application.body}
        first, second = application.take(application.send(body)), application.take(application.send(body))

    assert called(first)[0]["args"] == VALID
    assert called(second)[0]["args"] == {**VALID, "unit": "unspecified"}


def test_a_retry_that_was_recorded_behind_the_call_is_played(tmp_path: Path):
    """Though its request is none that was recorded."""
    first, last = conversation()
    refused = replace(last, response=unary({"error": {"code": 503, "message": "busy"}}, 503))
    with playing(cassette_of(tmp_path / "run.db", [first, refused, last]), Proposal.BAD_ENUM) as script:
        application = Application(script)
        application.ask()
        application.bring(RESULT)
        body = {"contents": application.contents, **application.body}
        statuses = [application.send(body).answer.status for _ in range(3)]

    assert statuses == [503, 200, 200]
    assert script.asked == 4


@pytest.mark.parametrize(("first", "mixed"), [(0, ""), (1, "exchange 3 was asked for in place of 1")])
def test_requests_out_of_order_are_noted(tmp_path: Path, first: int, mixed: str):
    """Within one conversation, where positions are all that there is to go by."""
    opening = [QUESTION, calls(call("get_time", {}, signature=SIGNATURE)), results(result("get_time", {}))]
    path = cassette_of(
        tmp_path / "run.db", [*conversation(), exchange(opening, model_text("?"), tools=TOOLS)]
    )
    with playing(path, Proposal.VALID) as script:
        application = Application(script)
        application.send({"contents": [[QUESTION], opening][first], **application.body})

    assert script.run.mixed == mixed


def test_after_the_end_of_the_recording_there_is_no_answer(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.VALID) as script:
        application = Application(script)
        application.ask()
        application.bring(RESULT)
        application.ask()
        application.contents.append(user("And in Nagpur?"))
        reply = application.send({"contents": application.contents, **application.body})

    assert reply.answer.status == 412


@pytest.mark.parametrize(
    ("config", "proposal", "name"),
    [
        (
            {"mode": "ANY", "allowedFunctionNames": ["get_forecast"]},
            Proposal.UNDECLARED_FUNCTION,
            "get_forecast",
        ),
        (
            {"mode": "VALIDATED", "allowedFunctionNames": ["get_forecast"]},
            Proposal.UNDECLARED_FUNCTION,
            "get_forecast",
        ),
        ({"mode": "ANY"}, Proposal.UNDECLARED_FUNCTION, "get_forecast_v2"),
        ({"mode": "AUTO"}, Proposal.UNDECLARED_FUNCTION, "get_forecast_v2"),
        ({"mode": "ANY", "allowedFunctionNames": ["get_forecast"]}, Proposal.BAD_ENUM, "get_forecast"),
    ],
)
def test_modes_constrain_the_name(tmp_path: Path, config: dict[str, Any], proposal: Proposal, name: str):
    with playing(recording(tmp_path / "run.db"), proposal) as script:
        application = Application(script, toolConfig={"functionCallingConfig": config})
        (proposed,) = called(application.ask())

    assert proposed["name"] == name
    assert bool(script.run.constrained) is (
        name == "get_forecast" and proposal is Proposal.UNDECLARED_FUNCTION
    )


def test_mode_none_proposes_no_call(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.BAD_ENUM) as script:
        application = Application(script, toolConfig={"functionCallingConfig": {"mode": "NONE"}})
        assert called(application.ask()) == []

    assert script.run.constrained
    assert script.run.calls == 0


def test_what_is_no_generate_content_is_answered_as_recorded(tmp_path: Path):
    path = f"/v1beta/models/{MODEL}:countTokens"
    count = exchange([QUESTION], {"role": "model", "parts": []}, path=path)
    cassette = cassette_of(tmp_path / "run.db", [count, *conversation()])
    with playing(cassette, Proposal.BAD_ENUM) as script:
        application = Application(script)
        assert application.send({"contents": [QUESTION]}, path).answer.status == 200
        assert application.send({"contents": [user("Else.")]}, path).answer.status == 412
        assert called(application.ask())[0]["args"]["unit"] == "unspecified"


def test_the_trace_tells_the_story(tmp_path: Path):
    with playing(recording(tmp_path / "run.db"), Proposal.MISSING_REQUIRED) as script:
        application = Application(script)
        application.ask()
        application.bring(ERROR)
        application.ask()
        application.bring(RESULT)
        application.ask()

    kinds = [event["kind"] for event in script.run.trace.events()]
    assert kinds == ["call", "result", "call", "result", "answer"]
