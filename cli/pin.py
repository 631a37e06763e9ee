"""``gemtape pin``: a snapshot of what crosses the boundary between model and functions, to be committed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from ..cassettes.errors import PinError
from ..cassettes.redaction import Redactor
from ..cassettes.swapping import write_whole
from ..checks.config import Config, load_config
from ..checks.pinning import Pinning, updated
from ..checks.pins import Pin, read_pin, written_pin
from .sources import cassettes_at, open_source

_DEFAULT: Final = "contract.json"


def make_pin(paths: Iterable[Path], config: Config) -> Pin:
    """The pin of what cassettes, transcripts and recordings hold.

    Raises:
        GemtapeError: one of them cannot be read.
    """
    pinning = Pinning(replace(config, pin=None).settings)
    for path in paths:
        with closing(open_source(path, Redactor(config.secrets))) as cassette:
            pinning.add(cassette.entries())
    return pinning.pin()


def accept(pin: Pin, path: Path) -> None:
    """Let the pin in a file accept what another one holds, and say so."""
    write_whole(path, written_pin(updated(read_pin(path), pin)))
    click.echo(f"{path}: {counted(pin)} accepted", err=True)


def counted(pin: Pin) -> str:
    """How much a pin holds."""
    results = sum(function.results is not None for function in pin.functions.values())
    functions = len(pin.functions)
    return f"{functions} function{'' if functions == 1 else 's'}, {results} with results"


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASSETTE|FOLDER..."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=f"The pin; by default the one that the configuration names, else {_DEFAULT}.",
)
@click.option("--update", is_flag=True, help="Let an existing pin accept what the cassettes hold.")
def command(*, sources: tuple[Path, ...], output: Path | None, update: bool) -> None:
    """Pin declared functions and the fields of their results.

    Writes every function's schema and description, which functions are declared together, and the closed set of fields
    in each function's results. Commit the file: gemtape report --pin FILE then objects to whatever differs, until it is
    mended or accepted with --update. In the fields, * stands for any item or key, and may be written by hand.
    """
    config = load_config()
    pin = make_pin(cassettes_at(sources), config)
    output = output or config.pin or Path(_DEFAULT)
    if not pin.functions:
        raise PinError("no request in there declares or answers a function: there is nothing to pin")
    if update:
        accept(pin, output)
        return
    if output.exists():
        raise PinError(f"{output} exists already: --update lets it accept what the cassettes hold")
    write_whole(output, written_pin(pin))
    click.echo(f"{output}: {counted(pin)} pinned", err=True)
