"""Rows become entries again, and damage becomes a clear error, never another one."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.errors import CassetteError, NotACassette
from gemtape.cassettes.matchform import match_key
from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.cassettes.schema import CONTENT, OPENAI_MESSAGE
from gemtape.cassettes.store import Cassette
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, sse, user

A, B, C = user("a"), model_text("b"), user("c")
CHAT = "/v1beta/openai/chat/completions"


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """A little of everything."""
    call_content = calls(call("f", {"x": 1}, id="1"), call("g", id="2"))
    items = [
        exchange(
            [A], sse({"candidates": [{"content": B}]}, {"candidates": [{"finishReason": "STOP"}]}, cut=True)
        ),
        exchange([A, B, C], call_content, tools=[{"functionDeclarations": [{"name": "f"}]}]),
        exchange([A, B, C, call_content, results(result("f", {"y": 2}, id="1"), result("g", {}, id="2"))], B),
        exchange([A], model_text("b" * 5000), systemInstruction={"parts": [{"text": "s" * 3000}]}),
        Exchange(Request("POST", "/v1beta/files", body=b"a=1" * 500), Response(200), started_at=9.0),
        Exchange(Request("GET", "/v1beta/models"), failure=Failure.RESET),
        exchange([], path=CHAT, model="m", messages=[{"role": "user", "content": "a"}]),
    ]
    return cassette_of(tmp_path / "run.db", items)


def tampered(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def read_all(path: Path) -> int:
    """Look at everything that can be looked at."""
    with Cassette.read(path) as cassette:
        entries = list(cassette.entries())
        for entry in entries:
            assert entry.exchange().request.body == entry.body()
            assert isinstance(entry.answer.parts, list)
            assert cassette.numbers_for(match_key(entry)) is not None
            cassette.near(entry)
            assert entry.ended_at >= entry.started_at
        cassette.stored_violations()
        return len(entries) + len(cassette)


def test_histories_are_shared(cassette: Path):
    with Cassette.read(cassette) as reader:
        first, second, third, *_ = reader.entries()

        assert third.layout.history.parent is not None
        assert third.layout.history.parent.parent is second.layout.history
        assert second.layout.history.line()[0] is first.layout.history
        assert reader.entry(2).layout.history is second.layout.history


def test_entry_by_number(cassette: Path):
    with Cassette.read(cassette) as reader:
        assert reader.entry(5).body() == b"a=1" * 500
        assert reader.entry(6).failure is Failure.RESET
        with pytest.raises(CassetteError, match="there is no exchange 8 in this cassette"):
            reader.entry(8)


def test_one_value_can_be_a_content_a_message_and_a_tool(tmp_path: Path):
    """They share a row and nothing else."""
    path = tmp_path / "odd.db"
    odd: list[dict[str, Any]] = [{"contents": [{}], "tools": [{}]}, {"messages": [{}]}]
    with Cassette.create(path) as recorder:
        keys = [
            match_key(
                recorder.add(exchange([], path=CHAT, **body) if "messages" in body else exchange(**body))
            )
            for body in odd
        ]

    with Cassette.read(path) as reader:
        first, second = reader.entries()
        assert first.layout.history.message is CONTENT
        assert first.layout.tools.normal == {}
        assert first.layout.history.normal == {"role": "user"}
        assert [match_key(first), match_key(second)] == keys
        assert second.layout.history.message in (CONTENT, OPENAI_MESSAGE)


def test_keys_of_what_was_read_are_those_of_what_was_written(cassette: Path):
    with Cassette.read(cassette) as reader:
        for entry in reader.entries():
            assert entry.number in reader.numbers_for(match_key(entry))


@pytest.mark.parametrize(
    "statements",
    [
        pytest.param(["UPDATE exchanges SET status = 'x' WHERE id = 1"], id="status"),
        pytest.param(["UPDATE exchanges SET started_at = 'x' WHERE id = 1"], id="time"),
        pytest.param(["UPDATE exchanges SET path = x'ff' WHERE id = 1"], id="path of bytes"),
        pytest.param(["UPDATE exchanges SET request_headers = '[1]' WHERE id = 1"], id="headers"),
        pytest.param(["UPDATE exchanges SET failure = 'boredom' WHERE id = 1"], id="failure"),
        pytest.param(["UPDATE exchanges SET redacted = '[1]' WHERE id = 1"], id="redacted"),
        pytest.param(["UPDATE exchanges SET body = x'00' WHERE id = 1"], id="body"),
        pytest.param(["UPDATE exchanges SET chunks = '[[1, 5]]' WHERE id = 1"], id="chunks"),
        pytest.param(["UPDATE exchanges SET envelope = 999 WHERE id = 1"], id="envelope"),
        pytest.param(["UPDATE exchanges SET contents_at = '$.a.b.c' WHERE id = 1"], id="place"),
        pytest.param(["UPDATE exchanges SET history = 999 WHERE id = 1"], id="history"),
        pytest.param(["UPDATE exchanges SET answer = NULL WHERE id = 1"], id="dictionary"),
        pytest.param(["UPDATE pieces SET value = '{' WHERE id = 1"], id="value"),
        pytest.param(["UPDATE pieces SET value = 5 WHERE id = 1"], id="number for a value"),
        pytest.param(["UPDATE pieces SET value = cast(x'22ff22' AS TEXT) WHERE id = 1"], id="invalid UTF-8"),
        pytest.param(["DELETE FROM pieces WHERE id = 2"], id="missing value"),
        pytest.param(["UPDATE turns SET parent = id WHERE id = 1"], id="turn after itself"),
        pytest.param(["UPDATE turns SET parent = 3 WHERE id = 1"], id="turns in a circle"),
        pytest.param(["UPDATE turns SET parent = 'x' WHERE id = 1"], id="turn after text"),
        pytest.param(
            ["DROP VIEW requests", "DROP VIEW answers", "ALTER TABLE exchanges RENAME COLUMN chunks TO c"],
            id="column",
        ),
        pytest.param(["DROP TABLE turns"], id="table"),
    ],
)
def test_tampered_cassette_is_said_to_be_damaged(cassette: Path, statements: list[str]):
    with pytest.raises(NotACassette, match=r"damaged|cannot use"):
        read_all(tampered(cassette, *statements))


def _or_error(use: Callable[[Path], Any], path: Path) -> str:
    try:
        use(path)
    except CassetteError as error:
        return type(error).__name__ if str(error) else "no message"
    return "read"


def test_flipped_bytes_are_read_or_refused(cassette: Path):
    """A hundred times: never another exception, never a hang."""
    order = random.Random(7)
    whole = cassette.read_bytes()
    outcomes = set()
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(order.choice((1, 1, 4, 32, 512))):
            data[order.randrange(len(data))] = order.randrange(256)
        cassette.write_bytes(data)
        outcomes.add(_or_error(read_all, cassette))

    assert {"read", "NotACassette"} <= outcomes


def test_flipped_bytes_are_recorded_on_or_refused(cassette: Path):
    order = random.Random(11)
    whole = cassette.read_bytes()

    def go_on(path: Path) -> None:
        with Cassette.append_to(path) as recorder:
            recorder.check_writable()
            recorder.add(exchange([A, B, C], B))

    outcomes = set()
    for _ in range(50):
        data = bytearray(whole)
        for _ in range(order.choice((1, 8, 128))):
            data[order.randrange(len(data))] = order.randrange(256)
        cassette.write_bytes(data)
        outcomes.add(_or_error(go_on, cassette))
        for beside in cassette.parent.glob("run.db-*"):
            beside.unlink()

    assert {"read", "NotACassette"} <= outcomes


@pytest.mark.parametrize("part", [0.01, 0.2, 0.5, 0.9, 0.999])
def test_cut_file_is_read_or_refused(cassette: Path, part: float):
    data = cassette.read_bytes()
    cassette.write_bytes(data[: int(len(data) * part)])

    assert _or_error(read_all, cassette) in ("read", "NotACassette")


def test_an_uploaded_file_is_read_as_it_was_and_takes_no_part_in_histories(tmp_path: Path):
    data = b'{"contents": [{"parts": [{"text": "x"}]}],\n"a": 1}'
    request = Request("POST", "/upload/v1beta/files", "upload_id=u", body=data)
    with Cassette.read(cassette_of(tmp_path / "run.db", [Exchange(request, Response(200))])) as cassette:
        entry = cassette.entry(1)

    assert entry.body() == data
    assert entry.layout.history.depth == 0
