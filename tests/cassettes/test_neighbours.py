"""Which recorded exchanges are worth comparing with a request that has no match."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes import neighbours
from gemtape.cassettes.errors import NotACassette
from gemtape.cassettes.models import Request
from gemtape.cassettes.neighbours import MOST
from gemtape.cassettes.store import Cassette
from tests.factories import MODEL, call, calls, cassette_of, exchange, model_text, result, results, user

GENERATE = f"/v1beta/models/{MODEL}:generateContent"


def near(path: Path, contents: list[Any], url: str = GENERATE, method: str = "POST") -> list[int]:
    with Cassette.read(path) as cassette:
        request = Request(method, url, body=json.dumps({"contents": contents}).encode())
        return cassette.near(cassette.request_entry(request))


def conversation(name: str, turns: int) -> list[list[Any]]:
    """The histories of a conversation's requests, one content longer each by a call and its result."""
    history: list[Any] = [user(name)]
    histories = [list(history)]
    for turn in range(turns):
        history += [calls(call("look", {"n": turn})), results(result("look", {"n": turn}))]
        histories.append(list(history))
    return histories


def test_exchanges_that_share_the_longest_beginning_are_among_them(tmp_path: Path):
    """In a cassette so large that the route alone does not find them."""
    others = [exchange([user(f"hello {number}")]) for number in range(2 * MOST)]
    mine = [exchange(history) for history in conversation("refund", 3)]
    path = cassette_of(tmp_path / "run.db", [*others[:MOST], *mine, *others[MOST:]])

    found = near(path, [*conversation("refund", 2)[-1], user("something new")])

    assert {MOST + 3, MOST + 4} <= set(found), "those that went on from the common beginning"


def test_history_is_followed_through_other_spellings(tmp_path: Path):
    """Ids, signatures and key names differ, as they do from one run to the next."""
    recorded = [user("a"), calls(call("f", id="one", signature="AAAA")), results(result("f", {}, id="one"))]
    fill = [exchange([user(f"hello {number}")]) for number in range(2 * MOST)]
    path = cassette_of(tmp_path / "run.db", [*fill[:MOST], exchange([*recorded, user("b")]), *fill[MOST:]])

    sent = [
        {"role": "USER", "parts": {"text": "a"}},
        {"role": "model", "parts": [{"function_call": {"name": "f", "id": "two"}}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {}, "id": "two"}}]},
        user("c"),
    ]

    assert MOST + 1 in near(path, sent)


def test_tools_are_never_taken_for_contents(tmp_path: Path):
    """Both are stored as turns below the same root; reading one for the other would respell it."""
    tools = [{"function_declarations": [{"name": "f", "parameters_json_schema": {"type": "object"}}]}]
    path = cassette_of(tmp_path / "run.db", [exchange([user("a")], tools=tools)])

    with Cassette.read(path) as cassette:
        request = cassette.request_entry(
            Request("POST", GENERATE, body=b'{"contents": {"parts": {"text": "b"}}}')
        )
        cassette.near(request)

        (declared,) = [turn.normal for turn in cassette.entry(1).layout.tools.line()]
    assert declared == {"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}


def test_without_a_common_beginning_the_route_decides(tmp_path: Path):
    items = [
        exchange([user("a")], path="/v1beta/models/m:countTokens"),
        exchange([user("b")], model="gemini-2.5-pro"),
        exchange([user("c")]),
    ]
    path = cassette_of(tmp_path / "run.db", items)

    assert near(path, [user("new")]) == [2, 3]


def test_of_one_route_the_first_and_the_last_are_found(tmp_path: Path):
    count = 3 * MOST
    path = cassette_of(tmp_path / "run.db", [exchange([user(f"hello {number}")]) for number in range(count)])

    found = near(path, [user("new")])

    assert {1, count} <= set(found)
    assert len(found) == MOST


def test_plain_resources_are_found_by_their_method(tmp_path: Path):
    item = exchange([])
    got = type(item)(Request("GET", "/v1beta/files/abc"), item.response)
    path = cassette_of(tmp_path / "run.db", [exchange([user("a")]), got])

    assert near(path, [], "/v1beta/files/xyz", "GET") == [2]


def test_no_more_are_found_than_can_be_compared(tmp_path: Path):
    same = [exchange([user("same"), model_text(str(number)), user("b")]) for number in range(3 * MOST)]
    path = cassette_of(tmp_path / "run.db", same)

    found = near(path, [user("same"), model_text("new"), user("b")])

    assert len(found) <= 2 * MOST
    assert found == sorted(set(found))


def test_empty_cassette_has_none(tmp_path: Path):
    assert near(cassette_of(tmp_path / "run.db", []), [user("a")]) == []


def test_cost_does_not_grow_with_the_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Counted in steps of SQLite's machine, with bounds that small cassettes exceed: twice the exchanges, the same work."""
    monkeypatch.setattr(neighbours, "_RANGE", 40)
    monkeypatch.setattr(neighbours, "_SIBLINGS", 40)

    def steps(count: int) -> int:
        items = [exchange([user(f"{number}"), model_text("x"), user("y")]) for number in range(count)]
        path = cassette_of(tmp_path / f"{count}.db", items)
        total = 0

        def count_step() -> int:
            nonlocal total
            total += 1
            return 0

        with Cassette.read(path) as cassette:
            request = cassette.request_entry(
                Request("POST", GENERATE, body=json.dumps({"contents": [user("7"), user("z")]}).encode())
            )
            cassette._connection.set_progress_handler(count_step, 10)
            cassette.near(request)
        return total

    few, many = steps(150), steps(300)

    assert few > 10, "the handler was called"
    assert many <= few * 1.1


def test_damaged_cassette_is_said_to_be_one(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([user("a")])])
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE pieces SET value = '{' WHERE value LIKE '%\"a\"%'")
    connection.commit()
    connection.close()

    with pytest.raises(NotACassette, match="damaged"):
        near(path, [user("b")])
