"""What a command reads: a cassette, or a transcript taken in as one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..cassettes.connection import recognise
from ..cassettes.store import Cassette
from ..cassettes.transcript import read_transcript

_TRANSCRIPT_SUFFIXES: Final = frozenset({".jsonl", ".ndjson"})


def open_source(path: Path) -> Cassette:
    """Open a cassette for reading; a transcript (``.jsonl``) becomes a cassette in memory.

    Raises:
        CassetteError: the file is missing, or is no cassette.
        TranscriptError: a line of the transcript breaks the format.
    """
    if path.suffix.lower() not in _TRANSCRIPT_SUFFIXES or not path.is_file():
        recognise(path)
        return Cassette.read(path)
    cassette = Cassette.temporary()
    for exchange in read_transcript(path):
        cassette.add(exchange)
    return cassette
