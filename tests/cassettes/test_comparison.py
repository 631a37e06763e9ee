"""How a request differs from a recorded one: everywhere, and only where their match keys do."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.comparison import MOST, Comparison, compare
from gemtape.cassettes.difference import Kind
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.matchform import match_form, match_key
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.cassettes.values import ABSENT
from tests.captures import CAPTURES, capture_exchanges, is_upload_leg
from tests.factories import model_text, user
from tests.strategies import BODIES

PATH = "/v1beta/models/gemini-3-pro:generateContent"
BODY: dict[str, Any] = {
    "contents": [user("a"), model_text("b"), user("c")],
    "tools": [{"functionDeclarations": [{"name": "look", "description": "Look."}]}],
    "systemInstruction": {"parts": [{"text": "be brief"}]},
    "generationConfig": {"temperature": 1, "topK": 5},
}


def entry(body: Any, path: str = PATH, query: str = "", method: str = "POST") -> Entry:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return entry_of(Exchange(Request(method, path, query, body=data)), Redactor(), TurnTree())


def places(comparison: Comparison) -> list[tuple[Kind, str]]:
    return [(item.kind, item.pointer) for item in comparison.differences]


@pytest.mark.parametrize(
    ("more", "kind", "pointer", "words"),
    [
        (
            {"path": "/v1beta/models/gemini-3-flash:generateContent"},
            Kind.MODEL,
            "/model",
            'the model differs: recorded "gemini-3-pro", got "gemini-3-flash"',
        ),
        (
            {"path": "/v1beta/models/gemini-3-pro:countTokens"},
            Kind.ROUTE,
            "/action",
            'the action differs: recorded "generateContent", got "countTokens"',
        ),
        (
            {"path": "/v1beta/tunedModels/gemini-3-pro:generateContent"},
            Kind.ROUTE,
            "/resource",
            'the resource differs: recorded "models/", got "tunedModels/"',
        ),
        ({"method": "PUT"}, Kind.ROUTE, "/method", 'the method differs: recorded "POST", got "PUT"'),
        (
            {"query": "alt=sse&key=x"},
            Kind.QUERY,
            "/query/alt",
            'the query differs at alt: recorded nothing, got "sse"',
        ),
    ],
)
def test_another_route_is_one_difference(more: dict[str, str], kind: Kind, pointer: str, words: str):
    found = compare(entry(BODY), entry(BODY, **more))

    assert places(found) == [(kind, pointer)]
    assert [str(item) for item in found.differences] == [words]


@pytest.mark.parametrize(
    ("change", "kind", "pointer"),
    [
        ({"generationConfig": {"temperature": 0, "topK": 5}}, Kind.CONFIG, "/generationConfig/temperature"),
        ({"generationConfig": {"temperature": 1}}, Kind.CONFIG, "/generationConfig/topK"),
        ({"safety_settings": {"category": "c"}}, Kind.CONFIG, "/safetySettings"),
        ({"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}, Kind.CONFIG, "/toolConfig/functionCallingConfig/mode"),
        ({"tools": []}, Kind.TOOL, "/tools"),
        ({"tools": [{"functionDeclarations": [{"name": "look", "description": "See."}]}]}, Kind.TOOL, "/tools/0/functionDeclarations/0/description"),
        ({"systemInstruction": {"parts": [{"text": "be long"}]}}, Kind.INSTRUCTION, "/systemInstruction/parts/0/text"),
        ({"systemInstruction": None}, Kind.INSTRUCTION, "/systemInstruction"),
        ({"contents": [user("a"), model_text("B"), user("c")]}, Kind.TEXT, "/contents/1/parts/0/text"),
    ],
)  # fmt: skip
def test_one_change_is_one_difference_of_its_kind(change: dict[str, Any], kind: Kind, pointer: str):
    assert places(compare(entry(BODY), entry({**BODY, **change}))) == [(kind, pointer)]


def test_contents_come_before_instruction_tools_and_settings():
    got = {"contents": [user("x")], "generationConfig": {"temperature": 1}}

    found = compare(entry(BODY), entry(got))

    assert [kind for kind, _ in places(found)] == [
        Kind.TEXT,
        Kind.MISSING,
        Kind.INSTRUCTION,
        Kind.TOOL,
        Kind.CONFIG,
    ]


def test_common_and_equal_contents_are_counted():
    found = compare(entry(BODY), entry({**BODY, "contents": [user("a"), user("new"), user("c")]}))

    assert (found.common, found.equal) == (1, 2)


def test_no_more_differences_are_listed_than_a_person_reads():
    many = {**BODY, "generationConfig": {f"key{number}": number for number in range(100)}}

    assert len(compare(entry(BODY), entry(many)).differences) == MOST


def test_bodies_that_are_no_json_differ_as_a_whole():
    (only,) = compare(entry(b"\xff\x00"), entry(b"\xff\x00\x01")).differences

    assert (only.kind, only.pointer, str(only)) == (
        Kind.BODY,
        "",
        "the body differs: recorded 2 bytes, got 3 bytes",
    )


def test_integers_that_parsers_round_to_one_number_differ():
    recorded, got = (
        b'{"contents": [], "labels": {"n": 1234567890123456789012%d}}' % digit for digit in (0, 1)
    )

    assert places(compare(entry(recorded), entry(got))) == [(Kind.BODY, "")]


def test_the_same_model_named_in_path_and_body_is_no_difference():
    wrapped = {"model": "gemini-3-pro", "request": BODY}

    found = compare(
        entry(wrapped, "/v1internal:generateContent"),
        entry({**wrapped, "project": "p"}, "/v1internal:generateContent"),
    )

    assert found.differences == ()


@given(BODIES, BODIES)
def test_requests_differ_somewhere_exactly_if_their_keys_do(recorded: Any, got: Any):
    pair = entry(recorded), entry(got)

    assert (compare(*pair).differences == ()) == (match_key(pair[0]) == match_key(pair[1]))


@given(st.data(), BODIES)
def test_requests_that_differ_in_one_value_differ_exactly_if_their_keys_do(data: st.DataObject, body: Any):
    leaves = list(_leaves(body))
    if not leaves:
        return
    changed = _changed(
        body, data.draw(st.sampled_from(leaves)), data.draw(st.sampled_from([0, 1, "x", None]))
    )
    pair = entry(body), entry(changed)

    assert (compare(*pair).differences == ()) == (match_key(pair[0]) == match_key(pair[1]))


GENERATING = [
    pytest.param(item, id=f"{path.stem}-{number}")
    for path in CAPTURES
    for number, item in enumerate(capture_exchanges(path), 1)
    if not is_upload_leg(item)
]


@pytest.mark.parametrize("item", GENERATING)
def test_changing_a_leaf_of_a_captured_request_is_a_difference_that_names_it(item: Exchange):
    """Every value that is in the match form, changed one at a time."""
    body = json.loads(item.request.body)
    recorded = _entry_of(item, body)
    form = match_form(recorded)
    seen = 0
    for path in _leaves(body):
        value = _at(body, path)
        changed = _entry_of(item, _changed(body, path, _other(value)))
        if match_key(changed) == match_key(recorded):
            continue  # a signature, an id, or a name of a session
        seen += 1

        first = compare(recorded, changed).differences[0]

        assert first.pointer in (_pointer(path), "/model"), (
            "the model stands in the head, wherever it was named"
        )
        assert _pair(first) == (_normal(value), _normal(_other(value)))
    assert seen >= min(3, len(form.get("contents", ())))


def _entry_of(item: Exchange, body: Any) -> Entry:
    request = item.request
    return entry(body, request.path, request.query, request.method)


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if items is None:
        yield path
        return
    for key, item in items:
        yield from _leaves(item, (*path, key))


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _changed(value: Any, path: tuple[str | int, ...], to: Any) -> Any:
    if not path:
        return to
    twin = copy.deepcopy(value)
    _at(twin, path[:-1])[path[-1]] = to
    return twin


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | float) else f"{value}x"


_CAMEL = {
    "parameters_json_schema": "parametersJsonSchema",
    "response_json_schema": "responseJsonSchema",
    "function_declarations": "functionDeclarations",
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "include_thoughts": "includeThoughts",
    "file_uri": "fileUri",
    "mime_type": "mimeType",
}


def _pointer(path: tuple[str | int, ...]) -> str:
    return "".join(f"/{_CAMEL.get(str(key), key)}" for key in path)


def _normal(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pair(first: Any) -> tuple[Any, Any]:
    assert ABSENT not in (first.recorded, first.got)
    return first.recorded, first.got
