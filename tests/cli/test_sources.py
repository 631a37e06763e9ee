"""What commands read."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteMissing, NotACassette, TranscriptError
from gemtape.cli.sources import cassettes_at, open_source
from tests.factories import cassette_of, exchange, model_text, user


def test_a_cassette_is_opened_for_reading(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([user("hi")], model_text("ho"))])

    with open_source(path) as cassette:
        assert len(cassette) == 1


def test_a_transcript_becomes_a_cassette_in_memory(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    path.write_text('{"request": {"path": "/v1beta/models", "method": "GET"}, "response": {"body": {}}}\n')

    with open_source(path) as cassette:
        assert [entry.path for entry in cassette.entries()] == ["/v1beta/models"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("none.db", None, CassetteMissing),
        ("none.jsonl", None, CassetteMissing),
        ("text.db", b"hello", NotACassette),
        ("bad.jsonl", b"{\n", TranscriptError),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path, name: str, content: bytes | None, error: type[Exception]
):
    if content is not None:
        (tmp_path / name).write_bytes(content)

    with pytest.raises(error):
        open_source(tmp_path / name)
    gc.collect()  # a connection that was left open would be told now


def test_a_folder_stands_for_the_cassettes_below_it(tmp_path: Path):
    for name in ("b.db", "a/x.db", "a/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert cassettes_at([tmp_path]) == [tmp_path / "a" / "x.db", tmp_path / "b.db"]
    assert cassettes_at([tmp_path / "other.db"]) == [tmp_path / "other.db"]


def test_a_folder_without_cassettes_is_said(tmp_path: Path):
    with pytest.raises(CassetteMissing, match="no cassette in the folder"):
        cassettes_at([tmp_path])
