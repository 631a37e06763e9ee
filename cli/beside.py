"""A door beside the user's command, whether it records or replays: the command's environment, its run, its exit code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import click

from ..cassettes.naming import SUFFIX

COMMAND: Final = click.argument(
    "beside", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]", required=False
)
"""The argument that a command line has for the user's command."""
OPENAI: Final = "Lead a COMMAND's OpenAI clients here too."
"""The help of the option `--openai`."""
_URLS: Final = ("_BASE_URL", "_API_BASE")
"""How the variables end that lead clients to a door."""


def check_beside(target: str, command: Sequence[str], *, openai: bool, name: str) -> None:
    """Find what is likely to be a slip in the command line of `gemtape <name>`.

    Raises:
        click.UsageError: it is one.
    """
    if command and not Path(target).exists() and shutil.which(target):
        raise click.UsageError(
            f"name a cassette or a folder before the command: gemtape {name} run.db -- {target} …"
        )
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
