"""A file or a folder: which cassette a request is recorded into."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteError, CassetteExists, CassetteNameError
from gemtape.proxy.tape import Existing, Recorded
from gemtape.proxy.tapes import Tapes
from tests.proxied import stored
from tests.proxy.test_tape import exchange, texts


def test_file_takes_every_prefix(tmp_path):
    tapes = Tapes(tmp_path / "run.db", folder=False)
    tapes.prepare()

    names = [tapes.name(prefix) for prefix in ("", "refunds/happy", "gateway/..", "@run1")]

    assert names == ["", "", "", ""]
    tapes.tape("").store(exchange())
    assert tapes.finish() == [Recorded(tmp_path / "run.db", 1)]


def test_key_in_a_path_that_names_nothing_is_not_told(tmp_path):
    tapes = Tapes(tmp_path / "run.db", folder=False)

    tapes.name("gateway/AIzaSyD" + "x" * 32)

    assert tapes.passed_over == "gateway/REDACTED"


def test_folder_has_a_cassette_a_name(tmp_path):
    tapes = Tapes(tmp_path / "new" / "tapes", folder=True)
    tapes.prepare()
    for prefix, text in (("refunds/happy", "a"), ("refunds/sad", "b"), ("refunds/happy/@run2", "c")):
        tapes.tape(tapes.name(prefix)).store(exchange(text))

    recorded = tapes.finish()

    folder = tmp_path / "new" / "tapes" / "refunds"
    assert recorded == [Recorded(folder / "happy.db", 2), Recorded(folder / "sad.db", 1)]
    assert texts(folder / "happy.db") == ["a", "c"]


@pytest.mark.parametrize("prefix", ["", "..", "a/../../b", "%2e%2e/x", "a%00"])
def test_folder_refuses_what_cannot_name_a_cassette(tmp_path, prefix):
    with pytest.raises(CassetteNameError):
        Tapes(tmp_path, folder=True).name(prefix)


def test_existing_cassette_is_decided_at_its_first_request(tmp_path):
    first = Tapes(tmp_path, folder=True)
    first.tape("old").store(exchange("old"))
    first.finish()

    again = Tapes(tmp_path, folder=True)
    again.prepare()
    again.tape("new").store(exchange("new"))
    with pytest.raises(CassetteExists):
        again.tape("old")
    replacing = Tapes(tmp_path, folder=True, existing=Existing.REPLACE)
    replacing.tape("old").store(exchange("newer"))

    assert again.finish() == [Recorded(tmp_path / "new.db", 1)]
    assert replacing.finish() == [Recorded(tmp_path / "old.db", 1)]
    assert texts(tmp_path / "old.db") == ["newer"]


def open_files() -> int:
    """How many descriptors this process holds; 0 where the system does not say."""
    return len(list(Path("/proc/self/fd").glob("*")))


def test_many_names_take_few_files(tmp_path, monkeypatch):
    """A folder of tests may have more names than a process may have files open."""
    monkeypatch.setattr("gemtape.proxy.tapes.OPEN_AT_MOST", 2)
    tapes = Tapes(tmp_path, folder=True)
    before = open_files()
    for number in range(8):
        tapes.tape(f"t{number}").store(exchange(str(number)))
    tapes.tape("t0").store(exchange("again"))
    taken = open_files() - before
    tapes.finish()

    assert taken <= 2 * 4
    assert texts(tmp_path / "t0.db") == ["0", "again"]
    assert all(len(stored(tmp_path / f"t{number}.db")) == 1 for number in range(1, 8))


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(CassetteError, match="cannot make the folder"):
        Tapes(tmp_path / "file" / "tapes", folder=True).prepare()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)

    with pytest.raises(CassetteError, match="cannot write to the folder"):
        Tapes(tmp_path, folder=True).prepare()
