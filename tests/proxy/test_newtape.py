"""A cassette that is answered from and recorded into: what becomes of its file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes import connection
from gemtape.cassettes.errors import CassetteBusy, CassetteError, NotACassette
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.naming import status_file
from gemtape.cassettes.store import Cassette
from gemtape.checks.config import Config
from gemtape.checks.live import judges
from gemtape.proxy.choosing import Replay, choosers
from gemtape.proxy.errors import Unanswered
from gemtape.proxy.newtape import NewTape
from gemtape.proxy.tape import Recorded
from tests.factories import cassette_of, exchange, model_text, user
from tests.proxied import stored

HELLO = exchange([user("hello")], model_text("hi"))
BYE = exchange([user("bye")], model_text("so long"))
OTHER = exchange([user("other")], model_text("fine"))


Open = Callable[[Path], NewTape]


@pytest.fixture
def opened() -> Iterator[Open]:
    tapes: list[NewTape] = []

    def open_one(path: Path) -> NewTape:
        tapes.append(NewTape(path, choosers(Config()), judges(Config()), "test"))
        return tapes[-1]

    yield open_one
    for tape in tapes:
        tape.park()


def number(replay: Replay | None) -> int:
    return replay.entry.number if replay else 0


def record(tape: NewTape, item: Exchange) -> int:
    """What the proxy does with an exchange that goes live."""
    assert tape.choose(item.request) is None
    tape.check_writable()
    return tape.store(item)[0].number


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [HELLO])


def test_missing_cassette_is_made(tmp_path: Path, opened: Open):
    tape = opened(tmp_path / "deep" / "run.db")

    assert record(tape, HELLO) == 1
    assert tape.finish() == Recorded(tmp_path / "deep" / "run.db", 1)
    assert len(stored(tmp_path / "deep" / "run.db")) == 1


def test_cassette_that_got_nothing_is_not_left_behind(tmp_path: Path, opened: Open):
    assert opened(tmp_path / "run.db").finish() == Recorded(tmp_path / "run.db", 0)
    assert list(tmp_path.iterdir()) == []


def test_run_in_which_nothing_goes_live_leaves_the_file_as_it_is(path: Path, opened: Open):
    """Nor does it take the lock that a recorder takes, so several may run at once."""
    before = path.read_bytes()
    tapes = [opened(path) for _ in range(2)]

    assert [number(tape.choose(HELLO.request)) for tape in tapes] == [1, 1]
    assert [tape.finish() for tape in tapes] == [Recorded(path, 0, replayed=1)] * 2
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["run.db"]


def test_what_goes_live_is_added_and_the_rest_still_answered(path: Path, opened: Open):
    tape = opened(path)

    numbers = [record(tape, BYE), number(tape.choose(HELLO.request)), record(tape, BYE)]

    assert numbers == [2, 1, 3]
    assert tape.finish() == Recorded(path, 2, replayed=1)
    assert [item.request.json for item in stored(path)] == [item.request.json for item in (HELLO, BYE, BYE)]


def test_parked_cassette_goes_on_where_it_was(path: Path, opened: Open):
    """Before anything went live, and after."""
    twice = exchange([user("hello")], model_text("hi again"))
    with Cassette.append_to(path) as cassette:
        cassette.add(twice)
    tape = opened(path)

    numbers = [number(tape.choose(HELLO.request))]
    tape.park()
    numbers.append(number(tape.choose(HELLO.request)))
    tape.park()
    numbers.append(record(tape, BYE))
    tape.park()
    numbers += [number(tape.choose(HELLO.request)), record(tape, BYE)]

    assert numbers == [1, 2, 3, 2, 4]
    assert tape.finish() == Recorded(path, 2, replayed=3)


def test_cassette_that_another_recorder_writes_answers_but_takes_nothing(path: Path, opened: Open):
    tape = opened(path)
    with Cassette.append_to(path):
        assert tape.choose(BYE.request) is None
        with pytest.raises(CassetteBusy):
            tape.check_writable()
        assert number(tape.choose(HELLO.request)) == 1
    assert record(tape, BYE) == 2


def test_file_that_is_no_cassette_is_refused(tmp_path: Path, opened: Open):
    (tmp_path / "run.db").write_text("no cassette")

    with pytest.raises(NotACassette):
        opened(tmp_path / "run.db")
    assert (tmp_path / "run.db").read_text() == "no cassette"


def test_cassette_that_went_while_it_was_parked_is_said_to_be_gone(path: Path, opened: Open):
    tape = opened(path)
    tape.park()
    path.unlink()

    with pytest.raises(CassetteError, match=r"run\.db"):
        tape.choose(HELLO.request)


def test_file_beside_it_tells_what_was_asked(path: Path):
    def told() -> Any:
        return json.loads(status_file(path).read_bytes())

    tape = NewTape(path, choosers(Config()), tells=True)
    assert not status_file(path).exists()
    tape.choose(HELLO.request)
    assert (told()["unused"], told()["requests"]["hit"]) == ([], 1)
    record(tape, BYE)
    again = exchange([user("hello"), model_text("hi"), user("and?")])
    with pytest.raises(Unanswered):
        tape.choose(again.request)
    tape.finish()

    complaints = told().pop("complaints")
    assert told() == {
        "exchanges": 1,
        "requests": {"hit": 1, "repeat": 0, "miss": 1, "rejected": 0, "live": 1},
        "unused": [],
        "errors": 0,
        "warnings": 0,
        "complaints": complaints,
        "recorded": 1,
    }
    assert [complaint.split("  ")[0] for complaint in complaints] == ["miss"]
    assert sorted(file.name for file in path.parent.iterdir()) == ["run.db", "run.db.status"]


def test_nothing_is_served_that_cannot_be_told(path: Path):
    tape = NewTape(path, choosers(Config()), tells=True)
    status_file(path).mkdir()

    with pytest.raises(CassetteError, match="cannot write"):
        tape.choose(HELLO.request)
    tape.finish()


ANSWERED = exchange([user("bye"), model_text("so long"), user("and then?")], model_text("nothing"))


def test_exchanges_of_a_conversation_that_broke_off_are_taken_out_and_told(path: Path, opened: Open):
    tape = opened(path)
    record(tape, BYE)
    tape.clean(ANSWERED)  # what is done with one that is left out
    done = tape.finish()

    assert (done.exchanges, done.broken, done.note) == (0, 1, "")
    assert done.taken_out == (
        f"{path}: 1 exchange taken out again, of a conversation that broke off when an answer failed"
    )
    assert [item.request.json for item in stored(path)] == [HELLO.request.json]


def test_tape_that_was_parked_takes_out_what_broke_off(path: Path, opened: Open):
    tape = opened(path)
    record(tape, BYE)
    tape.clean(ANSWERED)
    tape.park()

    assert tape.finish().broken == 1


def test_what_cannot_be_taken_out_stays_and_is_told(
    path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connection, "_BUSY_TIMEOUT_S", 0.01)
    tape = opened(path)
    record(tape, BYE)
    tape.clean(ANSWERED)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = tape.finish()

    assert (done.exchanges, done.broken) == (1, 0)
    assert "exchange 2 of conversations that broke off could not be taken out: cannot write to" in done.note
    assert len(stored(path)) == 2


def broken_off(opened: Open, path: Path) -> NewTape:
    """A parked tape with a conversation that broke off."""
    tape = opened(path)
    record(tape, BYE)
    tape.clean(ANSWERED)
    tape.park()
    return tape


def test_parked_cassette_that_went_is_told_at_the_end(path: Path, opened: Open):
    tape = broken_off(opened, path)
    path.unlink()
    done = tape.finish()

    assert done.broken == 0
    assert "conversations that broke off could not be taken out: there is no cassette" in done.note


def test_parked_cassette_that_another_recorder_writes_is_told_at_the_end(path: Path, opened: Open):
    tape = broken_off(opened, path)
    with Cassette.append_to(path):
        done = tape.finish()

    assert done.broken == 0
    assert "is being written by another recorder" in done.note
    assert len(stored(path)) == 2


def test_only_what_this_run_recorded_is_taken_out(path: Path, opened: Open):
    tape = opened(path)
    record(tape, OTHER)
    tape.park()
    with Cassette.append_to(path) as cassette:
        cassette.add(BYE)  # by another recorder, while this one was parked
    tape.clean(ANSWERED)
    done = tape.finish()

    assert (done.exchanges, done.broken, done.note) == (1, 0, "")
    assert len(stored(path)) == 3


@pytest.mark.parametrize("behind", [[], [OTHER], [BYE]], ids=["gone", "another", "twin"])
def test_nothing_is_taken_out_where_the_numbers_are_those_of_others_now(
    path: Path, opened: Open, behind: list[Exchange]
):
    tape = broken_off(opened, path)
    path.unlink()
    later = [replace(item, started_at=item.started_at + 1) for item in behind]
    cassette_of(path, [HELLO, *later])  # as after another recorder took out its own
    done = tape.finish()

    assert done.broken == 0
    assert len(stored(path)) == 1 + len(behind)
