from __future__ import annotations

from typing import Any

import pytest

from tests.checks.helpers import found
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, signed, thought, weather
from tests.factories import call, calls, model_text, result, results, tools_for, user

S1, S2, S3, S4 = SIGNATURES
RULE = "altered-model-turn"


def altered(
    issued: Any, sent: Any, *names: str, model: str = FLASH_2, **ask: Any
) -> list[tuple[str, str, str]]:
    """Severity, place and message; `names` are those of the responses behind the turn."""
    tape = Tape(model)
    tools = tools_for(issued, sent)
    tape.ask([user("x")], issued, tools=tools, **ask)
    behind = results(*(result(name, {}) for name in names)) if names else user("y")
    tape.ask([user("x"), *(sent if isinstance(sent, list) else [sent]), behind], model_text("k"), tools=tools)
    return [(item.severity, item.pointer, item.message) for item in tape.violations() if item.rule == RULE]


@pytest.mark.parametrize(
    ("issued", "sent", "names", "expected"),
    [
        (
            weather(),
            weather(None, "Goa"),
            ["get_weather"],
            (
                "/contents/1/parts/0",
                "call get_weather came back with other arguments (city); exchange 1 issued it",
            ),
        ),
        (
            weather(None, "Pune", id="q1"),
            calls(call("weather", {"city": "Pune"}, id="q1")),
            ["weather"],
            (
                "/contents/1/parts/0",
                "call weather came back under another name: it was get_weather; exchange 1 issued it",
            ),
        ),
        (
            weather(),
            calls(call("weather", {"city": "Pune"})),
            ["weather"],
            ("/contents/1/parts/0", "call get_weather of exchange 1 came back as call weather"),
        ),
        (
            calls({"text": "Look."}, call("a")),
            model_text("Look."),
            [],
            ("/contents/1", "call a of exchange 1 did not come back"),
        ),
        (
            calls(call("a"), call("b"), call("c")),
            calls(call("b")),
            ["b"],
            ("/contents/1", "call a, call c of exchange 1 did not come back"),
        ),
        (
            calls(call("a"), call("b")),
            calls(call("a"), {"text": "(I asked for b, too.)"}),
            ["a"],
            ("/contents/1/parts/1", "call b of exchange 1 did not come back; this text stands in the place"),
        ),
        (
            calls(call("a")),
            calls(call("a"), call("b")),
            ["a", "b"],
            ("/contents/1/parts/1", "call b was not issued: exchange 1 is what came back here"),
        ),
    ],
    ids=["args", "name-with-id", "name", "call-lost", "calls-lost", "call-as-text", "call-added"],
)
def test_calls_that_differ(issued: dict, sent: dict, names: list, expected: tuple):
    assert altered(issued, sent, *names) == [("error", *expected)]


@pytest.mark.parametrize(
    ("issued", "sent", "place"),
    [
        (model_text("A"), model_text("B"), "/contents/1/parts/0"),
        (calls({"text": "A"}, {"text": "B"}), calls({"text": "A"}, {"text": "C"}), "/contents/1/parts/1"),
        (calls({"text": "A"}, call("a")), calls(call("a")), "/contents/1"),
        (calls({"text": "A"}, {"text": "B"}), model_text("A"), "/contents/1"),
        (signed('{"a": 1,}', S1), signed('{"a": 1}', S1), "/contents/1/parts/0"),
    ],
    ids=["other", "second", "beside-a-call", "half", "repaired"],
)
def test_texts_that_differ(issued: dict, sent: dict, place: str):
    names = ["a"] if any("functionCall" in part for part in sent["parts"]) else []

    ((severity, found_place, message),) = altered(issued, sent, *names)
    assert (severity, found_place) == ("warning", place)
    assert "exchange 1 answered" in message


