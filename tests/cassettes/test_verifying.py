"""Secrets, damage and confusion in a cassette are found, and nothing is found in a good one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteMissing, NotACassette
from gemtape.cassettes.matching import Matching
from gemtape.cassettes.migrations import PAGE_SIZE
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.verifying import (
    Kind,
    Problem,
    confusable,
    damage,
    groups,
    secrets,
    strict_key,
    unreadable,
)
from tests.captures import CAPTURES, capture_exchanges
from tests.factories import cassette_of, exchange, model_text, unary, user

KEY = "AIzaSyD" + "x" * 32
DATES = Matching(filters=("iso-date",))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    later = [user("a"), model_text("b"), user("c")]
    raw = Exchange(Request("POST", "/upload/v1beta/files", body=b"\x00\x01"), unary({}))
    return cassette_of(tmp_path / "run.db", [exchange([user("a")], model_text("b")), exchange(later), raw])


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def found(path: Path, matching: Matching = Matching(), redactor: Redactor | None = None) -> list[Problem]:  # noqa: B008 - frozen
    with Cassette.read(path, redactor, matching) as cassette:
        return [
            *damage(path),
            *unreadable(cassette),
            *secrets(cassette, redactor or Redactor()),
            *confusable(cassette),
        ]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_nothing_is_wrong_with_what_was_captured(tmp_path: Path, capture: Path):
    assert found(cassette_of(tmp_path / "run.db", capture_exchanges(capture))) == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE pieces SET value = replace(value, 'a', 'x') WHERE value LIKE '%\"a\"%'", "its hash differs"),
        ("UPDATE pieces SET value = x'02' WHERE typeof(value) = 'blob'", "its hash differs"),
        ("UPDATE pieces SET value = 5 WHERE id = 1", "its hash differs"),
        ("DELETE FROM pieces WHERE id = 2", "refers to a row of pieces that is not there"),
        ("DELETE FROM turns WHERE id = 1", "refers to a row of turns that is not there"),
        ("UPDATE turns SET parent = 3 WHERE id = 2", "turn 2 comes before the one that it follows"),
    ],
)
def test_damaged_rows_are_found(run: Path, statement: str, words: str):
    change(run, statement)

    problems = list(damage(run))

    assert {problem.kind for problem in problems} == {Kind.DAMAGE}
    assert any(words in problem.words for problem in problems), problems


def test_damaged_pages_are_found(run: Path):
    data = bytearray(run.read_bytes())
    page = data.index(b'{"parts"') // PAGE_SIZE * PAGE_SIZE
    data[page : page + 100] = b"\xff" * 100
    run.write_bytes(data)

    assert any("SQLite says" in problem.words or "to its end" in problem.words for problem in damage(run))


def test_exchange_that_cannot_be_put_together_is_found(run: Path):
    change(run, "UPDATE exchanges SET chunks = '[[1, 2]]' WHERE id = 2")

    with Cassette.read(run) as cassette:
        (problem,) = unreadable(cassette)

    assert (problem.kind, problem.exchange) == (Kind.DAMAGE, 2)


def test_match_key_of_another_request_is_found(run: Path):
    change(run, "UPDATE exchanges SET match_key = x'00' WHERE id = 1")

    with Cassette.read(run) as cassette:
        (problem,) = unreadable(cassette)

    assert str(problem) == "damage: exchange 1: its stored match key is that of another request"


@pytest.mark.parametrize(("name", "error"), [("none.db", CassetteMissing), ("text.db", NotACassette)])
def test_what_is_no_cassette_is_told_as_such(tmp_path: Path, name: str, error: type[Exception]):
    (tmp_path / "text.db").write_text("no cassette")

    with pytest.raises(error):
        list(damage(tmp_path / name))


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        (f"UPDATE exchanges SET query = 'key={KEY}' WHERE id = 1", "the query of the request"),
        (f"UPDATE exchanges SET path = path || '/{KEY}' WHERE id = 1", "the path of the request"),
        (
            """UPDATE exchanges SET request_headers = '[["x-goog-api-key", "k"]]' WHERE id = 1""",
            "header x-goog-api-key of the request",
        ),
        (
            f"""UPDATE exchanges SET response_headers = '[["retry-after", "{KEY}"]]' WHERE id = 1""",
            "header retry-after of the answer",
        ),
    ],
)
def test_secret_is_found_and_not_told(run: Path, statement: str, place: str):
    """As an older gemtape may have left it, or another program."""
    change(run, statement)

    with Cassette.read(run) as cassette:
        problems = list(secrets(cassette, Redactor()))

    assert [str(problem) for problem in problems] == [f"secret: exchange 1: there is one in {place}"]


def test_secrets_by_a_pattern_that_was_added_later_are_found_in_bodies(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([user("my ORDER-77")], model_text("ORDER-77 it is"))])

    problems = found(path, redactor=Redactor(["ORDER-[0-9]+"]))

    places = [problem.words.partition(", at byte ")[0] for problem in problems]
    assert places == ["there is one in the body of the request", "there is one in the body of the answer"]
    assert "77" not in " ".join(map(str, problems))


def dated(*texts: str) -> list[Exchange]:
    return [exchange([user(text)], model_text(f"answer {at}")) for at, text in enumerate(texts)]


def test_requests_that_differ_in_what_is_ignored_are_told_if_their_answers_do(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", dated("on 2026-11-29", "hello", "on 2026-11-30"))

    assert found(path) == []
    (problem,) = found(path, DATES)
    assert str(problem) == (
        "confusable: exchange 1: a request for it could get the answer of 3, since matching ignores that content 1 "
        'part 1 differs at text: recorded "on 2026-11-29", got "on 2026-11-30"'
    )


def test_requests_whose_answers_are_equal_can_be_confused_without_harm(tmp_path: Path):
    same = [exchange([user(f"on 2026-11-{day}")], model_text("fine")) for day in (28, 29)]

    assert found(cassette_of(tmp_path / "run.db", same), DATES) == []


def test_equal_requests_are_grouped_and_are_no_problem(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", dated("a", "b", "a", "c", "b", "a"))

    assert found(path) == []
    with Cassette.read(path) as cassette:
        assert groups(cassette) == [[1, 3, 6], [2, 5]]


def test_strict_key_ignores_nothing(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", dated("on 2026-11-29", "on 2026-11-30"))

    with Cassette.read(path, matching=DATES) as cassette:
        one, other = cassette.entries()
        assert cassette.key(one) == cassette.key(other)
        assert strict_key(cassette, one) != strict_key(cassette, other)
