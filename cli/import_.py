"""``gemtape import``: make a cassette from transcripts and recordings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from ..cassettes.errors import SetupError
from ..cassettes.matching import EVERYTHING, Matching
from ..cassettes.redaction import Redactor
from ..checks.config import load_config
from ..proxy.tape import Existing, Tape
from .sources import read_source

_CHOICES: Final = "--replace makes it anew, --append adds to it"


def import_into(
    sources: Iterable[Path],
    cassette: Path,
    existing: Existing,
    redactor: Redactor | None = None,
    matching: Matching = EVERYTHING,
) -> int:
    """Store the exchanges of all sources; nothing is written unless every one of them can be read.

    Returns:
        How many there were.

    Raises:
        GemtapeError: a source cannot be read, or the cassette may not be touched or cannot be written.
    """
    exchanges = [exchange for source in sources for exchange in read_source(source)]
    if not exchanges:
        raise SetupError(f"there is nothing to import into {cassette}")
    tape = Tape(cassette, existing, redactor=redactor, matching=matching, choices=_CHOICES)
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
    """Make a cassette from transcripts and other recordings.

    Reads transcripts (.jsonl) and recordings of google/test-server (.json). Secrets are left out as in a recording. A source that breaks its format ends the import before anything is written.
    """
    if replace and append:
        raise click.UsageError("--replace and --append exclude each other")
    existing = Existing.REPLACE if replace else Existing.APPEND if append else Existing.REFUSE
    config = load_config()
    count = import_into(sources, cassette, existing, Redactor(config.secrets), config.matching)
    click.echo(f"{cassette}: {count} exchange{'' if count == 1 else 's'} imported")
