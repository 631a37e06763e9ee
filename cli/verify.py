"""``gemtape verify``: no secrets in a cassette, every row intact, and every request finds its own answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from ..cassettes.errors import CassetteError
from ..cassettes.store import Cassette
from ..cassettes.verifying import Kind, Problem, confusable, damage, groups, secrets, unreadable
from ..checks.config import load_config
from ..replay.answering import Options
from ..replay.configured import configured
from ..replay.soundness import shuffled
from .sources import cassettes_at

_GROUPS_SHOWN = 5


def problems(path: Path, options: Options, seed: int = 0) -> Iterator[Problem]:
    """What is wrong with a cassette; nothing else is looked for in one that is damaged.

    Raises:
        CassetteError: it is missing, or no cassette at all.
    """
    damaged = list(damage(path))
    if damaged:
        yield from damaged
        return
    try:
        cassette = Cassette.read(path, options.redactor, options.matching)
    except CassetteError as error:
        yield Problem(Kind.DAMAGE, str(error))
        return
    with closing(cassette):
        yield from list(unreadable(cassette)) or _within(cassette, options, seed)


def _within(cassette: Cassette, options: Options, seed: int) -> Iterator[Problem]:
    """What is wrong with a cassette that can be read."""
    yield from secrets(cassette, options.redactor)
    yield from list(confusable(cassette)) or shuffled(cassette, options, seed)


def _sound(path: Path, options: Options) -> str:
    """The line of a cassette with nothing wrong."""
    with closing(Cassette.read(path, options.redactor, options.matching)) as cassette:
        count = len(cassette)
        equal = groups(cassette)
    words = f"{path}: {count} exchange{'' if count == 1 else 's'}, no secrets, intact, every request finds its answer"
    if not equal:
        return words
    shown = "; ".join(", ".join(map(str, numbers)) for numbers in equal[:_GROUPS_SHOWN])
    return f"{words}; equal requests: {shown}{'; …' if len(equal) > _GROUPS_SHOWN else ''}"


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASSETTE|FOLDER..."
)
@click.option("--seed", type=int, default=0, help="Plays the requests in another order.")
@click.pass_context
def command(context: click.Context, *, paths: tuple[Path, ...], seed: int) -> None:
    """Look for secrets, damage, and requests that could be confused.

    A secret is whatever a recorder would leave out today, with the patterns of the configuration. Damage is what SQLite
    finds, a missing row, or a value that is not what was stored. Requests could be confused where two differ only in what
    the configuration ignores, and their answers differ; to be sure, all requests are played to the cassette in another
    order, and each has to get its own answer, or one of those recorded for equal requests. A FOLDER stands for all
    cassettes below it. The exit code is 1 if anything is wrong.
    """
    options = configured(load_config())
    failed = False
    for path in cassettes_at(paths):
        found = list(problems(path, options, seed))
        failed = failed or bool(found)
        for problem in found:
            click.echo(f"{path}: {problem}")
        if not found:
            click.echo(_sound(path, options))
    context.exit(1 if failed else 0)
