"""Results that differ from the pinned ones."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.judge import Judge
from gemtape.checks.pinning import Pinning
from gemtape.checks.pins import Pin
from gemtape.checks.rules.result_drift import NAME
from gemtape.checks.settings import Settings
from tests.checks.helpers import entries
from tests.checks.tape import Tape, weather
from tests.factories import result, results, user

ASK = user("Weather in Pune?")


def _tape(response: Any) -> Tape:
    tape = Tape()
    tape.ask([ASK], weather("EpwC"))
    history = [ASK, weather("EpwC"), results(result("get_weather", response))]
    tape.ask(history, {"role": "model", "parts": [{"text": "Hot."}]})
    tape.ask([*history, {"role": "model", "parts": [{"text": "Hot."}]}, user("And in Nagpur?")])
    return tape


def _pin(response: Any) -> Pin:
    pinning = Pinning()
    pinning.add(entries(_tape(response).exchanges))
    return pinning.pin()


def _told(pin: Pin, response: Any) -> list[tuple[int, str, str, str]]:
    judge = Judge(settings=Settings(pin=pin))
    return [
        (item.exchange, item.severity, item.pointer, item.message)
        for entry in entries(_tape(response).exchanges)
        for item in judge.judge(entry)
        if item.rule == NAME
    ]


@pytest.mark.parametrize(
    "response", [{"celsius": 30}, {"celsius": 30.5}, {"error": "no such city", "trace": []}]
)
def test_what_is_pinned_and_errors_are_silent(response: Any):
    assert _told(_pin({"celsius": 31}), response) == []


@pytest.mark.parametrize(
    ("response", "words"),
    [
        ({"celsius": 30, "station": "PNQ"}, "/station (string) is not pinned"),
        ({}, "/celsius is missing"),
        ({"celsius": "30"}, "/celsius is string, pinned as number"),
    ],
)
def test_a_difference_is_an_error_once(response: Any, words: str):
    place = "/contents/2/parts/0/functionResponse/response"

    assert _told(_pin({"celsius": 31}), response) == [(2, "error", place, f"get_weather: {words}")]


def test_a_function_whose_results_were_never_pinned():
    (told,) = _told(_pin({"error": "down"}), {"celsius": 31})

    assert told[3] == "get_weather: no result of it is pinned"


def test_many_differences_are_cut():
    (told,) = _told(_pin({"celsius": 31}), {"celsius": 31, **{f"column{at}": at for at in range(9)}})

    assert told[3].count("is not pinned") == 5
    assert told[3].endswith("; and more")
