"""``gemtape verify``: one line where all is well, one for each problem where not, and the exit code."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from gemtape.cli.main import gemtape
from tests.factories import cassette_of, exchange, model_text, user

KEY = "AIzaSyD" + "x" * 32


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = ("on 2026-11-29", "again", "on 2026-11-30", "again")
    cassette_of(tmp_path / "run.db", [exchange([user(text)], model_text(text)) for text in texts])
    return tmp_path / "run.db"


def verify(*arguments: str) -> tuple[int, str]:
    outcome = CliRunner().invoke(gemtape, ["verify", *arguments])
    return outcome.exit_code, outcome.output


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_good_cassettes_are_said_to_be_good(run: Path, tmp_path: Path):
    cassette_of(tmp_path / "one.db", [exchange([user("a")])])

    code, told = verify("run.db", "one.db")

    assert told == (
        "run.db: 4 exchanges, no secrets, intact, every request finds its answer; equal requests: 2, 4\n"
        "one.db: 1 exchange, no secrets, intact, every request finds its answer\n"
    )
    assert code == 0


def test_folder_stands_for_all_cassettes_below_it(run: Path, tmp_path: Path):
    cassette_of(tmp_path / "tapes" / "b" / "two.db", [exchange([user("b")])])
    cassette_of(tmp_path / "tapes" / "one.db", [exchange([user("a")])])
    change(tmp_path / "tapes" / "one.db", f"UPDATE exchanges SET query = 'key={KEY}'")

    code, told = verify("tapes")

    assert told == (
        "tapes/b/two.db: 1 exchange, no secrets, intact, every request finds its answer\n"
        "tapes/one.db: secret: exchange 1: there is one in the query of the request\n"
    )
    assert code == 1


def test_secret_is_told_without_telling_it(run: Path):
    change(run, f"UPDATE exchanges SET query = 'key={KEY}' WHERE id = 2")

    assert verify("run.db") == (1, "run.db: secret: exchange 2: there is one in the query of the request\n")


def test_damage_is_told_and_hides_the_rest(run: Path):
    change(run, "UPDATE pieces SET value = '{}' WHERE id = 1")
    change(run, f"UPDATE exchanges SET query = 'key={KEY}' WHERE id = 2")

    assert verify("run.db") == (
        1,
        "run.db: damage: value 1 is not the one that was stored: its hash differs\n",
    )


def test_exchange_that_cannot_be_read_is_damage(run: Path):
    change(run, "UPDATE exchanges SET request_headers = '{' WHERE id = 3")

    code, told = verify("run.db")

    assert code == 1
    assert told.startswith("run.db: damage: exchange 3: ")


def test_what_the_configuration_ignores_makes_requests_confusable(run: Path, tmp_path: Path):
    (tmp_path / "gemtape.toml").write_text('filters = ["iso-date"]\n')

    code, told = verify("run.db")

    assert code == 1
    assert told.startswith(
        "run.db: confusable: exchange 1: a request for it could get the answer of 3, since "
    )


def test_patterns_of_the_configuration_are_secrets(run: Path, tmp_path: Path):
    (tmp_path / "gemtape.toml").write_text('secrets = ["agai[n]"]\n')

    code, told = verify("run.db")

    assert code == 1
    assert told.count("secret: exchange 2") == 2


def test_file_that_is_no_cassette_cannot_be_verified(run: Path, tmp_path: Path):
    (tmp_path / "text.db").write_text("no cassette")

    assert verify("text.db")[0] == verify("none.db")[0] == 2
