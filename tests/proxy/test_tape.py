"""What happens to a cassette that is there already."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteBusy, CassetteError, CassetteExists, NotACassette
from gemtape.cassettes.models import Chunk, Exchange, Request, Response, Violation
from gemtape.cassettes.store import Cassette
from gemtape.proxy.tape import Existing, Recorded, Tape
from tests.proxied import stored


def exchange(text: str = "a") -> Exchange:
    request = Request(
        "POST", "/v1beta/models/m:generateContent", body=b'{"contents": [], "text": "%s"}' % text.encode()
    )
    return Exchange(request, Response(200, (), (Chunk(0, b"{}"),)))


def tape(path: Path, existing: Existing = Existing.REFUSE, make_judge=None) -> Tape:
    return Tape(path, existing, make_judge, "")


def texts(path: Path) -> list[str]:
    return [found.request.json["text"] for found in stored(path)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tapes" / "run.db"


@pytest.fixture
def recorded(path):
    first = tape(path)
    first.store(exchange("old"))
    first.finish()
    return path


@pytest.mark.parametrize("existing", Existing)
def test_new_cassette(path, existing):
    new = tape(path, existing)
    new.check_writable()
    entry, violations = new.store(exchange())

    assert new.finish() == Recorded(path, 1)
    assert (entry.number, violations) == (1, [])
    assert texts(path) == ["a"]
    assert [file.name for file in path.parent.iterdir()] == ["run.db"]


def test_existing_cassette_is_refused_and_untouched(recorded):
    before = recorded.read_bytes()

    with pytest.raises(CassetteExists, match=r"--replace .* --append"):
        tape(recorded)

    assert recorded.read_bytes() == before


def test_append_adds(recorded):
    more = tape(recorded, Existing.APPEND)
    more.store(exchange("new"))

    assert more.finish() == Recorded(recorded, 1)
    assert texts(recorded) == ["old", "new"]


def test_replacement_takes_the_place_at_the_end(recorded):
    anew = tape(recorded, Existing.REPLACE)
    anew.store(exchange("new"))
    assert texts(recorded) == ["old"]
    assert texts(recorded.with_name("run.db.new")) == ["new"]

    assert anew.finish() == Recorded(recorded, 1)
    assert texts(recorded) == ["new"]
    assert [file.name for file in recorded.parent.iterdir()] == ["run.db"]


def test_replacement_that_recorded_nothing_changes_nothing(recorded):
    result = tape(recorded, Existing.REPLACE).finish()

    assert result.exchanges == 0
    assert "nothing was recorded" in result.note
    assert texts(recorded) == ["old"]
    assert [file.name for file in recorded.parent.iterdir()] == ["run.db"]


def test_log_of_a_killed_recorder_is_not_played_into_the_replacement(recorded):
    """The cassette that goes may have its newest pages in a log; SQLite would add them to the one that comes."""
    script = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, '.');"
        "from tests.proxy.test_tape import *;"
        "tape(Path(sys.argv[1]), Existing.APPEND).store(exchange('killed')); os._exit(9)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", script, recorded], check=False, cwd=root).returncode == 9
    assert recorded.with_name("run.db-wal").stat().st_size > 0
    assert texts(recorded) == ["old", "killed"]

    anew = tape(recorded, Existing.REPLACE)
    anew.store(exchange("new"))
    anew.finish()

    assert texts(recorded) == ["new"]


def test_replacement_left_by_a_kill_is_named_and_kept(recorded):
    left = recorded.with_name("run.db.new")
    shutil.copy(recorded, left)

    with pytest.raises(CassetteExists, match=r"run\.db\.new is left .* Move or delete"):
        tape(recorded, Existing.REPLACE)
    with pytest.raises(CassetteExists, match=r"run\.db\.new is left"):
        tape(recorded)
    more = tape(recorded, Existing.APPEND)

    assert "run.db.new is left" in more.take_note()
    assert more.take_note() == ""
    more.finish()
    assert texts(left) == ["old"]


def test_empty_cassette_is_in_nobodys_way(path):
    path.parent.mkdir()
    Cassette.create(path).close()

    first = tape(path)
    first.store(exchange())

    assert first.finish() == Recorded(path, 1)


def test_recording_without_traffic_leaves_no_file(path):
    assert tape(path).finish() == Recorded(path, 0)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("existing", Existing)
def test_file_that_is_no_cassette_is_left_alone(tmp_path, existing):
    path = tmp_path / "notes.txt"
    path.write_text("not yours")

    with pytest.raises(NotACassette):
        tape(path, existing)

    assert path.read_text() == "not yours"
    assert list(tmp_path.iterdir()) == [path]


def test_cassette_of_another_recorder_is_not_replaced(recorded):
    with Cassette.append_to(recorded), pytest.raises(CassetteBusy):
        tape(recorded, Existing.REPLACE)

    assert not recorded.with_name("run.db.new").exists()


def test_nobody_writes_a_cassette_that_is_being_replaced(recorded):
    anew = tape(recorded, Existing.REPLACE)

    with pytest.raises(CassetteBusy):
        Cassette.append_to(recorded)

    anew.finish()
    Cassette.append_to(recorded).close()


def test_replacement_under_the_eyes_of_a_reader_stays_beside(recorded):
    anew = tape(recorded, Existing.REPLACE)
    anew.store(exchange("new"))
    new = recorded.with_name("run.db.new")
    with Cassette.read(new) as reader:
        reading = reader.exchanges()
        next(reading)
        result = anew.finish()
        reading.close()

    assert result.path == new
    assert "still being read" in result.note
    assert texts(new) == ["new"]
    assert texts(recorded) == ["old"]


def test_parked_cassette_wakes_up(path):
    made = []
    first = tape(path, make_judge=lambda cassette: made.append(len(cassette)) or (lambda _: []))
    first.store(exchange("a"))
    first.park()
    assert not list(path.parent.glob("run.db-*"))
    first.check_writable()
    first.store(exchange("b"))

    assert first.finish().exchanges == 2
    assert texts(path) == ["a", "b"]
    assert made == [0, 1], "the checks begin anew from what is recorded"


def test_judge_is_asked_about_each_exchange_and_its_findings_are_stored(path):
    def judge(entry):
        yield Violation("some-rule", "error", entry.number, "request", "/contents/0", "message")

    judged = tape(path, make_judge=lambda _: judge)
    _, violations = judged.store(exchange())
    judged.finish()

    assert [found.rule for found in violations] == ["some-rule"]
    with Cassette.read(path) as cassette:
        assert cassette.stored_violations() == [(1, "some-rule", "error")]


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "tapes").write_text("a file")

    with pytest.raises(CassetteError):
        tape(tmp_path / "tapes" / "run.db")


def test_cassette_that_vanishes_cannot_be_written(path):
    first = tape(path)
    first.store(exchange())
    path.unlink()

    with pytest.raises(CassetteError, match="gone"):
        first.check_writable()
    first.abandon()


def test_clean_stores_nothing(path):
    first = tape(path)
    entry = first.clean(exchange())

    assert entry.number == 0
    assert first.finish().exchanges == 0


def test_abandoned_recording_leaves_what_was_there(recorded):
    given_up = tape(recorded, Existing.REPLACE)
    given_up.store(exchange("new"))
    given_up.abandon()

    assert texts(recorded) == ["old"]
    assert [file.name for file in recorded.parent.iterdir()] == ["run.db"]
