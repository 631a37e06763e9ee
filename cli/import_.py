"""``gemtape import``: make a cassette from transcripts and recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from ..cassettes.errors import SetupError
from ..cassettes.models import Exchange
from ..cassettes.testserver import read_recording
from ..cassettes.transcript import read_transcript
from ..proxy.tape import Existing, Tape

READERS: Final[dict[str, Callable[[Path], Iterable[Exchange]]]] = {
    ".jsonl": read_transcript,
    ".ndjson": read_transcript,
    ".json": read_recording,
}
"""What can be imported, by the suffix of its file."""


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


def import_into(sources: Iterable[Path], cassette: Path, existing: Existing) -> int:
    """Store the exchanges of all sources; nothing is written unless every one of them can be read.

    Returns:
        How many there were.

    Raises:
        GemtapeError: a source cannot be read, or the cassette may not be touched or cannot be written.
    """
    exchanges = [exchange for source in sources for exchange in read_source(source)]
    if not exchanges:
        raise SetupError(f"there is nothing to import into {cassette}")
    tape = Tape(cassette, existing, None, "")
    try:
        for exchange in exchanges:
            tape.store(exchange)
    except BaseException:
        tape.abandon()
        raise
    done = tape.finish()
    if done.note:
        raise SetupError(done.note)
    return done.exchanges


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SOURCE...")
@click.argument("cassette", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Make an existing cassette anew.")
@click.option("--append", is_flag=True, help="Add to an existing cassette.")
def command(sources: tuple[Path, ...], cassette: Path, replace: bool, append: bool) -> None:
    """Make a cassette from transcripts (.jsonl) and recordings of google/test-server (.json).

    Secrets are left out as in a recording. A source that breaks its format ends the import before anything is written.
    """
    if replace and append:
        raise click.UsageError("--replace and --append exclude each other")
    existing = Existing.REPLACE if replace else Existing.APPEND if append else Existing.REFUSE
    count = import_into(sources, cassette, existing)
    click.echo(f"{cassette}: {count} exchange{'' if count == 1 else 's'} imported")
