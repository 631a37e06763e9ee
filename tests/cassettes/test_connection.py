"""Which files open as cassettes, and what is said of the others."""

from __future__ import annotations

import contextlib
import hashlib
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gemtape.cassettes import migrations
from gemtape.cassettes.connection import (
    connect,
    connect_in_memory,
    connect_new,
    connect_to_read,
    connect_to_write,
    damage_told,
    recognise,
    transaction,
)
from gemtape.cassettes.errors import CassetteError, CassetteMissing, CassetteTooNew, NotACassette
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.version import VERSION
from tests.factories import cassette_of, exchange, model_text, user
from tests.readonly import open_folder, write_protected

RECORDER = """
import sys
from pathlib import Path
from tests.factories import exchange, model_text, user
from gemtape.cassettes.store import Cassette
path = Path(sys.argv[1])
cassette = Cassette.create(path)
if sys.argv[3] == "pinned":
    cassette.add(exchange([user("prompt -1")], model_text("answer")))
    reader = Cassette.read(path)
    entries = reader.entries()
    next(entries)
for number in range(int(sys.argv[2])):
    cassette.add(exchange([user(f"prompt {number} " + "x" * 500)], model_text(f"answer {number}")))
print("recorded", flush=True)
sys.stdin.read()
"""


def record_and_kill(path: Path, exchanges: int, log: str = "") -> None:
    """A cassette whose recorder was killed after so many exchanges; its log is still beside it.

    A ``pinned`` log is held by a reader, so that no checkpoint can shorten it.
    """
    command = [sys.executable, "-c", RECORDER, path, str(exchanges), log]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as recorder:
        assert recorder.stdout is not None
        assert recorder.stdout.readline() == b"recorded\n"
        recorder.send_signal(signal.SIGKILL)
    assert Path(f"{path}-wal").stat().st_size


def prompts(path: Path) -> list[str]:
    with Cassette.read(path) as cassette:
        return [entry.layout.history.parts[0]["text"].split(" x")[0] for entry in cassette.entries()]


def _one(folder: Path) -> Path:
    return cassette_of(folder / "run.db", [exchange([user("prompt 0")], model_text("answer"))])


def _lines(folder: Path) -> Path:
    return _text(folder).rename(folder / "run.jsonl")


def _text(folder: Path) -> Path:
    path = folder / "notes.txt"
    path.write_text("This is no database, though it is longer than the header of one would be. " * 3)
    return path


def _empty(folder: Path) -> Path:
    path = folder / "empty.db"
    path.touch()
    return path


def _foreign(folder: Path) -> Path:
    path = folder / "foreign.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE exchanges (id)")
    connection.close()
    return path


def _cut(folder: Path) -> Path:
    path = _one(folder)
    path.write_bytes(path.read_bytes()[:3000])
    return path


def _named_only(folder: Path) -> Path:
    path = folder / "hollow.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {migrations.FORMAT}")
        connection.execute("CREATE TABLE meta (x)")
    connection.close()
    return path


@pytest.mark.parametrize("use", [Cassette.read, Cassette.append_to], ids=["read", "append"])
@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        pytest.param(
            lambda folder: folder / "no.db", CassetteMissing, r"there is no cassette .*no\.db", id="missing"
        ),
        pytest.param(lambda folder: folder, NotACassette, "is a folder, not a cassette", id="folder"),
        pytest.param(_text, NotACassette, r"notes\.txt is not a cassette: file is not a database", id="text"),
        pytest.param(
            _lines, NotACassette, r"is not a database; gemtape import makes one of it", id="transcript"
        ),
        pytest.param(_empty, NotACassette, r"empty\.db is not a cassette that gemtape wrote", id="empty"),
        pytest.param(
            _foreign, NotACassette, r"foreign\.db is not a cassette that gemtape wrote", id="foreign"
        ),
        pytest.param(_cut, CassetteError, "malformed|not a cassette", id="cut"),
        pytest.param(_named_only, CassetteError, "meta|no such column", id="hollow"),
    ],
)
def test_what_is_no_cassette_is_said(
    tmp_path: Path,
    make: Callable[[Path], Path],
    error: type[CassetteError],
    message: str,
    use: Callable[[Path], Cassette],
):
    path = make(tmp_path)
    before = path.read_bytes() if path.is_file() else b""

    with pytest.raises(error, match=message):
        use(path)

    assert use != Cassette.read or not path.is_file() or path.read_bytes() == before
    assert not list(tmp_path.glob("*-lock"))


