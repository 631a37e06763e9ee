"""Making a pin of recordings, and accepting what changed."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.canonical import stored_form
from gemtape.checks.pinning import Pinning, updated
from gemtape.checks.pins import Pin, PinnedFunction, ResultField, written_pin
from gemtape.checks.settings import Settings
from tests.checks.chattapes import in_chat
from tests.checks.helpers import entries
from tests.checks.respelled import lowered
from tests.checks.tape import Tape, celsius, weather
from tests.factories import call, calls, result, results, user

GET_WEATHER = {"name": "get_weather", "description": "Weather of a city."}
GET_TIME = {"name": "get_time", "description": "Time in a city."}
ASK = user("Weather in Pune?")
NUMBER = {"": ResultField(("object",)), "/celsius": ResultField(("number",))}


def _pin(*tapes: Tape, settings: Settings | None = None) -> Pin:
    pinning = Pinning(settings)
    for tape in tapes:
        pinning.add(entries(tape.exchanges))
    return pinning.pin()


def _tape(*declared: dict[str, Any], surface: str = "gemini-api", response: Any = None) -> Tape:
    tape = Tape(surface=surface)
    tools = [{"functionDeclarations": list(declared)}]
    tape.ask([ASK], weather("EpwC"), tools=tools)
    answered = celsius() if response is None else results(result("get_weather", response))
    tape.ask([ASK, weather("EpwC"), answered], tools=tools)
    return tape


@pytest.mark.parametrize("surface", ["gemini-api", "vertex", "code-assist"])
def test_functions_and_results_of_every_surface(surface: str):
    pin = _pin(_tape(GET_WEATHER, GET_TIME, surface=surface))

    assert pin.toolsets == (("get_time", "get_weather"),)
    assert pin.functions == {
        "get_time": PinnedFunction((GET_TIME,)),
        "get_weather": PinnedFunction((GET_WEATHER,), NUMBER),
    }


def test_several_cassettes_make_one_pin():
    other = {**GET_WEATHER, "description": "Of another agent."}
    pin = _pin(_tape(GET_WEATHER), _tape(other, GET_TIME, response={"celsius": None}))

    assert pin.toolsets == (("get_time", "get_weather"), ("get_weather",))
    assert len(pin.functions["get_weather"].declarations) == 2
    fields = pin.functions["get_weather"].results
    assert fields is not None
    assert fields["/celsius"].types == ("null", "number")


@pytest.mark.parametrize(
    ("response", "settings"),
    [({"error": "no such city"}, Settings()), ({"failed": True}, Settings(error_results=("/failed",)))],
)
def test_error_results_are_no_part_of_the_contract(response: Any, settings: Settings):
    assert (
        _pin(_tape(GET_WEATHER, response=response), settings=settings).functions["get_weather"].results
        is None
    )


def test_spelling_of_keys_does_not_count():
    tape = Tape()
    tape.ask(
        [ASK],
        tools=[{"function_declarations": [{"name": "f", "parameters_json_schema": {"type": "object"}}]}],
    )

    assert _pin(tape).functions["f"].declarations == (
        {"name": "f", "parametersJsonSchema": {"type": "object"}},
    )


def test_requests_without_functions_pin_nothing():
    tape = Tape()
    tape.ask([ASK], calls({"text": "Hot."}))

    assert _pin(tape) == Pin(_pin(tape).gemtape)


def test_the_order_of_recordings_does_not_count():
    tapes = [
        _tape(GET_WEATHER),
        _tape({**GET_WEATHER, "description": "Of another agent."}, GET_TIME, response={"celsius": None}),
        _tape(GET_TIME, GET_WEATHER, response={"rows": [{"a": 1}, {}]}),
    ]

    assert written_pin(_pin(*tapes)) == written_pin(_pin(*reversed(tapes)))


@pytest.mark.parametrize(
    ("response", "fields"),
    [
        ([1, "x"], {"": ("array",), "/*": ("number", "string")}),
        ("31 degrees", {"": ("string",)}),
        ({"content": [{"type": "text", "text": '{"celsius": 31}'}], "isError": False}, None),
        ({"result": '[{"id": 7}]'}, {"": ("object",), "/result": ("array",), "/result/*": ("object",)}),
    ],
)
def test_results_of_every_shape(response: Any, fields: dict[str, tuple[str, ...]] | None):
    """Lists, texts, and what tool servers return: content whose text is JSON."""
    found = _pin(_tape(GET_WEATHER, response=response)).functions["get_weather"].results

    assert found is not None
    if fields is None:
        assert found["/content/*/text/celsius"] == ResultField(("number",))
    else:
        assert {place: field.types for place, field in found.items()}.items() >= fields.items()


def test_a_chat_pins_what_the_same_conversation_pins():
    plain, chat = _pin(_tape(GET_WEATHER)), Pinning()
    chat.add(entries(map(in_chat, _tape(GET_WEATHER).exchanges)))

    assert chat.pin() == plain


def test_parallel_calls_of_one_function_are_pinned_together():
    tape = Tape()
    model = calls(call("get_weather", {"c": 1}, signature="EpwC"), call("get_weather", {"c": 2}))
    tape.ask([ASK], model)
    tape.ask(
        [
            ASK,
            model,
            results(result("get_weather", {"celsius": 1}), result("get_weather", {"error": "no such city"})),
        ]
    )

    assert _pin(tape).functions["get_weather"].results == NUMBER


def test_an_update_takes_declarations_as_they_are_now_and_adds_fields():
    now = {**GET_WEATHER, "description": "New."}
    pin = updated(_pin(_tape(GET_WEATHER, GET_TIME)), _pin(_tape(now, response={"celsius": 1, "wind": 2})))

    assert pin.toolsets == (("get_weather",),)
    assert pin.functions == {
        "get_weather": PinnedFunction((now,), {**NUMBER, "/wind": ResultField(("number",), True)})
    }


def test_an_update_displaces_the_variant_that_is_nearest():
    """Another agent's stays, whichever of the two was recorded again."""
    hourly, daily = _forecast("hours", "city"), _forecast("days", "city", "unit")
    before = _pin(_tape(hourly), _tape(daily, GET_TIME))
    reworded, wider = {**hourly, "description": "Per hour."}, _forecast("days", "city", "unit", "lang")

    assert _holds(updated(before, _pin(_tape(reworded))), daily, reworded)
    assert _holds(updated(before, _pin(_tape(wider, GET_TIME))), wider, hourly)
    assert _holds(updated(before, _pin(_tape(wider), _tape(reworded))), wider, reworded)


