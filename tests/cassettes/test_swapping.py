"""A replacement takes a cassette's place whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.store import Cassette
from gemtape.cassettes.swapping import swap_in, write_whole
from tests.factories import cassette_of, exchange, user


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [exchange([user("old")])])


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db.new", [exchange([user("new")]), exchange([user("newer")])])


def test_replacement_takes_the_place(old: Path, new: Path):
    assert swap_in(new, old) == ""

    assert not new.exists()
    with Cassette.read(old) as cassette:
        assert len(cassette) == 2


def test_there_need_be_nothing_to_replace(tmp_path: Path, new: Path):
    assert swap_in(new, tmp_path / "first.db") == ""
    assert (tmp_path / "first.db").exists()


def test_log_that_a_killed_recorder_left_is_not_played_into_it(old: Path, new: Path):
    for suffix in ("-wal", "-shm"):
        Path(f"{old}{suffix}").write_bytes(b"of the old one")

    assert swap_in(new, old) == ""
    assert sorted(path.name for path in old.parent.iterdir()) == ["run.db"]


def test_replacement_that_is_still_read_stays(old: Path, new: Path):
    Path(f"{new}-wal").touch()

    assert "is still being read" in swap_in(new, old)
    assert new.exists()


def test_place_that_cannot_be_taken_is_said(tmp_path: Path, new: Path):
    (tmp_path / "folder").mkdir()

    assert f"{new} could not take the place of {tmp_path / 'folder'}: " in swap_in(new, tmp_path / "folder")
    assert new.exists()


def test_a_file_is_written_whole_or_stays(tmp_path: Path):
    path = tmp_path / "contract.json"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"

    folder = tmp_path / "folder"
    (folder / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write_whole(folder, b"three")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["contract.json", "folder"]
