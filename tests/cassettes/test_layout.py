"""A body taken apart is put together again as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from gemtape.cassettes import canonical
from gemtape.cassettes.canonical import NOT_JSON, parse, stored_form
from gemtape.cassettes.layout import Layout, assemble, fits_together, is_exact, lay_out
from gemtape.cassettes.schema import CONTENT, OPENAI_MESSAGE
from gemtape.cassettes.turns import TurnTree
from tests.factories import model_text, user
from tests.strategies import BODIES

A, B = user("a"), model_text("b")
TOOL: dict[str, Any] = {"functionDeclarations": [{"name": "f"}]}
SYSTEM = {"parts": [{"text": "be brief"}]}


def laid_out(body: Any) -> Layout:
    return lay_out(body, TurnTree())


def _places(layout: Layout) -> tuple[Any, Any, Any]:
    return layout.contents_at, layout.tools_at, layout.instruction_at


@given(BODIES)
def test_any_body_comes_back(body: Any):
    before = stored_form(body)
    layout = laid_out(body)

    assert stored_form(assemble(layout)) == before
    assert stored_form(body) == before
    assert fits_together(layout)


@pytest.mark.parametrize(
    ("body", "history", "places", "envelope"),
    [
        pytest.param(
            {"contents": [A, B], "tools": [TOOL], "systemInstruction": SYSTEM, "labels": {"a": "b"}},
            [A, B], (("contents",), ("tools",), ("systemInstruction",)), {"labels": {"a": "b"}}, id="plain",
        ),
        pytest.param(
            {"model": "m", "request": {"contents": [A], "tools": [TOOL], "system_instruction": SYSTEM, "x": 1}},
            [A], (("request", "contents"), ("request", "tools"), ("request", "system_instruction")),
            {"model": "m", "request": {"x": 1}}, id="Code Assist",
        ),
        pytest.param({"messages": [A]}, [A], (("messages",), None, None), {}, id="chat"),
        pytest.param({"contents": A, "tools": TOOL}, [A], (None, None, None), {"contents": A, "tools": TOOL}, id="single objects"),
        pytest.param(
            {"contents": [], "tools": [], "systemInstruction": {}}, [], (None, None, None),
            {"contents": [], "tools": [], "systemInstruction": {}}, id="empty",
        ),
        pytest.param({"contents": "a", "tools": 1, "systemInstruction": "s"}, [], (None, None, None),
            {"contents": "a", "tools": 1, "systemInstruction": "s"}, id="wrong types"),
        pytest.param({"contents": [None, 1, "a"]}, [None, 1, "a"], (("contents",), None, None), {}, id="odd contents"),
        pytest.param({"contents": [A], "messages": [B]}, [A], (("contents",), None, None), {"messages": [B]}, id="both lists"),
        pytest.param(
            {"contents": [A], "request": {"contents": [B]}}, [A], (("contents",), None, None), {"request": {"contents": [B]}},
            id="contents beside request",
        ),
        pytest.param(
            {"systemInstruction": SYSTEM, "system_instruction": {"parts": []}}, [],
            (None, None, ("systemInstruction",)), {"system_instruction": {"parts": []}}, id="both spellings",
        ),
        pytest.param([{"contents": [A]}], [], (None, None, None), [{"contents": [A]}], id="list"),
        pytest.param(None, [], (None, None, None), None, id="null"),
    ],
)  # fmt: skip
def test_what_is_taken_out(body: Any, history: list[Any], places: Any, envelope: Any):
    layout = laid_out(body)

    assert layout.history.values() == history
    assert _places(layout) == places
    assert layout.envelope is not None
    assert layout.envelope.value == envelope
    assert assemble(layout) == body


def test_tools_are_taken_out_as_the_history_is():
    """Also where a single object, which stays in the envelope, stands for the list."""
    for tools in (TOOL, [TOOL]):
        assert laid_out({"tools": tools}).tools.values() == [TOOL]
    assert laid_out({"tools": "f"}).tools.values() == []


def test_chat_messages_are_a_kind_of_their_own():
    assert laid_out({"messages": [A]}).history.message is OPENAI_MESSAGE
    assert laid_out({"contents": [A]}).history.message is CONTENT


@pytest.mark.parametrize(
    ("body", "wrapped", "settings"),
    [
        ({"contents": [A], "labels": {}}, False, {"labels": {}}),
        ({"request": {"contents": [A], "labels": {}}, "model": "m"}, True, {"labels": {}}),
        ({"request": {"labels": {}}}, True, {"labels": {}}),
        ({"contents": [A], "request": {"labels": {}}}, False, {"request": {"labels": {}}}),
        ({"request": "x"}, False, {"request": "x"}),
        ([1], False, {}),
        (NOT_JSON, False, {}),
    ],
)
def test_settings_of_the_request_inside(body: Any, wrapped: bool, settings: Any):
    layout = laid_out(body)

    assert layout.wrapped is wrapped
    assert layout.settings == settings


def test_body_that_is_no_json_has_no_envelope():
    layout = laid_out(NOT_JSON)

    assert layout.envelope is None
    assert assemble(layout) is NOT_JSON
    assert not is_exact(layout, b"a=1")


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        pytest.param('{"contents": [{"parts": [{"text": "a"}]}], "x": 1.5}', True, id="plain"),
        pytest.param('{"contents": [{"n": 1e25}], "x": "1e+25"}', True, id="float"),
        pytest.param('{"contents": [{"n": HUGE}]}', False, id="in a content"),
        pytest.param('{"contents": {"n": HUGE}}', False, id="in a single content"),
        pytest.param('{"tools": [{"n": [HUGE]}]}', False, id="in a tool"),
        pytest.param('{"systemInstruction": {"n": HUGE}}', False, id="in the instruction"),
        pytest.param('{"request": {"x": {"n": -HUGE}}}', False, id="in the envelope"),
        pytest.param(f"[1{'0' * 22}]", False, id="one that a float holds exactly"),
    ],
)
def test_is_exact(text: str, exact: bool):
    body = text.replace("HUGE", "123456789012345678901234567890").encode()

    assert is_exact(laid_out(parse(body)), body) is exact


def test_known_history_does_not_hide_a_rounded_integer():
    """A float and a huge integer share a stored form, so a turn that holds one is looked at every time."""
    tree = TurnTree()
    for number, exact in (("1e+29", True), ("100000000000000000000000000000", False), ("1e+29", True)):
        body = b'{"contents": [{"n": %s}, {"role": "model"}]}' % number.encode()
        assert is_exact(lay_out(parse(body), tree), body) is exact


def test_known_history_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch):
    looked_at: list[Any] = []
    monkeypatch.setattr(canonical, "may_have_lost_digits", lambda _, value: looked_at.append(value))
    tree, contents = TurnTree(), [user(str(number)) for number in range(10)]
    for count in (9, 10):
        looked_at.clear()
        assert is_exact(lay_out({"contents": contents[:count]}, tree), b"")

    assert looked_at == [{}, contents[-1]]


@pytest.mark.parametrize(
    ("envelope", "places", "fits"),
    [
        ({}, (("contents",), None, None), True),
        ({"request": {}}, (None, ("request", "tools"), None), True),
        ({}, (None, ("request", "tools"), None), False),
        ({"request": 1}, (None, None, ("request", "systemInstruction")), False),
        ([], (("contents",), None, None), False),
        ({}, ((), None, None), False),
        ({"a": {"b": {}}}, (("a", "b", "c"), None, None), False),
    ],
)
def test_fits_together(envelope: Any, places: tuple[Any, Any, Any], fits: bool):
    plain = laid_out(envelope)
    layout = Layout(plain.envelope, plain.history, places[0], plain.tools, places[1], None, places[2])

    assert fits_together(layout) is fits


def test_body_beyond_the_depth_limit_is_kept_as_bytes():
    body = json.dumps({"contents": [{"parts": [_nested(200)]}]}).encode()

    assert laid_out(parse(body)).envelope is None


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"functionCall": {"args": value}} if depth % 2 else [value]
    return value
