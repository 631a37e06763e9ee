"""The schema, and what its views show to somebody who opens the file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes import migrations
from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.cassettes.store import Cassette
from tests.conversations import conversation
from tests.factories import call, calls, exchange, model_text, sse, user
from tests.strategies import BODIES

SNAPSHOT = Path(__file__).parent / "schema.sql"
"""The schema as it was last looked at: delete the file and run the tests to write it anew."""
PATH = "/v1beta/models/gemini-3-pro:generateContent"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cassette]:
    with Cassette.create(tmp_path_factory.mktemp("views") / "run.db") as cassette:
        yield cassette


def shown(cassette: Cassette, number: int, column: str = "body", view: str = "requests") -> Any:
    """What somebody sees who opens the file, with nothing of ours."""
    connection = sqlite3.connect(f"file:{cassette.path}?mode=ro", uri=True)
    row = connection.execute(f"SELECT {column} FROM {view} WHERE exchange = ?", (number,)).fetchone()
    connection.close()
    return row[0]


def test_schema(recording: Cassette):
    connection = sqlite3.connect(recording.path)
    rows = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name <> '_sqlite_migrations' ORDER BY type, name"
    )
    schema = "".join(f"{row[0]};\n\n" for row in rows)
    connection.close()
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(schema)
        pytest.fail(f"{SNAPSHOT.name} was written: look at it")

    assert schema == SNAPSHOT.read_text()


def test_file_says_what_it_is(recording: Cassette):
    connection = sqlite3.connect(recording.path)
    numbers = [
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    ]
    applied = connection.execute("SELECT name FROM _sqlite_migrations ORDER BY id").fetchall()
    connection.close()

    assert numbers == [0x474D5450, migrations.FORMAT]
    assert [name for (name,) in applied] == [migration.__name__ for migration in migrations.MIGRATIONS]


def test_migrations_are_numbered_without_gaps():
    numbers = [int(migration.__name__[1:4]) for migration in migrations.MIGRATIONS]

    assert numbers == list(range(1, migrations.FORMAT + 1))


def test_applying_twice_changes_nothing(tmp_path: Path):
    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    migrations.apply(connection)
    before = connection.execute("PRAGMA schema_version").fetchone()

    migrations.apply(connection)

    assert connection.execute("PRAGMA schema_version").fetchone() == before
    connection.close()


def test_migration_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def m002_fails(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (id)")
        db.execute("CREATE TABLE half (id)")

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, m002_fails))
    connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)

    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrations.apply(connection)

    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    assert "half" not in names
    assert "exchanges" in names
    connection.close()


@given(BODIES)
def test_view_shows_any_request_as_it_was(recording: Cassette, body: Any):
    data = json.dumps(body).encode()
    number = recording.add(Exchange(Request("POST", PATH, body=data))).number
    text = shown(recording, number)

    assert json.loads(text) == json.loads(data)
    assert (
        recording.entry(number).body() == recording.prepare(Exchange(Request("POST", PATH, body=data))).body()
    )


A, TOOL, SYSTEM = user("a"), {"functionDeclarations": [{"name": "f"}]}, {"parts": [{"text": "s"}]}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            {"contents": [A, A, model_text("b")], "tools": [TOOL, TOOL], "systemInstruction": SYSTEM},
            id="all",
        ),
        pytest.param({"contents": [A], "tools": [], "systemInstruction": {}}, id="empty"),
        pytest.param({"contents": A, "tools": TOOL, "system_instruction": SYSTEM}, id="single objects"),
        pytest.param({"messages": [{"role": "user", "content": "a"}], "model": "m"}, id="chat"),
        pytest.param(
            {"request": {"contents": [A], "tools": [TOOL], "systemInstruction": SYSTEM}, "model": "m"},
            id="Code Assist",
        ),
        pytest.param(
            {"request": {"contents": [], "system_instruction": SYSTEM}}, id="Code Assist without contents"
        ),
        pytest.param(
            {"contents": [None, 1, "é\u0000\n\"'\\", 1.5e300, [], {"a.b": {"$": [None]}}]}, id="odd contents"
        ),
        pytest.param([], id="list"),
        pytest.param("text", id="text"),
        pytest.param(None, id="null"),
    ],
)
def test_view_shows_each_shape(recording: Cassette, body: Any):
    number = recording.add(Exchange(Request("POST", PATH, body=json.dumps(body).encode()))).number

    assert json.loads(shown(recording, number)) == body
    assert (shown(recording, number, "method"), shown(recording, number, "path")) == ("POST", PATH)


@pytest.mark.parametrize(
    "body", [b"a=1&b=2", b'{"n": 123456789012345678901234567890}', b"\xff\x00", b"[" * 200]
)
def test_view_shows_bytes_that_are_no_json(recording: Cassette, body: bytes):
    number = recording.add(Exchange(Request("POST", "/v1beta/files", body=body))).number

    assert shown(recording, number) == body


def test_view_shows_nothing_where_there_was_no_body(recording: Cassette):
    number = recording.add(Exchange(Request("GET", "/v1beta/models"), Response(200))).number

    assert shown(recording, number, "count(*)") == 1
    assert shown(recording, number) is None


def test_view_shows_long_histories_in_order(recording: Cassette):
    exchanges = list(conversation(60, piece=200))
    numbers = [recording.add(item).number for item in exchanges]

    assert json.loads(shown(recording, numbers[-1])) == json.loads(exchanges[-1].request.body)
    assert json.loads(shown(recording, numbers[30])) == json.loads(exchanges[30].request.body)


def test_view_shows_what_was_answered(recording: Cassette):
    pieces = [
        {"candidates": [{"content": calls(call("f", {"at": at})), "finishReason": "STOP"}]} for at in (1, 2)
    ]
    number = recording.add(exchange([user("a")], sse(*pieces))).number
    columns = ("content", "model", "status", "finish_reason", "failure")
    content, *rest = (shown(recording, number, column, "answers") for column in columns)

    assert json.loads(content) == calls(call("f", {"at": 1}), call("f", {"at": 2}))
    assert rest == ["gemini-3-pro-preview", 200, "STOP", None]


def test_view_shows_answers_that_never_came(recording: Cassette):
    number = recording.add(Exchange(Request("POST", PATH), failure=Failure.TIMEOUT)).number

    assert shown(recording, number, "failure", "answers") == "timeout"
    assert shown(recording, number, "content", "answers") is None


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_equal_values_share_a_row_and_equal_beginnings_their_turns(one: list[str], other: list[str]):
    """Whatever histories share, each comes back in its own order."""
    with Cassette.temporary() as cassette:
        for history in (one, other, one):
            cassette.add(exchange([user(text) for text in history]))
        shared = 0
        while shared < min(len(one), len(other)) and one[shared] == other[shared]:
            shared += 1
        turns = cassette._connection.execute("SELECT count(*) FROM turns").fetchone()[0]
        bodies = [json.loads(row[0]) for row in cassette._connection.execute("SELECT body FROM requests")]

    assert turns == len(one) + len(other) - shared
    assert bodies == [{"contents": [user(text) for text in history]} for history in (one, other, one)]
