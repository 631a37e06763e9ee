"""A cassette keeps exchanges as they were, in little room, and is never left half written."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.errors import CassetteBusy, CassetteError, CassetteExists
from gemtape.cassettes.matchform import match_key
from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response, Violation
from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.turns import Piece
from tests.conversations import conversation, steps
from tests.factories import JSON, cassette_of, exchange, model_text, sse, unary, user
from tests.readonly import open_folder, write_protected
from tests.strategies import BODIES

PATH = "/v1beta/models/gemini-3-pro:generateContent"
A, B = user("a"), model_text("b")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.db"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cassette, Cassette]]:
    """A recorder and a reader of one cassette."""
    path = tmp_path_factory.mktemp("store") / "run.db"
    with Cassette.create(path) as recorder, Cassette.read(path) as reader:
        yield recorder, reader


def bodies(path: Path) -> list[Any]:
    with Cassette.read(path) as reader:
        return [json.loads(item.request.body) for item in reader.exchanges()]


def asked(text: str) -> Exchange:
    return exchange([user(text)], B)


# -- what comes back --------------------------------------------------------------------------------------------------


@given(BODIES)
def test_any_request_comes_back_with_its_value(shared: tuple[Cassette, Cassette], body: Any):
    recorder, reader = shared
    data = json.dumps(body).encode()
    number = recorder.add(Exchange(Request("POST", PATH, body=data))).number

    assert json.loads(reader.entry(number).body()) == json.loads(data)


@given(
    st.sampled_from(
        [
            b"",
            b"a=1&b=2",
            b"\xff\xfe\x00",
            b'{"contents": [{"parts": [{"functionCall": {"args": {"n": 123456789012345678901234567890}}}]}]}',
            b'{"n": 10000000000000000000000}',
            b"[-9223372036854775809, 1.0, 1e400]",
            b'{"a": "\\ud800"}',
            b"[" * 300 + b"]" * 300,
            b"[" * 5000,
            b'\xef\xbb\xbf{"contents": []}',
            b'{"contents": [',
        ]
    )
    | st.binary(max_size=50)
)
def test_what_json_could_not_stand_for_comes_back_byte_for_byte(
    shared: tuple[Cassette, Cassette], body: bytes
):
    recorder, reader = shared
    entry = recorder.add(Exchange(Request("POST", "/v1beta/models/m:predict", body=body)))
    stored = reader.entry(entry.number)

    assert stored.raw_body is None or stored.body() == body
    assert stored.body() == body or json.loads(stored.body()) == json.loads(body)
    assert (stored.raw_body is None) == (entry.raw_body is None)


CHUNKS = st.lists(st.builds(Chunk, st.integers(0, 10**6), st.text().map(str.encode)), max_size=5).map(tuple)


@given(CHUNKS, st.booleans(), st.sampled_from([None, *Failure]), st.integers(100, 599))
def test_any_answer_comes_back_byte_for_byte(
    shared: tuple[Cassette, Cassette],
    chunks: tuple[Chunk, ...],
    cut: bool,
    failure: Failure | None,
    status: int,
):
    """With its chunk boundaries and offsets, cut or whole, with and without a failure."""
    recorder, reader = shared
    item = Exchange(Request("POST", PATH, body=b"{}"), Response(status, JSON, chunks, cut), failure, 1.5, 20)

    assert reader.entry(recorder.add(item).number).exchange() == item


def test_stream_comes_back_chunk_by_chunk(path: Path):
    whole = sse(*[{"candidates": [{"content": model_text(f"é{number}")}]} for number in range(50)])
    torn = tuple(Chunk(at, whole.body[at : at + 7]) for at in range(0, len(whole.body), 7))
    cassette_of(path, [exchange([A], Response(200, whole.headers, torn, cut=True))])

    with Cassette.read(path) as reader:
        response = reader.entry(1).response

    assert response == Response(200, whole.headers, torn, cut=True)


def test_answer_that_never_came(path: Path):
    item = Exchange(
        Request("POST", PATH, body=b"{}", upstream="https://a.example"), None, Failure.REFUSED, 2.0, 30
    )
    cassette_of(path, [item])

    with Cassette.read(path) as reader:
        assert list(reader.exchanges()) == [item]


def test_exchanges_are_numbered_in_recorded_order(path: Path):
    with Cassette.create(path) as recorder:
        assert [recorder.add(asked(text)).number for text in "abc"] == [1, 2, 3]
        assert len(recorder) == 3
    with Cassette.append_to(path) as recorder:
        assert recorder.add(asked("d")).number == 4

    assert [body["contents"] for body in bodies(path)] == [[user(text)] for text in "abcd"]


def test_equal_requests_are_found_in_order(path: Path):
    cassette_of(path, [asked("a"), asked("b"), asked("a")])

    with Cassette.read(path) as reader:
        assert reader.numbers_for(match_key(reader.request_entry(asked("a").request))) == [1, 3]
        assert reader.numbers_for(match_key(reader.request_entry(asked("c").request))) == []


def test_findings_are_stored_with_the_exchange(path: Path):
    def judge(entry: Entry) -> list[Violation]:
        return [Violation("some-rule", "error", entry.number, "request", "/contents/0", "so it is")]

    with Cassette.create(path) as recorder:
        numbered, found = recorder.append(recorder.prepare(asked("a")), judge, "1.0 abc")
    assert (numbered.number, found[0].exchange) == (1, 1)

    with Cassette.read(path) as reader:
        assert reader.stored_violations() == [(1, "some-rule", "error")]


def test_judge_sees_the_folded_answer_without_folding_it_again(path: Path):
    seen: list[Entry] = []
    with Cassette.create(path) as recorder:
        entry = recorder.prepare(asked("a"))
        recorder.append(entry, lambda numbered: seen.append(numbered) or [])

    assert vars(seen[0])["answer"] is entry.answer


def test_secrets_reach_no_byte_of_any_file(path: Path):
    key = "AIza" + "FAKE_key-0" * 3 + "12345"
    request = Request(
        "POST", PATH, f"key={key}", (("x-goog-api-key", key),), json.dumps({"contents": [user(key)]}).encode()
    )
    with Cassette.create(path) as recorder:
        recorder.add(Exchange(request, unary({"error": {"message": key}}, 400)))
        for file in path.parent.iterdir():
            assert key.encode() not in file.read_bytes()

    assert key.encode() not in path.read_bytes()


# -- how much room it takes -------------------------------------------------------------------------------------------


def _room(path: Path, count: int, **kind: Any) -> int:
    """The size of a cassette of so many steps, as each would be recorded."""
    with Cassette.create(path) as recorder:
        for item in conversation(count, **kind):
            recorder.add(item)
    return path.stat().st_size


def _room_in_short(path: Path, count: int) -> int:
    """The same without reading every request anew: each goes on from the history of the one before."""
    with Cassette.create(path) as recorder:
        first = recorder.prepare(next(conversation(1)))
        head = recorder.turns.root(CONTENT)
        for number, step in enumerate(steps(count), 1):
            for content in step.added:
                head = head.child(Piece(content))
            layout = replace(first.layout, history=head)
            recorder.append(replace(first, layout=layout, response=step.response, started_at=float(number)))
    return path.stat().st_size


def test_one_exchange_takes_little_room(path: Path):
    assert _room(path, 1, tools=1000) < 40_000


def test_room_that_a_conversation_takes(path: Path):
    """100 steps of 1.5 KB of history and 1.5 KB of answer with 4 KB of tools."""
    assert _room(path, 100) <= 500_000
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert bodies(path)[-1] == json.loads([*conversation(100)][-1].request.body)


def test_room_that_a_conversation_takes_whose_instruction_changes(path: Path):
    assert _room(path, 100, new_instructions=True) <= 600_000


def test_room_grows_with_the_number_of_steps(tmp_path: Path):
    hundred, short, long = (tmp_path / name for name in ("100.db", "short.db", "500.db"))

    assert _room(hundred, 100) == _room_in_short(short, 100)
    assert _room_in_short(long, 500) <= 5.5 * hundred.stat().st_size


def test_values_are_worked_out_once(path: Path, monkeypatch: pytest.MonkeyPatch):
    """A step normalises what is new in it, not its whole history."""
    from gemtape.cassettes import turns

    normalised: list[Any] = []
    normalise = turns.normalise_content
    monkeypatch.setattr(
        turns, "normalise_content", lambda value: normalised.append(value) or normalise(value)
    )
    with Cassette.create(path) as recorder:
        for item in conversation(30, piece=100):
            recorder.add(item)

    assert len(normalised) == 59


# -- nothing half written ---------------------------------------------------------------------------------------------


def rows_of(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    tables = ("exchanges", "pieces", "turns", "violations")
    counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
    connection.close()
    return counts


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, sqlite3.OperationalError])
def test_judge_that_raises_leaves_nothing(path: Path, error: type[BaseException]):
    def judge(_: Entry) -> list[Violation]:
        raise error("from the judge")

    with Cassette.create(path) as recorder:
        recorder.add(asked("a"))
        before = rows_of(path)
        with pytest.raises((CassetteError, error), match="from the judge"):
            recorder.append(
                recorder.prepare(exchange([user("new"), B, user("more")], model_text("c"))), judge
            )
        assert rows_of(path) == before

        assert recorder.add(exchange([user("new"), B, user("more")], model_text("c"))).number == 2

    assert bodies(path)[1]["contents"] == [user("new"), B, user("more")]


def test_full_disk_leaves_nothing_and_is_said_until_there_is_room(path: Path):
    large = exchange([user(os.urandom(100_000).hex())], B)
    with Cassette.create(path) as recorder:
        recorder.add(asked("a"))
        recorder.check_writable()
        before = rows_of(path)
        limit = recorder._connection.execute("PRAGMA page_count").fetchone()[0]
        recorder._connection.execute(f"PRAGMA max_page_count = {limit}")

        with pytest.raises(CassetteError, match=r"cannot write to .*run\.db: database or disk is full"):
            recorder.add(large)
        assert rows_of(path) == before
        for _ in range(2):
            with pytest.raises(CassetteError, match="full"):
                recorder.check_writable()

        recorder._connection.execute("PRAGMA max_page_count = 1000000")
        recorder.check_writable()
        assert recorder.add(large).number == 2

    assert bodies(path)[1] == json.loads(large.request.body)


FULL = """
import os, resource, sys
from pathlib import Path
from gemtape.cassettes.errors import CassetteError
from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.turns import Piece
from tests.factories import exchange, model_text, user

