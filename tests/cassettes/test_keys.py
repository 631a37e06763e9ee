"""Stored match keys are brought up to date when what they were made with has changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gemtape.cassettes import keys
from gemtape.cassettes.errors import NotACassette
from gemtape.cassettes.keys import key_tag, numbers_for
from gemtape.cassettes.matchform import match_key
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.store import Cassette
from tests.factories import cassette_of, exchange, model_text, user

ORDERS = Redactor(["ORDER-[0-9]+"])


def asked(text: str):
    return exchange([user(text)], model_text("done"))


def found(cassette: Cassette, text: str) -> list[int]:
    return cassette.numbers_for(match_key(cassette.request_entry(asked(text).request)))


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    result = connection.execute(query).fetchall()
    connection.close()
    return result


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    return cassette_of(
        tmp_path / "run.db", [asked("refund ORDER-1"), asked("refund ORDER-2"), asked("thanks")]
    )


def _age(path: Path) -> None:
    """As if an older gemtape had made the keys in another way."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE exchanges SET match_key = x'00'")
    connection.execute("UPDATE meta SET value = '0:old' WHERE name = 'key_tag'")
    connection.commit()
    connection.close()


def test_reader_works_out_keys_with_another_tag_in_memory(cassette: Path):
    _age(cassette)
    before = cassette.read_bytes()

    with Cassette.read(cassette) as reader:
        assert found(reader, "thanks") == [3]
        assert found(reader, "no thanks") == []

    assert cassette.read_bytes() == before


def test_recorder_works_them_out_on_disk(cassette: Path):
    wanted = rows(cassette, "SELECT match_key FROM exchanges")
    _age(cassette)

    with Cassette.append_to(cassette) as recorder:
        assert found(recorder, "thanks") == [3]

    assert rows(cassette, "SELECT match_key FROM exchanges") == wanted
    assert rows(cassette, "SELECT value FROM meta WHERE name = 'key_tag'") == [(key_tag(Redactor()),)]


def test_current_keys_are_left_alone(cassette: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        pytest.fail("nothing had to be worked out")

    monkeypatch.setattr(Cassette, "_rekeyed", fail)

    Cassette.read(cassette).close()
    Cassette.append_to(cassette).close()


def test_secrets_that_were_added_since_are_taken_out_of_the_recorded_side_too(cassette: Path):
    """So that a request finds what was recorded before the pattern was there."""
    with Cassette.read(cassette, ORDERS) as reader:
        assert found(reader, "refund ORDER-1") == found(reader, "refund ORDER-77") == [1, 2]

    with Cassette.append_to(cassette, ORDERS) as recorder:
        assert found(recorder, "refund ORDER-1") == [1, 2]


def test_tag_says_what_keys_depend_on(monkeypatch: pytest.MonkeyPatch):
    assert key_tag(Redactor()) == key_tag(Redactor())
    assert key_tag(ORDERS) != key_tag(Redactor())
    before = key_tag(Redactor())
    monkeypatch.setattr(keys, "FORM_VERSION", keys.FORM_VERSION + 1)
    assert key_tag(Redactor()) != before


def test_failed_update_leaves_the_old_keys(cassette: Path):
    _age(cassette)
    connection = sqlite3.connect(cassette)
    connection.execute(
        "CREATE UNIQUE INDEX one_new_key ON exchanges (CASE WHEN match_key = x'00' THEN id ELSE 0 END)"
    )
    connection.commit()
    connection.close()

    with pytest.raises(NotACassette, match="one_new_key"):
        Cassette.append_to(cassette)

    assert rows(cassette, "SELECT DISTINCT match_key FROM exchanges") == [(b"\x00",)]
    assert list(cassette.parent.glob("*-lock")) == []


def test_damaged_table_is_told():
    connection = sqlite3.connect(":memory:")

    with pytest.raises(NotACassette, match="damaged"):
        numbers_for(connection, "exchanges", b"")
    connection.close()


def test_temporary_cassette_finds_what_was_added():
    with Cassette.temporary() as cassette:
        cassette.add(asked("thanks"))
        assert found(cassette, "thanks") == [1]
