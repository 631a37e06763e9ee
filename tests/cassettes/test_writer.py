"""Only what is new becomes rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

import pytest

from gemtape.cassettes.connection import connect_in_memory
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Exchange, Request, Violation
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.cassettes.writer import Writer
from tests.factories import exchange, model_text, user

TREE = TurnTree()


def prepared(item: Exchange) -> Entry:
    return entry_of(item, Redactor(), TREE)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = connect_in_memory()
    yield connection
    connection.close()


def counts(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Exchanges, pieces, turns."""
    tables = ("exchanges", "pieces", "turns")
    exchanges, pieces, turns = (
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables
    )
    return exchanges, pieces, turns


A, B, C = user("a"), model_text("b"), user("c")


def test_next_step_adds_its_new_contents_only(connection: sqlite3.Connection):
    """The answer is there already; the next history takes it up."""
    writer = Writer(connection)
    assert writer.insert(prepared(exchange([A], B))) == 1
    assert counts(connection) == (1, 3, 1), "envelope, prompt, answer"

    assert writer.insert(prepared(exchange([A, B, C], model_text("d")))) == 2

    assert counts(connection) == (2, 5, 3)


def test_another_writer_finds_what_is_there(connection: sqlite3.Connection):
    Writer(connection).insert(prepared(exchange([A, B, C], B)))
    before = counts(connection)

    Writer(connection).insert(entry_of(exchange([A, B, C], B), Redactor(), TurnTree()))

    assert counts(connection) == (2, *before[1:])


def test_forgotten_rows_are_written_again(connection: sqlite3.Connection):
    writer = Writer(connection)
    connection.execute("BEGIN")
    writer.insert(prepared(exchange([A], B)))
    connection.execute("ROLLBACK")
    writer.forget()

    writer.insert(prepared(exchange([A], B)))

    assert counts(connection) == (1, 3, 1)


def test_raw_body_is_a_piece_of_bytes(connection: sqlite3.Connection):
    writer = Writer(connection)
    for _ in range(2):
        writer.insert(prepared(Exchange(Request("POST", "/v1beta/files", body=b"a=1"))))
    writer.insert(prepared(Exchange(Request("GET", "/v1beta/files"))))

    assert connection.execute("SELECT value FROM pieces").fetchall() == [(b"a=1",)]
    assert connection.execute("SELECT raw_body, envelope FROM exchanges").fetchall() == [
        (1, None),
        (1, None),
        (None, None),
    ]


def test_columns_that_people_look_at(connection: sqlite3.Connection):
    Writer(connection).insert(prepared(exchange([A], B, tools=[{"googleSearch": {}}], query="alt=json")))
    columns = "method, path, query, action, model, request_headers, contents_at, tools_at, status, finish_reason, failure"
    row = connection.execute(f"SELECT {columns} FROM exchanges").fetchone()

    path = "/v1beta/models/gemini-3-pro-preview:generateContent"
    headers = json.dumps([["content-type", "application/json"]], separators=(",", ":"))
    assert row == (
        *("POST", path, "alt=json", "generateContent", "gemini-3-pro-preview", headers),
        *("$.contents", "$.tools", 200, "STOP", None),
    )


def test_findings_are_written_with_what_found_them(connection: sqlite3.Connection):
    writer = Writer(connection)
    number = writer.insert(prepared(exchange([A], B)))
    writer.note(number, [Violation("some-rule", "error", 0, "request", "/contents/0", "so it is")], "1.0 abc")

    assert connection.execute("SELECT * FROM violations").fetchall() == [
        (1, "some-rule", "error", "request", "/contents/0", "so it is", "1.0 abc")
    ]


def test_count_is_of_what_is_new(connection: sqlite3.Connection):
    writer = Writer(connection)
    writer.insert(prepared(exchange([user("x" * 10_000)], B)))
    assert 10_000 < writer.take_count() < 11_000
    assert writer.take_count() == 0

    writer.insert(prepared(exchange([user("x" * 10_000), B, C], B)))

    assert writer.take_count() < 1000


def test_room_is_tried_and_given_back(connection: sqlite3.Connection):
    writer = Writer(connection)
    before = connection.execute("SELECT * FROM meta").fetchall()

    writer.try_room(100_000)

    assert connection.execute("SELECT * FROM meta").fetchall() == before
    connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        writer.try_room(200_000)
