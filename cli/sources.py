"""What commands read: cassettes, and files that become one: transcripts and recordings of google/test-server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from ..cassettes.errors import CassetteMissing, SetupError
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.models import Exchange
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette
from ..cassettes.testserver import read_recording
from ..cassettes.transcript import read_transcript

READERS: Final[dict[str, Callable[[Path], Iterable[Exchange]]]] = {
    ".jsonl": read_transcript,
    ".ndjson": read_transcript,
    ".json": read_recording,
}
"""What can be imported, by the suffix of its file."""


def cassettes_at(paths: Iterable[Path]) -> list[Path]:
    """The files that paths stand for: a folder stands for all cassettes below it, in order.

    Raises:
        CassetteMissing: there is no cassette in a folder.
    """
    found: list[Path] = []
    for path in paths:
        below = sorted(path.rglob("*.db")) if path.is_dir() else [path]
        if not below:
            raise CassetteMissing(f"there is no cassette in the folder {path}")
        found += below
    return found


def read_source(path: Path) -> Iterator[Exchange]:
    """The exchanges of a file that is not a cassette.

    Raises:
        SetupError: its suffix says nothing that can be imported.
        GemtapeError: it cannot be read.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        *most, last = READERS
        raise SetupError(f"cannot import {path}: its name has to end in {', '.join(most)} or {last}")
    yield from reader(path)


def is_importable(path: Path) -> bool:
    """Whether a path is a file that becomes a cassette by being imported."""
    return path.suffix.lower() in READERS and path.is_file()


def open_source(path: Path, redactor: Redactor | None = None, matching: Matching = EVERYTHING) -> Cassette:
    """Open a cassette for reading; what can be imported becomes a cassette in memory.

    Raises:
        CassetteError: the file is missing, or is no cassette.
        GemtapeError: it breaks its format.
    """
    if not is_importable(path):
        return Cassette.read(path, redactor, matching)
    with ExitStack() as undo:
        cassette = undo.enter_context(Cassette.temporary(redactor, matching))
        for exchange in read_source(path):
            cassette.add(exchange)
        undo.pop_all()
    return cassette
