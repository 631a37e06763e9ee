"""A door beside the user's command, whether it records or replays: the command's environment, its run, its exit code."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import click

from ..cassettes.naming import SUFFIX
from .grouped import GroupedCommand

COMMAND: Final = click.argument(
    "beside", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]", required=False
)
"""The argument that a command line has for the user's command."""
OPENAI: Final = "Lead a COMMAND's OpenAI clients here too."
"""The help of the option `--openai`."""
_URLS: Final = ("_BASE_URL", "_API_BASE")
"""How the variables end that lead clients to a door."""
_LONGEST: Final = 200
"""Characters of a command line that are told."""


class BesideCommand(GroupedCommand):
    """A command whose first argument is a cassette and whose second is `COMMAND`.

    Options of the user's command are known for that by the -- in front of it alone: without it they would be refused as
    unknown, or worse, be taken for ours.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line.

        Raises:
            click.UsageError: it makes no sense, or -- is missing from it.
        """
        if not ctx.resilient_parsing:
            self._check_dashes(ctx, args)
        return super().parse_args(ctx, args)

    def _check_dashes(self, ctx: click.Context, args: list[str]) -> None:
        try:
            target, rest = self._first(ctx, args)
        except click.UsageError:
            return
        try:
            program, options = self._first(ctx, rest)
        except click.UsageError as error:
            if not getattr(error, "possibilities", None):  # else it is one of ours, not quite
                _check_target(ctx, target)
            return
        at = len(args) - len(options) - 1
        if not program or "--" in args[len(args) - len(rest) : at]:
            return
        _check_target(ctx, target)
        if "--" not in args[:at] and not program.endswith(SUFFIX) and any(map(_is_option, options)):
            more = shlex.join(options)
            more = more if more.isprintable() and len(more) <= _LONGEST else "…"
            line = f"{ctx.command_path} {shlex.join([*args[:at], '--', program])} {more}"
            raise click.UsageError(
                f"put -- before the command, and gemtape's options before that: {line}", ctx
            )

    def _first(self, ctx: click.Context, args: list[str]) -> tuple[str, list[str]]:
        """The first argument that is no option of ours, empty where there is none, and all that comes after it.

        Raises:
            click.UsageError: something before it is no option of ours.
        """
        parser = self.make_parser(ctx)
        parser.allow_interspersed_args = False
        found: dict[str, Any] = parser.parse_args(list(args))[0]
        names = (item.name or "" for item in self.params if isinstance(item, click.Argument))
        first, beside = map(found.get, names)
        return first if isinstance(first, str) else "", list(beside) if isinstance(beside, tuple) else []


def _check_target(ctx: click.Context, target: str) -> None:
    """Find a program where a cassette should be named before it."""
    if not Path(target).exists() and shutil.which(target):
        words = f"{ctx.command_path} run.db -- {target} …"
        raise click.UsageError(f"name a cassette or a folder before the command: {words}", ctx)


def _is_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-")


def check_beside(command: Sequence[str], *, openai: bool, name: str) -> None:
    """Find what is likely to be a slip in the command line of `gemtape <name>`.

    Raises:
        click.UsageError: it is one.
    """
    if command and command[0].endswith(SUFFIX):
        raise click.UsageError(
            f"{name} takes one cassette or folder of them; {command[0]} cannot be run as a command"
        )
    if openai and not command:
        raise click.UsageError(f"--openai is for a COMMAND: gemtape {name} CASSETTE --openai -- COMMAND")


def run_beside(
    command: Sequence[str],
    door: AbstractContextManager[str],
    variables: Callable[[str, Mapping[str, str]], Mapping[str, str]],
) -> int:
    """Run a command while a door is open. To be called on the main thread.

    Signals that come while the door opens reach the command once it runs; those that come while it closes are ignored,
    so that it closes as it should.

    Args:
        command: the program and its arguments.
        door: opens the door and gives its base URL.
        variables: what to add to an environment for clients to find a base URL.

    Returns:
        The command's exit code.

    Raises:
        SetupError: the door cannot open, or the command cannot be started.
    """
    # Imported here so that `--help` does not wait for subprocess.
    from .running import find_program, relayed  # noqa: PLC0415

    find_program(command[0], os.environ)  # before anything is opened, such as a cassette
    with relayed() as relay, door as url:
        return relay.run(command, {**os.environ, **variables(url, os.environ)})


def overridden(added: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """The base URLs of an environment that what is added to it takes the place of, such as that of a gateway."""
    return {
        name: environ[name]
        for name, url in added.items()
        if name.endswith(_URLS) and environ.get(name, url) not in ("", url)
    }


def no_traffic(variables: Iterable[str], otherwise: str = "with a --port that stays the same") -> str:
    """What to say of a command that never came by.

    Args:
        variables: the names of the variables that it got.
        otherwise: where a client gets the base URL from that reads none of them.
    """
    *most, last = [name for name in variables if name.endswith(_URLS)]
    if not any(name.startswith("OPENAI") for name in (*most, last)):
        otherwise += "; OpenAI clients are led here with --openai only"
    return (
        f"warning: no request came to gemtape. A client finds it by {', '.join(most)} or {last}, read when it is made; "
        "one that reads none of them has to be given the base URL in code, "
        f"{otherwise}"
    )