@pytest.mark.parametrize(
    "use", [Cassette.read, Cassette.append_to, recognise], ids=["read", "append", "recognise"]
)
def test_cassette_of_a_newer_version_is_refused_with_both_versions(
    tmp_path: Path, use: Callable[[Path], object]
):
    path = _one(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.execute("UPDATE meta SET value = '7.5.1' WHERE name = 'gemtape'")
    connection.close()

    with pytest.raises(CassetteTooNew) as refused:
        use(path)

    assert f"was written by gemtape 7.5.1 (format 99); this is gemtape {VERSION}" in str(refused.value)
    assert f"reads up to format {migrations.FORMAT}" in str(refused.value)


def test_recognised_cassette_has_a_format(tmp_path: Path):
    assert recognise(_one(tmp_path)) == migrations.FORMAT


def altered(path: Path, *statements: str) -> Path:
    """A cassette that somebody else wrote into."""
    cassette_of(path, [exchange([user("a")], model_text("b"))])
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def test_cassette_with_triggers_is_read_but_not_written(tmp_path: Path):
    """They would run with every exchange that is recorded, and could take the others away."""
    trigger = "CREATE TRIGGER t AFTER INSERT ON exchanges BEGIN DELETE FROM exchanges; END"
    path = altered(tmp_path / "run.db", trigger)

    with pytest.raises(NotACassette, match="triggers"):
        Cassette.append_to(path)
    with Cassette.read(path) as cassette:
        assert len(cassette) == 1


@pytest.mark.parametrize("use", [Cassette.read, Cassette.append_to])
def test_view_in_place_of_a_table_is_refused(tmp_path: Path, use: Callable[[Path], object]):
    """This one would never end."""
    endless = "WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id FROM r"
    path = altered(tmp_path / "run.db", "DROP TABLE exchanges", f"CREATE VIEW exchanges AS {endless}")

    with pytest.raises(NotACassette, match="exchanges is no table"):
        use(path)


def test_names_that_mean_something_in_urls(tmp_path: Path):
    for name in ("a b.db", "a?mode=memory.db", "a#b.db", "a%20b.db", "ü.db"):
        path = cassette_of(tmp_path / name, [exchange([user("prompt 0")], model_text("a"))])
        assert prompts(path) == ["prompt 0"]
        assert path.stat().st_size


def test_new_file_is_not_made_over_another(tmp_path: Path):
    path = _text(tmp_path)

    with pytest.raises(CassetteError, match="File exists"):
        connect_new(path)

    assert path.read_text().startswith("This is no database")


def test_folder_that_cannot_be_written():
    with (
        open_folder() as folder,
        write_protected(folder),
        pytest.raises(CassetteError, match="cannot write to"),
    ):
        Cassette.create(folder / "run.db")


def test_creation_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(migrations, "apply", fail)

    with pytest.raises(CassetteError, match=r"cannot create .*run\.db: database or disk is full"):
        Cassette.create(tmp_path / "run.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("use", [connect_to_write, Cassette.append_to])
def test_cassette_in_a_folder_that_cannot_be_written(use: Callable[[Path], object]):
    with open_folder() as folder:
        path = _one(folder)
        with write_protected(folder), pytest.raises(CassetteError, match="cannot write to"):
            use(path)


# -- what a killed recorder leaves ------------------------------------------------------------------------------------


def test_killed_recorder_leaves_every_exchange(tmp_path: Path):
    path = tmp_path / "run.db"
    record_and_kill(path, 5)

    assert prompts(path) == [f"prompt {number}" for number in range(5)]
    assert Path(f"{path}-wal").stat().st_size, "a reader leaves the log as it is"


def test_killed_recorder_of_more_than_the_checkpoints_took_over(tmp_path: Path):
    path = tmp_path / "run.db"
    record_and_kill(path, 700)

    assert prompts(path) == [f"prompt {number}" for number in range(700)]


def test_killed_recorder_in_a_folder_that_cannot_be_written():
    with open_folder() as folder:
        path = folder / "run.db"
        record_and_kill(path, 5)
        with write_protected(folder):
            assert prompts(path) == [f"prompt {number}" for number in range(5)]


def test_killed_recorder_whose_index_is_gone_too():
    """As after a copy of the cassette and its log."""
    with open_folder() as folder:
        path = folder / "run.db"
        record_and_kill(path, 600, "pinned")
        Path(f"{path}-shm").unlink()
        assert Path(f"{path}-wal").stat().st_size > 1_000_000, "more than two checkpoints' worth"
        with write_protected(folder):
            assert prompts(path) == [f"prompt {number}" for number in range(-1, 600)]


def test_cassette_left_with_an_empty_log_in_a_folder_that_cannot_be_written():
    """As when a reader held the log while the recorder closed, and only the cassette was copied."""
    with open_folder() as folder:
        path = _one(folder)
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.close()
        assert not Path(f"{path}-wal").exists()
        with write_protected(folder):
            assert prompts(path) == ["prompt 0"]


def test_recording_goes_on_after_a_kill(tmp_path: Path):
    path = tmp_path / "run.db"
    record_and_kill(path, 3)
    with Cassette.append_to(path) as cassette:
        cassette.add(exchange([user("prompt 3")], model_text("answer")))

    assert prompts(path) == [f"prompt {number}" for number in range(4)]
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]


# -- formats ----------------------------------------------------------------------------------------------------------


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def newer_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """This gemtape, with a second migration."""

    def m002_mood(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE exchanges ADD COLUMN mood TEXT NOT NULL DEFAULT 'fine'")

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, m002_mood))
    monkeypatch.setattr(migrations, "FORMAT", migrations.FORMAT + 1)


