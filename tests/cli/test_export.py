from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gemtape.cassettes.store import Cassette
from gemtape.cli.main import gemtape
from tests.captures import CAPTURES, capture_exchanges


def run(*arguments: object) -> Result:
    return CliRunner().invoke(gemtape, list(map(str, arguments)))


def record(path: Path, capture: Path) -> Path:
    with Cassette.create(path) as cassette:
        for exchange in capture_exchanges(capture):
            cassette.add(exchange)
    return path


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_export_then_import_gives_the_same_export(capture, tmp_path):
    first = run("export", record(tmp_path / "first.db", capture))
    assert first.exit_code == 0
    lines = tmp_path / "first.jsonl"
    lines.write_bytes(first.stdout_bytes)
    assert run("import", lines, tmp_path / "second.db").exit_code == 0
    assert run("export", tmp_path / "second.db").stdout_bytes == first.stdout_bytes


def test_output_file_holds_what_stdout_would(tmp_path):
    cassette = record(tmp_path / "run.db", CAPTURES[0])
    output = tmp_path / "run.jsonl"
    output.write_text("old")
    outcome = run("export", cassette, "-o", output)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert output.read_bytes() == run("export", cassette).stdout_bytes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.db", "run.jsonl"]
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["request"]["method"] for line in lines] == ["POST", "POST"]
    assert lines[0]["request"]["body"]["contents"][0]["role"] == "user"


def test_output_may_be_a_pipe(tmp_path):
    cassette = record(tmp_path / "run.db", CAPTURES[0])
    wanted = run("export", cassette).stdout_bytes
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert run("export", cassette, "-o", pipe).exit_code == 0
    assert os.read(reader, len(wanted) + 1) == wanted
    os.close(reader)


@pytest.mark.parametrize("content", [None, b"no cassette"])
def test_unusable_cassette_is_one_line_and_leaves_the_output_alone(tmp_path, content):
    cassette, output = tmp_path / "run.db", tmp_path / "out.jsonl"
    output.write_text("old")
    if content:
        cassette.write_bytes(content)
    outcome = run("export", cassette, "-o", output)
    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
    assert output.read_text() == "old"


def test_output_that_cannot_be_written_is_one_line(tmp_path):
    cassette = record(tmp_path / "run.db", CAPTURES[0])
    outcome = run("export", cassette, "-o", tmp_path / "none" / "out.jsonl")
    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
