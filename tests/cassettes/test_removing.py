"""What is taken out of a cassette is gone, and what is left is as if nothing else had ever been in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteBusy, CassetteMissing
from gemtape.cassettes.models import Violation
from gemtape.cassettes.removing import remove
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.verifying import damage
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, user

TALK = [
    exchange([user("weather in Pune")], calls(call("get_weather", signature="EpwCCpkCAVSoXO4="))),
    exchange(
        [
            user("weather in Pune"),
            calls(call("get_weather", signature="EpwCCpkCAVSoXO4=")),
            results(result("get_weather", {"celsius": 31})),
        ],
        model_text("31 degrees"),
    ),
]
OTHERS = [exchange([user(text)], model_text("fine"), systemInstruction=user("be terse")) for text in "abc"]


def rows(path: Path) -> list[tuple]:
    with Cassette.read(path) as cassette:
        return [tuple(row) for row in cassette._connection.execute("SELECT value FROM pieces ORDER BY value")]


@pytest.mark.parametrize(
    ("items", "gone"),
    [
        ([*OTHERS, *TALK], [4, 5]),
        ([OTHERS[0], *TALK, *OTHERS[1:]], [2, 3]),
        ([TALK[0], OTHERS[0], TALK[1], *OTHERS[1:]], [3, 1]),
    ],
    ids=["end", "middle", "mixed"],
)
def test_what_is_left_is_all_that_is_stored(tmp_path: Path, items: list, gone: list[int]):
    path = cassette_of(tmp_path / "run.db", items)
    remove(path, gone)

    assert rows(path) == rows(cassette_of(tmp_path / "others.db", OTHERS))
    with Cassette.read(path) as cassette, Cassette.read(tmp_path / "others.db") as others:
        assert list(cassette.exchanges()) == list(others.exchanges())
        assert [entry.number for entry in cassette.entries()] == [1, 2, 3]
    assert list(damage(path)) == []
    assert b"Pune" not in path.read_bytes()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["others.db", "run.db"]


def test_part_of_a_conversation_leaves_what_the_rest_of_it_needs(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", TALK)
    remove(path, [1])

    with Cassette.read(path) as cassette:
        [left] = cassette.exchanges()
        assert left.request.json == TALK[1].request.json
    assert list(damage(path)) == []


def test_violations_move_with_their_exchange(tmp_path: Path):
    path = tmp_path / "run.db"
    with Cassette.create(path) as cassette:
        for rule, item in zip(("one", "two", "three"), OTHERS, strict=True):
            found = Violation(rule=rule, severity="error", exchange=0, at="request", pointer="", message="")
            cassette.append(cassette.prepare(item), lambda _, found=found: [found])
    remove(path, [2])

    with Cassette.read(path) as cassette:
        assert cassette.stored_violations() == [(1, "one", "error"), (2, "three", "error")]


def test_cassette_that_is_recorded_or_is_not_there_stays_as_it_is(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", OTHERS)
    with Cassette.append_to(path), pytest.raises(CassetteBusy):
        remove(path, [1])
    with pytest.raises(CassetteMissing):
        remove(tmp_path / "other.db", [1])

    with Cassette.read(path) as cassette:
        assert len(cassette) == 3
    assert [item.name for item in tmp_path.iterdir()] == ["run.db"]