def test_reader_migrates_an_older_cassette_in_memory(tmp_path: Path, request: pytest.FixtureRequest):
    path = _one(tmp_path)
    before = _digest(path)
    request.getfixturevalue("newer_format")

    connection = connect_to_read(path)

    assert connection.execute("SELECT mood FROM exchanges").fetchall() == [("fine",)]
    assert prompts(path) == ["prompt 0"]
    assert _digest(path) == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]
    connection.close()


def test_writer_migrates_an_older_cassette_on_disk(tmp_path: Path, request: pytest.FixtureRequest):
    path = _one(tmp_path)
    request.getfixturevalue("newer_format")
    with Cassette.append_to(path) as cassette:
        cassette.add(exchange([user("prompt 1")], model_text("answer")))

    assert recognise(path) == migrations.FORMAT
    assert prompts(path) == ["prompt 0", "prompt 1"]
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT mood FROM exchanges").fetchall() == [("fine",), ("fine",)]
    connection.close()


def test_older_cassette_with_a_log_is_migrated_in_memory_too(tmp_path: Path, request: pytest.FixtureRequest):
    path = tmp_path / "run.db"
    record_and_kill(path, 3)
    before = _digest(path), _digest(Path(f"{path}-wal"))
    request.getfixturevalue("newer_format")

    assert prompts(path) == [f"prompt {number}" for number in range(3)]
    assert (_digest(path), _digest(Path(f"{path}-wal"))) == before


def test_damaged_older_cassette_is_said_to_be_damaged(tmp_path: Path, request: pytest.FixtureRequest):
    path = _one(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP VIEW requests")
        connection.execute("DROP VIEW answers")
        connection.execute("DROP TABLE exchanges")
    connection.close()
    request.getfixturevalue("newer_format")

    with pytest.raises(NotACassette):
        Cassette.read(path)


def test_reading_needs_no_sqlite_utils(tmp_path: Path):
    """Importing it takes longer than a replay server may take to start."""
    path = _one(tmp_path)
    script = (
        "import sys; from pathlib import Path; from gemtape.cassettes.store import Cassette; "
        "print(len(Cassette.read(Path(sys.argv[1]))), 'sqlite_utils' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)

    assert run.stdout.split() == ["1", "False"]


# -- connections ------------------------------------------------------------------------------------------------------


def test_transaction_is_all_or_nothing():
    connection = connect_in_memory()
    with pytest.raises(sqlite3.IntegrityError), transaction(connection):
        connection.executemany("INSERT INTO meta VALUES (?, ?)", [("a", "b"), ("a", "b")])
    assert not connection.in_transaction

    with transaction(connection):
        connection.execute("INSERT INTO meta VALUES ('c', 'd')")

    rows = connection.execute("SELECT name FROM meta WHERE name IN ('a', 'c')").fetchall()
    assert rows == [("c",)]
    connection.close()


def test_damage_is_told_as_such():
    connection = connect_in_memory()

    with pytest.raises(NotACassette, match="the cassette is damaged: no such table"), damage_told():
        connection.execute("SELECT * FROM nowhere")
    connection.close()


def test_reader_cannot_write(tmp_path: Path):
    connection = connect(_one(tmp_path), "ro")

    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM exchanges")
    connection.close()


def test_memory_has_the_schema():
    connection = connect_in_memory()

    assert connection.execute("SELECT count(*) FROM requests").fetchone() == (0,)
    connection.close()
