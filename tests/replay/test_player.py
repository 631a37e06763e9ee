"""One cassette file being played: parked, woken, replaced on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteError, CassetteMissing, NotACassette
from gemtape.cassettes.models import Exchange
from gemtape.replay import player as module
from gemtape.replay.answering import Options, Verdict
from gemtape.replay.player import Player
from tests.factories import cassette_of, exchange, model_text, user

SAME = [exchange([user("same")], model_text(text)) for text in ("first", "second")]


@pytest.fixture(autouse=True)
def always_looked(monkeypatch: pytest.MonkeyPatch):
    """Look at the file on every request, so that no test has to wait."""
    monkeypatch.setattr(module, "_TRUSTED_S", 0.0)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", SAME)


def ask(player: Player, item: Exchange = SAME[0], session: str = "") -> tuple[Verdict | None, bytes]:
    reply = player.answer(player.read(item.request), session)
    return reply.verdict, b"".join(chunk.data for chunk in reply.answer.chunks)


def body(item: Exchange) -> bytes:
    assert item.response
    return item.response.body


def test_parked_cassette_goes_on_where_it_was(run: Path):
    player = Player(run, Options())

    first = ask(player)
    player.park()
    player.park()
    second = ask(player)

    assert [first, second] == [(Verdict.HIT, body(SAME[0])), (Verdict.HIT, body(SAME[1]))]
    player.park()


def test_parked_cassette_can_be_reset_and_counted(run: Path):
    player = Player(run, Options())
    ask(player)
    player.park()

    assert player.tally("").unused == (2,)
    player.reset()
    assert ask(player) == (Verdict.HIT, body(SAME[0]))
    player.park()


def test_replaced_cassette_answers_from_its_new_content(run: Path, tmp_path: Path):
    player = Player(run, Options())
    ask(player)
    new = exchange([user("same")], model_text("new"))

    cassette_of(tmp_path / "new.db", [new]).replace(run)

    assert ask(player) == (Verdict.HIT, body(new))
    assert player.tally().exchanges == 1
    player.park()


def test_request_that_was_read_before_the_replacement_is_answered_after_it(run: Path, tmp_path: Path):
    player = Player(run, Options())
    known = player.read(SAME[0].request)
    cassette_of(tmp_path / "new.db", SAME[1:]).replace(run)

    reply = player.answer(known)

    assert reply.answer.chunks[0].data == body(SAME[1])
    player.park()


def test_file_that_went_is_missed_until_it_comes_back(run: Path, tmp_path: Path):
    player = Player(run, Options())
    run.rename(tmp_path / "away.db")

    with pytest.raises(CassetteMissing, match=r"there is no cassette .*run\.db"):
        ask(player)

    (tmp_path / "away.db").rename(run)
    assert ask(player)[0] is Verdict.HIT
    player.park()


def test_replacement_that_is_no_cassette_is_refused_until_it_is_mended(run: Path, tmp_path: Path):
    player = Player(run, Options())
    kept = run.read_bytes()
    (tmp_path / "other").write_bytes(b"something else")
    (tmp_path / "other").replace(run)

    for _ in range(2):
        with pytest.raises(NotACassette):
            ask(player)

    (tmp_path / "other").write_bytes(kept)
    (tmp_path / "other").replace(run)
    assert ask(player)[0] is Verdict.HIT
    player.park()


@pytest.mark.parametrize("content", [None, b"", b"text"])
def test_what_is_no_cassette_cannot_be_played(tmp_path: Path, content: bytes | None):
    path = tmp_path / "run.db"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(CassetteError):
        Player(path, Options())
