"""What the tests of a run share, and what their markers may say."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.errors import ConfigError, SetupError
from gemtape.cassettes.lookup import Repeat
from gemtape.replay.fixture import Gemtape, Recorded, Replayed
from gemtape.replay.mixed import Mixed
from gemtape.replay.studio import Studio, Wanted, wanted
from tests.factories import cassette_of, exchange, model_text, user

HELLO = exchange([user("hello")], model_text("hi"))


def opened(studio: Studio, root: Path, name: str = "test_x", asked: Wanted | None = None) -> Gemtape:
    module = root / "tests" / "test_a.py"
    return studio.open(f"tests/test_a.py::{name}", module, [name], asked or Wanted())


def servers() -> int:
    return sum(thread.name == "gemtape-replay" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("markers", "asked"),
    [
        ([], Wanted()),
        ([((), {})], Wanted()),
        ([(("run.db",), {})], Wanted("run.db")),
        ([((), {"cassette": Path("run.db")})], Wanted("run.db")),
        ([((), {"repeat": "last", "lenient": True})], Wanted(None, Repeat.LAST, True)),
        (
            [(("a.db",), {"repeat": "last"}), (("b.db",), {"lenient": False})],
            Wanted("b.db", Repeat.LAST, False),
        ),
    ],
)
def test_markers_add_up_and_the_closest_counts_most(markers: list[Any], asked: Wanted):
    assert wanted(markers) == asked


@pytest.mark.parametrize(
    "marker",
    [
        (("a.db", "b.db"), {}),
        (("",), {}),
        ((7,), {}),
        ((), {"repeats": "last"}),
        ((), {"repeat": "twice"}),
        ((), {"lenient": "yes"}),
        ((), {"lenient": 1}),
    ],
)
def test_markers_that_say_something_else_are_refused(marker: Any):
    with pytest.raises(SetupError, match="marker"):
        wanted([marker])


def test_one_server_for_all_tests_begins_with_the_first_and_ends_with_the_run(tmp_path: Path):
    cassette_of(tmp_path / "tests/cassettes/test_a/test_x.db", [HELLO])
    before = servers()
    studio = Studio("replay", tmp_path)
    assert servers() == before

    tapes = [opened(studio, tmp_path) for _ in range(3)]
    assert servers() == before + 1
    assert len({tape.base_url for tape in tapes}) == 3
    for tape in tapes:
        tape.close(passed=True)
    studio.close()
    studio.close()
    assert servers() == before


def test_options_come_from_marker_then_configuration_then_once(tmp_path: Path):
    for name in ("test_x", "test_y"):
        cassette_of(tmp_path / f"tests/cassettes/test_a/{name}.db", [HELLO])
    assert repeats(tmp_path, Wanted()) is Repeat.ONCE
    (tmp_path / "gemtape.toml").write_text('repeat = "cycle"')
    assert repeats(tmp_path, Wanted()) is Repeat.CYCLE
    assert repeats(tmp_path, Wanted(repeat=Repeat.LAST)) is Repeat.LAST


def repeats(root: Path, asked: Wanted) -> Repeat:
    studio = Studio("replay", root)
    tape = opened(studio, root, asked=asked)
    assert isinstance(tape, Replayed)
    tape.close(passed=True)
    studio.close()
    return tape._deck._options.repeat


@pytest.mark.parametrize(
    ("asked", "cassette", "shown"),
    [
        (Wanted(), "project/tests/cassettes/test_a/test_x.db", "tests/cassettes/test_a/test_x.db"),
        (Wanted("tapes/run.db"), "project/tests/tapes/run.db", "tests/tapes/run.db"),
        (Wanted("../../run.db"), "run.db", None),
    ],
)
def test_cassette_is_found_from_the_file_of_the_test(
    tmp_path: Path, asked: Wanted, cassette: str, shown: str | None
):
    root = tmp_path / "project"
    root.mkdir()
    tape = opened(Studio("live", root), root, asked=asked)

    assert tape.cassette == tmp_path / cassette
    assert tape.case.shown == (shown or str(tmp_path / cassette))


def test_live_tests_start_nothing(tmp_path: Path):
    before = servers()
    studio = Studio("live", tmp_path, recorder="no-such-program")
    opened(studio, tmp_path)
    studio.close()

    assert servers() == before


def test_one_recorder_for_all_tests(tmp_path: Path):
    studio = Studio("record", tmp_path)
    tapes = [opened(studio, tmp_path, name) for name in ("test_x", "test_y", "test_x")]
    studio.close()

    assert all(isinstance(tape, Recorded) for tape in tapes)
    assert len({tape.base_url for tape in tapes}) == 3
    assert len({tape.base_url.rpartition("/")[0] for tape in tapes}) == 1


def test_new_conversations_are_recorded_beside_what_is_played(tmp_path: Path):
    studio = Studio("new", tmp_path)
    tapes = [opened(studio, tmp_path, name) for name in ("test_x", "test_y")]
    studio.close()

    assert all(isinstance(tape, Mixed) for tape in tapes)
    assert len({tape.base_url.rpartition("/")[0] for tape in tapes}) == 1


def test_two_tests_cannot_be_recorded_into_one_cassette(tmp_path: Path):
    """One that is run again can."""
    studio = Studio("record", tmp_path)
    shared = Wanted("shared.db")
    try:
        for _ in range(2):
            opened(studio, tmp_path, asked=shared)
        with pytest.raises(SetupError, match=r"shared\.db is recorded by tests/test_a\.py::test_x already"):
            opened(studio, tmp_path, "test_y", asked=shared)
    finally:
        studio.close()


def test_configuration_is_read_at_once(tmp_path: Path):
    (tmp_path / "gemtape.toml").write_text("repeats = 1")

    with pytest.raises(ConfigError, match="repeats"):
        Studio("replay", tmp_path)