path = Path(sys.argv[1])
with Cassette.create(path) as recorder:
    recorder.add(exchange([user("first")], model_text("b")))
    size = Path(f"{path}-wal").stat().st_size
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50_000, most))
    large = exchange([user(os.urandom(100_000).hex())], model_text("b"))
    for use in (lambda: recorder.add(large), recorder.check_writable, recorder.check_writable):
        try:
            use()
            print("no error")
        except CassetteError as error:
            print("refused" if str(path) in str(error) else error)
    print(len(recorder))
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    recorder.check_writable()
    print(recorder.add(large).number)
"""


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY, reason="files are limited already"
)
def test_file_that_may_not_grow_leaves_nothing_and_is_said_until_it_may(path: Path):
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", FULL, path], capture_output=True, text=True, check=True, cwd=root
    )

    assert run.stdout.split() == ["refused", "refused", "refused", "1", "2"]
    assert len(bodies(path)) == 2


def test_cassette_that_becomes_read_only_is_said(path: Path):
    with Cassette.create(path) as recorder:
        recorder._connection.execute("PRAGMA query_only = ON")
        for use in (recorder.check_writable, lambda: recorder.add(asked("a"))):
            with pytest.raises(
                CassetteError, match=r"cannot write to .*run\.db: attempt to write a readonly database"
            ):
                use()
        recorder._connection.execute("PRAGMA query_only = OFF")
        recorder.check_writable()
        assert recorder.add(asked("a")).number == 1


@pytest.mark.parametrize("gone", ["removed", "replaced"])
def test_cassette_whose_file_is_gone_is_said(path: Path, gone: str):
    recorder = Cassette.create(path)
    path.unlink()
    if gone == "replaced":
        path.write_bytes(b"")

    for use in (recorder.check_writable, lambda: recorder.add(asked("a"))):
        with pytest.raises(CassetteError, match="the file is gone"):
            use()
    recorder.close()


def test_what_is_not_open_for_recording_is_said(path: Path):
    closed = Cassette.create(path)
    closed.close()
    reader = Cassette.read(path)

    for cassette in (closed, reader):
        entry = reader.prepare(asked("a"))
        for use in (cassette.check_writable, lambda: cassette.append(entry)):  # noqa: B023 - called at once
            with pytest.raises(CassetteError, match="it is not open for recording"):
                use()
    reader.close()


def test_closing_twice_is_harmless(path: Path):
    recorder = Cassette.create(path)
    recorder.close()
    recorder.close()
    reader = Cassette.read(path)
    reader.close()
    reader.close()

    assert [file.name for file in path.parent.iterdir()] == ["run.db"]


def test_creation_makes_folders_and_never_overwrites(tmp_path: Path):
    path = tmp_path / "a" / "b" / "run.db"
    Cassette.create(path).close()
    before = path.read_bytes()

    with pytest.raises(CassetteExists, match=r"run\.db exists already"):
        Cassette.create(path)

    assert path.read_bytes() == before
    (tmp_path / "file").touch()
    with pytest.raises(CassetteError, match="cannot create"):
        Cassette.create(tmp_path / "file" / "run.db")


# -- several at once --------------------------------------------------------------------------------------------------


def test_second_recorder_is_refused(path: Path):
    with Cassette.create(path) as recorder:
        with pytest.raises(CassetteBusy):
            Cassette.append_to(path)
        recorder.add(asked("a"))

    Cassette.append_to(path).close()


def test_recorder_keeps_its_hold_on_the_file_after_another_was_refused(path: Path):
    """Were SQLite's own locks lost, another process would take the log for left over and remove it."""
    with Cassette.create(path) as recorder:
        recorder.add(asked("a"))
        with pytest.raises(CassetteBusy):
            Cassette.append_to(path)
        Cassette.read(path).close()
        script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('PRAGMA journal_mode = DELETE')"
        other = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, text=True, check=False
        )
        assert "database is locked" in other.stderr
        recorder.add(asked("b"))

    assert len(bodies(path)) == 2