@pytest.mark.parametrize(
    ("issued", "sent", "names"),
    [
        (model_text("A B\n"), model_text("A B"), []),
        (calls({"text": "A"}, {"text": "B"}), model_text("A\nB"), []),
        (calls(thought("hmm"), {"text": "A"}), model_text("A"), []),
        (calls(call("a", {"n": 3, "q": None})), calls(call("a", {"n": 3.0})), ["a"]),
        (calls(call("a")), calls({"functionCall": {"name": "a"}}), ["a"]),
        (
            calls(call("a", {"b": 1, "c": [1, {"d": 2}]})),
            calls(call("a", {"c": [1, {"d": 2}], "b": 1})),
            ["a"],
        ),
        (
            calls(call("a", id="q1"), call("b")),
            [calls(call("a", id="z")), calls(call("b", id="y"))],
            ["a", "b"],
        ),
        (calls(call("a", id="q1")), calls(call("a")), ["a"]),
        ([model_text("A "), model_text("B")], [model_text("A "), model_text("B")], []),
    ],
    ids=[
        "trimmed",
        "joined",
        "thought",
        "numbers",
        "no-args",
        "key-order",
        "ids-invented",
        "ids-stripped",
        "streamed",
    ],
)
def test_what_does_not_count(issued: Any, sent: Any, names: list):
    assert altered(issued, sent, *names) == []


def test_arguments_that_are_no_object_are_another_rules():
    issued = weather()
    sent = calls({"functionCall": {"name": "get_weather", "args": '{"city": "Pune"}'}})

    assert altered(issued, sent, "get_weather") == []


def test_long_lists_of_arguments_are_cut():
    ((_, _, message),) = altered(
        calls(call("a", {f"n{at}": 1 for at in range(9)})),
        calls(call("a", {f"n{at}": 2 for at in range(9)}, id="q")),
        "a",
    )

    assert "(n0, n1, n2, n3, n4)" in message


def test_an_older_turn_counts_too():
    tape = Tape(FLASH_2)
    first = tape.ask([user("x")], weather())
    second = tape.ask([user("x"), first, celsius()], model_text("31"))
    tape.ask([user("x"), weather(None, "Goa"), celsius(), second, user("y")], model_text("k"))

    assert [(item[0], item[2], item[3]) for item in tape.loud()] == [(3, "error", "/contents/1/parts/0")]


def test_a_batch_taken_apart_into_steps_is_whole_at_its_end():
    tape = Tape(FLASH_2)
    tape.ask([user("x")], calls(call("a"), call("b"), call("c")))
    history = [
        user("x"),
        calls(call("a")),
        results(result("a", {})),
        calls(call("b")),
        results(result("b", {})),
    ]
    tape.ask([*history, calls(call("c")), results(result("c", {}))], model_text("k"))
    tape.ask(history, model_text("k"))

    assert tape.loud() == [(3, RULE, "error", "/contents/3")]


@pytest.mark.parametrize(("model", "severity"), [("gemini-3-pro-preview", "error"), (FLASH_2, "warning")])
def test_calls_in_another_order(model: str, severity: str):
    issued = calls(call("a", signature=S1), call("b"), call("c"))
    sent = calls(call("a", signature=S1), call("c"), call("b"))

    ((found_severity, place, message),) = altered(issued, sent, "a", "c", "b", model=model)
    assert (found_severity, place) == (severity, "/contents/1/parts/1")
    assert message == "call c came back before calls that exchange 1 had made earlier"


def test_equal_calls_and_texts_between_them_have_no_order():
    issued = calls({"text": "A"}, call("a"), call("a"), {"text": "B"}, call("b"))
    sent = calls(call("a"), call("a"), call("b"), {"text": "A"}, {"text": "B"})

    assert altered(issued, sent, "a", "a", "b") == []


def test_an_answer_that_came_short_may_come_back_as_it_likes():
    assert altered(model_text("half a"), model_text("half"), finish="MAX_TOKENS") == []


def test_an_answer_of_unknown_origin_is_not_compared():
    tape = Tape(FLASH_2)
    tape.ask([user("x")], model_text("A"))
    tape.ask([user("other"), model_text("B"), user("y")], model_text("k"))

    assert tape.loud() == []


def test_parts_of_server_side_tools_left_out():
    search = {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {}}}
    hits = {"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}}
    issued = calls(search, hits, {"text": "A"})

    ((severity, place, message),) = altered(issued, model_text("A"), model="gemini-3.5-flash")
    assert (severity, place) == ("error", "/contents/1")
    assert message == "a part with toolCall, a part with toolResponse of exchange 1 did not come back"


def test_a_lost_call_leaves_its_orphan():
    tape = Tape()
    tape.ask([user("x")], calls({"text": "Look."}, weather(S1)["parts"][0]))
    tape.ask([user("x"), model_text("Look."), celsius()], model_text("k"))

    assert found(tape.violations(), RULE) == [("error", "/contents/1")]
    assert found(tape.violations(), "orphan-response") == [("error", "/contents/2/parts/0")]
