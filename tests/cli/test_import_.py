from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from gemtape.cassettes.store import Cassette
from gemtape.cli.main import gemtape

GOOD = '{"request":{"path":"/v1/models/m:generateContent","body":{"contents":[]}},"response":{"body":{"n":%d}}}\n'
BAD = '{"request":{"path":"/v1/models/m:generateContent"},"respons":{}}\n'


@pytest.fixture
def transcript(tmp_path):
    """A maker of transcripts: the number in each exchange's answer; None stands for a line that breaks the format."""

    def make(name: str, *numbers: int | None) -> Path:
        path = tmp_path / name
        path.write_text(
            "".join(BAD if number is None else GOOD.replace("%d", str(number)) for number in numbers)
        )
        return path

    return make


def run(*arguments: object) -> Result:
    return CliRunner().invoke(gemtape, ["import", *map(str, arguments)])


def answers(path: Path) -> list[bytes]:
    with Cassette.read(path) as cassette:
        return [exchange.response.body for exchange in cassette.exchanges() if exchange.response]


def test_sources_follow_one_another(transcript, tmp_path):
    outcome = run(transcript("a.jsonl", 1, 2), transcript("b.ndjson", 3), tmp_path / "run.db")
    assert (outcome.exit_code, outcome.output) == (0, f"{tmp_path / 'run.db'}: 3 exchanges imported\n")
    assert answers(tmp_path / "run.db") == [b'{"n":1}', b'{"n":2}', b'{"n":3}']


def test_existing_cassette_is_not_touched_by_accident(transcript, tmp_path):
    cassette = tmp_path / "run.db"
    run(transcript("a.jsonl", 1), cassette)
    before = cassette.read_bytes()
    outcome = run(transcript("b.jsonl", 2), cassette)
    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
    assert "--replace" in outcome.output
    assert "--append" in outcome.output
    assert cassette.read_bytes() == before


def test_append_and_replace(transcript, tmp_path):
    cassette = tmp_path / "run.db"
    run(transcript("a.jsonl", 1), cassette)
    assert run("--append", transcript("b.jsonl", 2), cassette).output.endswith("1 exchange imported\n")
    assert answers(cassette) == [b'{"n":1}', b'{"n":2}']
    assert run("--replace", transcript("c.jsonl", 3), cassette).exit_code == 0
    assert answers(cassette) == [b'{"n":3}']
    assert run("--replace", "--append", transcript("c.jsonl", 3), cassette).exit_code == 2


@pytest.mark.parametrize("option", [None, "--append", "--replace"])
def test_line_that_breaks_the_format_ends_it_before_anything_is_written(transcript, tmp_path, option):
    cassette = tmp_path / "run.db"
    if option:
        run(transcript("a.jsonl", 1), cassette)
    bad = transcript("bad.jsonl", 2, None)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    outcome = run(*([option] if option else []), transcript("a.jsonl", 1), bad, cassette)
    assert (outcome.exit_code, outcome.output) == (2, f"gemtape: {bad}:2: unknown key 'respons'\n")
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before | {"a.jsonl": after["a.jsonl"]} == after


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run.har", "cannot import run.har: its name has to end in .jsonl, .ndjson or .json"),
        ("none.jsonl", "cannot read none.jsonl: No such file or directory"),
    ],
)
def test_unusable_source_is_one_line(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run(name, "run.db")
    assert (outcome.exit_code, outcome.output) == (2, f"gemtape: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_import_is_one_line(transcript, tmp_path):
    outcome = run(transcript("a.jsonl"), tmp_path / "run.db")
    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
    assert not (tmp_path / "run.db").exists()


def test_cassette_that_cannot_be_written_is_one_line(transcript, tmp_path):
    outcome = run(transcript("a.jsonl", 1), tmp_path / "a.jsonl" / "run.db")
    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
    outcome = run("--append", transcript("a.jsonl", 1), transcript("b.jsonl", 1))
    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)


@pytest.mark.parametrize("option", [None, "--replace"])
def test_full_disk_leaves_nothing_half_written(transcript, tmp_path, option):
    cassette = tmp_path / "run.db"
    source = transcript("a.jsonl", 1)
    if option:
        run(source, cassette)
    with source.open("a") as lines:
        lines.writelines(GOOD.replace("%d", f'"{os.urandom(100_000).hex()}"') for _ in range(3))
    before = sorted(path.name for path in tmp_path.iterdir())
    limited = f"ulimit -f 300; exec {sys.executable} -m gemtape.cli import {option or ''} {source} {cassette}"
    outcome = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stderr.count("\n")) == (2, 1), outcome.stderr
    assert "cannot write" in outcome.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert not option or answers(cassette) == [b'{"n":1}']


def test_source_may_be_a_pipe(tmp_path):
    """It is read once."""
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=(GOOD.replace("%d", "1"),))
    writer.start()
    assert run(pipe, tmp_path / "run.db").exit_code == 0
    writer.join()
    assert answers(tmp_path / "run.db") == [b'{"n":1}']


def test_secrets_are_left_out(tmp_path):
    source = tmp_path / "a.jsonl"
    key = "AIzaSy" + "k" * 33
    source.write_text(
        '{"request":{"path":"/v1/x","query":{"key":"KEY"},"headers":{"cookie":"KEY"},"body_text":"KEY"},"response":{"body_text":"KEY"}}'.replace(
            "KEY", key
        )
    )
    run(source, tmp_path / "run.db")
    with Cassette.read(tmp_path / "run.db") as cassette:
        (exchange,) = cassette.exchanges()
    assert key not in repr(exchange)
    assert key.encode() not in (tmp_path / "run.db").read_bytes()


def test_a_recording_of_test_server_is_a_source(tmp_path):
    recording = Path(__file__).parents[1] / "data" / "testserver" / "forecast_stream.json"
    outcome = run(recording, tmp_path / "run.db")
    assert (outcome.exit_code, outcome.output) == (0, f"{tmp_path / 'run.db'}: 2 exchanges imported\n")
    assert len(answers(tmp_path / "run.db")) == 2