def test_reader_sees_what_is_committed_while_recording_goes_on(path: Path):
    with Cassette.create(path) as recorder, Cassette.read(path) as reader:
        assert len(reader) == 0
        for count, text in enumerate("abc", 1):
            recorder.add(asked(text))
            assert len(reader) == count
            assert json.loads(reader.entry(count).body())["contents"] == [user(text)]


def test_reader_in_the_middle_of_reading_does_not_hold_up_the_recorder(path: Path):
    with Cassette.create(path) as recorder:
        for text in "abc":
            recorder.add(asked(text))
        with Cassette.read(path) as reader:
            entries = reader.entries()
            next(entries)
            recorder.add(asked("d"))
            assert len(list(entries)) == 2
            assert len(list(reader.entries())) == 4
            held = reader.entries()
            next(held)
            recorder.close()

    assert len(bodies(path)) == 4


def test_cassette_may_be_used_by_another_thread_in_turn(path: Path):
    with Cassette.create(path) as recorder:
        thread = threading.Thread(target=recorder.add, args=(asked("a"),))
        thread.start()
        thread.join()
        assert len(recorder) == 1


def test_reading_changes_no_byte(path: Path):
    cassette_of(path, [asked("a")])
    before = path.read_bytes()
    with open_folder() as folder:
        copy = folder / "run.db"
        copy.write_bytes(before)
        with write_protected(folder), Cassette.read(copy) as reader:
            assert len(list(reader.exchanges())) == 1
        assert copy.read_bytes() == before

    assert bodies(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["run.db"]


def test_near_finds_what_begins_alike(path: Path):
    cassette_of(path, [asked("x"), exchange([A, B, user("c")], B)])

    with Cassette.read(path) as reader:
        assert 2 in reader.near(reader.request_entry(exchange([A, B, user("d")]).request))
