"""``gemtape export``: write a cassette as a transcript."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from ..cassettes.store import Cassette
from ..cassettes.transcript import write_transcript
from .sources import open_source


@click.command()
@click.argument("cassette", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file instead of stdout.")
def command(cassette: Path, output: Path | None) -> None:
    """Write a cassette as a transcript.

    One exchange a line, in recorded order, as JSON. What comes out can be imported again and holds the very bytes of
    every answer.
    """
    with closing(open_source(cassette)) as source:
        if output is None:
            write_transcript(source.exchanges(), sys.stdout.buffer)
        elif output.exists() and not output.is_file():  # a pipe or a terminal
            with output.open("wb") as file:
                write_transcript(source.exchanges(), file)
        else:
            _write_whole(source, output)


def _write_whole(source: Cassette, output: Path) -> None:
    """Write a file that takes the place of an earlier one only when it is complete."""
    beside = output.with_name(f".{output.name}.part")
    try:
        with beside.open("wb") as file:
            write_transcript(source.exchanges(), file)
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)