def test_an_update_displaces_no_variant_that_is_declared_as_before():
    """Not even the nearest one: then it is the other agent that changed, or a third one that came."""
    hourly, daily = _forecast("hours"), _forecast("days")
    before = _pin(_tape(hourly), _tape(daily))
    near = {**hourly, "description": "Per hour."}

    assert _holds(updated(before, _pin(_tape(hourly), _tape(near))), hourly, near)
    both = updated(before, _pin(_tape(hourly), _tape(daily), _tape(near)))
    assert _holds(both, daily, hourly, near)


def test_an_update_displaces_one_variant_for_all_spellings_of_another():
    hourly, daily = _forecast("hours"), _forecast("days")
    before = _pin(_tape(hourly), _tape(daily))
    near = {**hourly, "description": "Per hour."}

    assert _holds(updated(before, _pin(_tape(lowered(hourly)))), daily, lowered(hourly))
    after = updated(before, _pin(_tape(near), _tape(lowered(near))))
    assert _holds(after, daily, near, lowered(near))


def _forecast(*parameters: str) -> dict[str, Any]:
    properties = {name: {"type": "STRING"} for name in parameters}
    return {"name": "get_forecast", "parameters": {"type": "OBJECT", "properties": properties}}


def _holds(pin: Pin, *declarations: dict[str, Any]) -> bool:
    """Whether a pin allows these variants of the function, and no others; written in a constant order."""
    return pin.functions["get_forecast"].declarations == tuple(sorted(declarations, key=stored_form))


def test_an_update_leaves_alone_what_was_not_recorded():
    before = _pin(_tape(GET_WEATHER))
    tape = Tape()
    tape.ask(
        [user("Time?")],
        calls(call("get_time", {}, signature="EpwC")),
        tools=[{"functionDeclarations": [GET_TIME]}],
    )

    pin = updated(before, _pin(tape))

    assert pin.toolsets == (("get_time",), ("get_weather",))
    assert pin.functions["get_weather"] == before.functions["get_weather"]


def test_an_update_with_the_same_recordings_changes_nothing():
    pin = _pin(_tape(GET_WEATHER, GET_TIME), _tape(GET_WEATHER))

    assert updated(pin, pin) == pin
