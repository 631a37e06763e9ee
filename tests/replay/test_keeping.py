"""A recording becomes the cassette of its test, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteBusy, CassetteError
from gemtape.cassettes.locks import lock, unlock
from gemtape.cassettes.store import Cassette
from gemtape.checks.config import Config, parse_config
from gemtape.replay.keeping import copy, faults, keep, recorded, stamp
from tests.factories import (
    SIGNATURE,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    unary,
    user,
)
from tests.readonly import open_folder, write_protected

QUESTION = user("Weather in Pune?")
SIGNED = calls(call("get_weather", signature=SIGNATURE))
UNSIGNED = calls(call("get_weather"))
RESULT = results(result("get_weather", {"celsius": 31}))
LOSSY = [exchange([QUESTION], SIGNED), exchange([QUESTION, UNSIGNED, RESULT], model_text("31"), at=2)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "recorder/t1.db", LOSSY)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_recording_is_kept_with_every_exchange(source: Path, tmp_path: Path):
    target = tmp_path / "cassettes/test_a/test_x.db"

    assert keep(source, target, Config()) == 2
    assert names(target.parent) == ["test_x.db"]
    with Cassette.read(source) as before, Cassette.read(target) as after:
        assert list(after.exchanges()) == list(before.exchanges())
        assert {rule for _, rule, _ in after.stored_violations()} >= {"missing-signature"}


def test_recording_that_is_still_written_is_kept_as_far_as_it_is(tmp_path: Path):
    with Cassette.create(tmp_path / "t1.db") as recorder:
        recorder.add(LOSSY[0])
        assert keep(tmp_path / "t1.db", tmp_path / "x.db", Config()) == 1
        recorder.add(LOSSY[1])

    assert len(recorded(tmp_path / "t1.db")) == 2
    assert len(recorded(tmp_path / "x.db")) == 1


def test_what_was_there_before_is_replaced_with_its_log(source: Path, tmp_path: Path):
    target = cassette_of(tmp_path / "kept/x.db", LOSSY[:1])
    for suffix in ("-wal", ".new", ".new-wal"):
        Path(f"{target}{suffix}").write_bytes(b"of runs that were killed")

    assert keep(source, target, Config()) == 2
    assert names(target.parent) == ["x.db"]
    assert len(recorded(target)) == 2


def test_no_recording_is_an_empty_cassette(tmp_path: Path):
    """A marked test that asks nothing has to pass in the next run too."""
    assert recorded(tmp_path / "none.db") == []
    assert keep(tmp_path / "none.db", tmp_path / "x.db", Config()) == 0
    assert recorded(tmp_path / "x.db") == []


def test_configured_secrets_are_not_kept(tmp_path: Path):
    """The recorder may run elsewhere, and not know them."""
    source = cassette_of(tmp_path / "t1.db", [exchange([user("my token is shop-1234567890")])])
    keep(source, tmp_path / "x.db", parse_config({"secrets": ["shop-[0-9]+"]}, Path("gemtape.toml")))

    assert b"shop-1234567890" in source.read_bytes()
    assert b"shop-1234567890" not in (tmp_path / "x.db").read_bytes()


def test_old_cassette_stays_where_the_new_one_cannot_be_written():
    with open_folder() as folder:
        source = cassette_of(folder / "t1.db", LOSSY)
        target = cassette_of(folder / "kept/x.db", LOSSY[:1])
        with write_protected(folder / "kept"), pytest.raises(CassetteError, match=r"cannot write to .*x\.db"):
            keep(source, target, Config())
        with write_protected(folder), pytest.raises(CassetteError, match=r"cannot write .*y\.db"):
            keep(source, folder / "new/y.db", Config())

        assert names(target.parent) == ["x.db"]
        assert len(recorded(target)) == 1


def test_two_runs_do_not_keep_the_same_cassette_at_once(source: Path, tmp_path: Path):
    target = cassette_of(tmp_path / "x.db", LOSSY[:1])
    held = lock(target)
    try:
        with pytest.raises(CassetteBusy):
            keep(source, target, Config())
    finally:
        unlock(target, held)

    assert len(recorded(target)) == 1


def test_cassette_that_was_written_meanwhile_is_not_overwritten(source: Path, tmp_path: Path):
    target = cassette_of(tmp_path / "x.db", LOSSY[:1])
    before = stamp(target)
    assert keep(source, target, Config(), grown_from=before) == 2

    with pytest.raises(CassetteBusy, match="written by another run meanwhile"):
        keep(cassette_of(tmp_path / "t2.db", LOSSY[:1]), target, Config(), grown_from=before)
    assert len(recorded(target)) == 2
    assert stamp(tmp_path / "none.db") is None


def test_copy_holds_what_a_killed_recorder_left_in_the_log(tmp_path: Path):
    with Cassette.create(tmp_path / "run.db") as recorder:
        recorder.add(LOSSY[0])
        copy(recorder.path, tmp_path / "deep" / "t1.db")

    assert len(recorded(tmp_path / "deep" / "t1.db")) == 1
    with pytest.raises(CassetteError, match="cannot copy"):
        copy(tmp_path, tmp_path / "t2.db")


def test_damaged_recording_is_said(tmp_path: Path):
    source = tmp_path / "t1.db"
    source.write_bytes(os.urandom(5000))

    with pytest.raises(CassetteError, match="is not a cassette"):
        keep(source, tmp_path / "x.db", Config())
    assert not (tmp_path / "x.db").exists()


def test_faults_are_those_of_the_requests(source: Path):
    assert [(item.rule, item.severity, item.exchange) for item in faults(source, "x.db", Config())] == [
        ("missing-signature", "error", 2)
    ]
    assert faults(source.with_name("none.db"), "x.db", Config()) == []


def test_refusal_of_the_upstream_is_not_a_fault_by_itself(tmp_path: Path):
    refused = exchange([QUESTION], unary({"error": {"code": 400, "message": "bad key", "status": "?"}}, 400))

    assert faults(cassette_of(tmp_path / "t1.db", [refused]), "x.db", Config()) == []


def test_faults_are_selected_by_the_name_of_the_cassette(source: Path):
    config = parse_config({"per-cassette-ignore": {"old/*": ["missing-signature"]}}, Path("gemtape.toml"))

    assert faults(source, "/project/cassettes/old/x.db", config) == []
    assert len(faults(source, "/project/cassettes/new/x.db", config)) == 1
