"""Where two histories differ, in words and as JSON Pointers."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.difference import Contents, Kind
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.cassettes.values import ABSENT
from tests.factories import call, calls, exchange, model_text, result, results, user

HISTORY: list[Any] = [
    user("refund both"),
    calls(call("look", {"id": "A"}), call("look", {"id": "B"})),
    results(result("look", {"total": 4599}), result("look", {"total": 1250})),
    model_text("done"),
]


def contents(recorded: list[Any], got: list[Any], **more: Any) -> Contents:
    sides = [entry_of(exchange(side, tools=[], **more), Redactor(), TurnTree()) for side in (recorded, got)]
    return Contents(*sides)


def with_part(at: int, part: int, value: Any) -> list[Any]:
    """The history with another part in it."""
    parts = list(HISTORY[at]["parts"])
    parts[part] = value
    return [*HISTORY[:at], {**HISTORY[at], "parts": parts}, *HISTORY[at + 1 :]]


def test_equal_histories_do_not_differ():
    same = contents(HISTORY, HISTORY)

    assert (same.common, same.equal, list(same.differences())) == (4, 4, [])


CHANGES = {
    "text": (
        [user("refund all"), *HISTORY[1:]],
        Kind.TEXT,
        "/contents/0/parts/0/text",
        'content 1 part 1 differs at text: recorded "refund both", got "refund all"',
    ),
    "role": (
        [{**HISTORY[0], "role": "system"}, *HISTORY[1:]],
        Kind.ROLE,
        "/contents/0/role",
        'content 1 differs at role: recorded "user", got "system"',
    ),
    "args": (
        with_part(1, 1, call("look", {"id": "C"})),
        Kind.ARGS,
        "/contents/1/parts/1/functionCall/args/id",
        'content 1 equal, content 2 part 2 differs at functionCall.args.id: recorded "B", got "C"',
    ),
    "name": (
        with_part(1, 0, call("find", {"id": "A"})),
        Kind.NAME,
        "/contents/1/parts/0/functionCall/name",
        'content 1 equal, content 2 part 1 differs at functionCall.name: recorded "look", got "find"',
    ),
    "another sort of part": (
        with_part(3, 0, call("look")),
        Kind.PART,
        "/contents/3/parts/0/functionCall",
        'contents 1 to 3 equal, content 4 part 1 differs at functionCall: recorded nothing, got {"name":"look"}',
    ),
    "result": (
        with_part(2, 0, result("look", {"total": 4600})),
        Kind.RESULT,
        "/contents/2/parts/0/functionResponse/response/total",
        (
            "contents 1 to 2 equal, content 3 part 1 differs at functionResponse.response.total: "
            "recorded 4599, got 4600"
        ),
    ),
    "media": (
        [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}],
        Kind.MEDIA,
        "/contents/0/parts/0/inlineData",
        'content 1 part 1 differs at inlineData: recorded nothing, got {"data":"AAAA","mimeType":"image/png"}',
    ),
    "missing inside": (
        [*HISTORY[:1], *HISTORY[3:]],
        Kind.MISSING,
        "/contents/1",
        (
            "content 1 equal, the request lacks contents 2 to 3 of the recording: recorded "
            '{"parts":[{"functionCall":{"args":{"id":"A"},"name":"look"}},{"functionCall":{"args":{"id":"B"},"name":"look"}}],"role":…, '
            "got nothing"
        ),
    ),
    "missing at the end": (
        HISTORY[:3],
        Kind.MISSING,
        "/contents/3",
        (
            "contents 1 to 3 equal, the request lacks content 4 of the recording: "
            'recorded {"parts":[{"text":"done"}],"role":"model"}, got nothing'
        ),
    ),
    "extra": (
        [user("hello"), *HISTORY],
        Kind.EXTRA,
        "/contents/0",
        (
            "the recording lacks content 1 of the request: "
            'recorded nothing, got {"parts":[{"text":"hello"}],"role":"user"}'
        ),
    ),
    "order": (
        [HISTORY[0], *HISTORY[:0:-1]],
        Kind.ORDER,
        "/contents/1",
        (
            "content 1 equal, contents 2 to 4 stand in another order: recorded "
            '{"parts":[{"functionCall":{"args":{"id":"A"},"name":"look"}},{"functionCall":{"args":{"id":"B"},"name":"look"}}],"role":…, '
            'got {"parts":[{"text":"done"}],"role":"model"}'
        ),
    ),
}


@pytest.mark.parametrize(("got", "kind", "pointer", "words"), CHANGES.values(), ids=CHANGES)
def test_first_difference_names_place_kind_and_both_values(
    got: list[Any], kind: Kind, pointer: str, words: str
):
    first = next(contents(HISTORY, got).differences())

    assert (first.kind, first.pointer, str(first)) == (kind, pointer, words)


def test_parts_in_another_order_are_one_difference():
    recorded, got = [user("a")], [user("a")]
    recorded[0]["parts"] = [{"text": "1"}, {"text": "2"}]
    got[0]["parts"] = [{"text": "2"}, {"text": "1"}]

    (only,) = contents(recorded, got).differences()

    assert (only.kind, only.pointer) == (Kind.ORDER, "/contents/0/parts")


def test_every_content_that_differs_is_named_and_what_follows_the_shorter_one():
    got = [user("other"), HISTORY[1], results(result("look", {"total": 1}), result("look", {"total": 1250}))]

    found = list(contents(HISTORY, got).differences())

    assert [item.pointer for item in found] == [
        "/contents/0/parts/0/text",
        "/contents/2/parts/0/functionResponse/response/total",
        "/contents/3",
    ]
    assert found[-1].where == "1 more of the recording from content 4 on"
    assert found[-1].got is ABSENT


def test_contents_equal_from_both_ends_are_counted():
    changed = contents(HISTORY, [HISTORY[0], user("in between"), *HISTORY[2:]])

    assert (changed.common, changed.equal) == (1, 3)


def test_overlapping_ends_are_counted_once():
    same = [user("a")] * 3

    assert contents(same, same[:2]).equal == 2


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        (
            "/v1internal:generateContent",
            lambda text: {"model": "m", "request": {"contents": [user(text)]}},
            "/request/contents/0/parts/0/text",
        ),
        (
            "/v1beta/openai/chat/completions",
            lambda text: {"model": "m", "messages": [{"role": "user", "content": text}]},
            "/messages/0/content",
        ),
        (
            "/v1beta/models/m:generateContent",
            lambda text: {"contents": user(text)},
            "/contents/0/parts/0/text",
        ),
    ],
    ids=["wrapped", "messages", "single object"],
)
def test_pointer_addresses_the_body_as_it_is_built(path: str, body, pointer: str):
    sides = []
    for text in "ab":
        item = exchange([], path=path)
        item = type(item)(type(item.request)("POST", path, body=_json(body(text))))
        sides.append(entry_of(item, Redactor(), TurnTree()))

    (only,) = Contents(*sides).differences()

    assert (only.kind, only.pointer) == (Kind.TEXT, pointer)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"role": "user"}, Kind.TEXT),
        ({"role": "tool", "tool_call_id": "c1"}, Kind.RESULT),
        ({"role": "function", "name": "f"}, Kind.RESULT),
        ({"role": "system"}, Kind.INSTRUCTION),
        ({"role": "developer"}, Kind.INSTRUCTION),
    ],
    ids=lambda value: value["role"] if isinstance(value, dict) else "",
)
@pytest.mark.parametrize(
    "content", [str, lambda text: [{"type": "text", "text": text}]], ids=["text", "parts"]
)
def test_kind_of_a_chat_message_is_what_its_role_makes_of_the_text(message: dict, kind: Kind, content):
    sides = []
    for text in "ab":
        body = {"model": "m", "messages": [{**message, "content": content(text)}]}
        request = Request("POST", "/v1beta/openai/chat/completions", body=_json(body))
        sides.append(entry_of(Exchange(request, None), Redactor(), TurnTree()))

    (only,) = Contents(*sides).differences()

    assert only.kind is kind


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()
