"""One recorder a cassette, and nothing left of it after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gemtape.cassettes import locks
from gemtape.cassettes.errors import CassetteBusy, CassetteError
from gemtape.cassettes.locks import kept_locked, lock, unlock
from tests.readonly import open_folder, write_protected

HOLD = """
import sys
from pathlib import Path
from gemtape.cassettes.locks import lock
lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_second_lock_is_refused_until_the_first_is_given_back(tmp_path: Path):
    path = tmp_path / "run.db"
    held = lock(path)

    with pytest.raises(CassetteBusy, match=r"run\.db is being written by another recorder"):
        lock(path)

    unlock(path, held)
    unlock(path, lock(path))
    assert list(tmp_path.iterdir()) == []


def test_lock_is_gone_after_a_kill(tmp_path: Path):
    path = tmp_path / "run.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(CassetteBusy):
            lock(path)
        other.send_signal(signal.SIGKILL)

    unlock(path, lock(path))
    assert list(tmp_path.iterdir()) == []


def test_all_names_of_a_cassette_share_one_lock(tmp_path: Path):
    path, name = tmp_path / "run.db", tmp_path / "link.db"
    name.symlink_to(path)
    held = lock(path)

    with pytest.raises(CassetteBusy):
        lock(name)
    unlock(path, held)


def test_other_cassettes_are_free(tmp_path: Path):
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    held = lock(first)

    unlock(second, lock(second))
    unlock(first, held)


def test_lock_is_taken_on_the_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The last holder may remove the file between our opening and our locking it."""
    path = tmp_path / "run.db"
    hold = locks._hold
    removed: list[Path] = []

    def remove_first(descriptor: int) -> None:
        if not removed:
            removed.append(Path(f"{path}-lock"))
            removed[0].unlink()
        hold(descriptor)

    monkeypatch.setattr(locks, "_hold", remove_first)
    held = lock(path)

    assert os.path.samestat(os.fstat(held), removed[0].stat())
    unlock(path, held)


def test_lock_stays_held_when_all_went_well(tmp_path: Path):
    path = tmp_path / "run.db"
    with kept_locked(path) as held, pytest.raises(CassetteBusy):
        lock(path)

    with pytest.raises(CassetteBusy):
        lock(path)
    unlock(path, held)


def test_lock_is_given_back_when_something_failed(tmp_path: Path):
    path = tmp_path / "run.db"
    with pytest.raises(ZeroDivisionError), kept_locked(path):
        raise ZeroDivisionError

    unlock(path, lock(path))


def test_folder_that_cannot_be_written_is_said():
    with (
        open_folder() as folder,
        write_protected(folder),
        pytest.raises(CassetteError, match=r"cannot write to .*run\.db"),
    ):
        lock(folder / "run.db")


def test_folder_that_is_missing_is_said(tmp_path: Path):
    with pytest.raises(CassetteError, match="No such file or directory"):
        lock(tmp_path / "no" / "run.db")
