"""Declarations that differ from the pinned ones."""

from __future__ import annotations

from typing import Any

from gemtape.cassettes.models import Violation
from gemtape.checks.judge import Judge
from gemtape.checks.pinning import Pinning
from gemtape.checks.pins import Pin
from gemtape.checks.rules.declaration_drift import NAME
from gemtape.checks.settings import Settings
from tests.checks.helpers import entries
from tests.checks.tape import Tape
from tests.factories import user

ASK = user("Weather in Pune?")
CITY = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}
WEATHER = {"name": "get_weather", "description": "Weather of a city.", "parameters": CITY}
TIME = {"name": "get_time", "description": "Time in a city.", "parameters": CITY}


def _tape(*toolsets: list[dict[str, Any]], surface: str = "gemini-api") -> Tape:
    tape = Tape(surface=surface)
    contents = [ASK]
    for declared in toolsets:
        tape.ask(contents, tools=[{"functionDeclarations": declared}] if declared else [])
        contents = [*contents, {"role": "model", "parts": [{"text": "Hot."}]}, user("And now?")]
    return tape


def _pin(*toolsets: list[dict[str, Any]]) -> Pin:
    pinning = Pinning()
    for declared in toolsets:
        pinning.add(entries(_tape(declared).exchanges))
    return pinning.pin()


def _found(pin: Pin, tape: Tape) -> list[Violation]:
    judge = Judge(settings=Settings(pin=pin))
    return [item for entry in entries(tape.exchanges) for item in judge.judge(entry) if item.rule == NAME]


def _told(pin: Pin, *toolsets: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(item.severity, item.pointer, item.message) for item in _found(pin, _tape(*toolsets))]


def test_what_is_pinned_is_silent():
    assert _told(_pin([WEATHER, TIME]), [TIME, WEATHER], [WEATHER, TIME]) == []
    assert _told(_pin([WEATHER, TIME], [TIME]), [WEATHER, TIME], [TIME]) == []


def test_another_spelling_of_a_schema_is_silent():
    respelled = {"name": "get_weather", "description": "Weather of a city.", "parametersJsonSchema": CITY}

    assert _told(_pin([WEATHER]), [respelled]) == []


def test_each_kind_of_change_is_named():
    widened = {
        "type": "OBJECT",
        "properties": {**CITY["properties"], "unit": {"type": "STRING"}},
        "required": ["city"],
    }
    declared = [{**WEATHER, "parameters": widened}, {**TIME, "description": "Local time in a city."}]

    assert _told(_pin([WEATHER, TIME]), declared) == [
        ("error", "/tools/0/functionDeclarations/0", "widening: get_weather: unit added"),
        (
            "error",
            "/tools/0/functionDeclarations/1",
            'wording: get_time: description: "Time in a city." → "Local time in a city."',
        ),
    ]


def test_a_breaking_change_comes_first_and_names_the_others():
    town = {"type": "OBJECT", "properties": {"town": {"type": "STRING"}}, "required": ["town"]}

    (told,) = _told(_pin([WEATHER]), [{**WEATHER, "parameters": town, "description": "New."}])
    assert told[2].startswith("breaking: get_weather: ")
    assert {"city removed", "town added, required"} <= set(
        told[2].removeprefix("breaking: get_weather: ").split("; ")
    )
    assert told[2].endswith('description: "Weather of a city." → "New."')


def test_a_function_that_appeared():
    assert _told(_pin([WEATHER]), [WEATHER, TIME]) == [
        ("error", "/tools/0/functionDeclarations/1", "widening: get_time is not pinned")
    ]


def test_a_function_that_vanished():
    assert _told(_pin([WEATHER, TIME]), [TIME]) == [
        ("error", "/tools", "breaking: get_weather is pinned beside these functions and not declared")
    ]


def test_a_request_without_functions_loses_none():
    assert _told(_pin([WEATHER, TIME]), [WEATHER, TIME], []) == []


def test_a_conversation_is_told_once_of_each_change():
    reworded = [{**WEATHER, "description": "A."}, {**TIME, "description": "B."}]

    assert len(_told(_pin([WEATHER, TIME]), reworded, reworded, reworded)) == 2


def test_many_changes_of_one_function_are_cut():
    many = {"type": "OBJECT", "properties": {f"p{at}": {"type": "STRING"} for at in range(9)}}

    (told,) = _told(_pin([WEATHER]), [{**WEATHER, "parameters": many}])
    assert told[2].endswith("; and 5 more")


def test_without_a_pin_nothing_drifts():
    judge = Judge()

    assert [
        item
        for entry in entries(_tape([WEATHER]).exchanges)
        for item in judge.judge(entry)
        if item.rule == NAME
    ] == []


def test_wrapped_requests_are_addressed_as_sent():
    (told,) = _found(_pin([WEATHER]), _tape([{**WEATHER, "description": "New."}], surface="code-assist"))

    assert told.pointer == "/request/tools/0/functionDeclarations/0"
