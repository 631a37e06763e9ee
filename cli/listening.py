"""The options that say where a door listens, for every command that opens one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

_PORT: Final = 8090
"""Where a door listens that stands by itself; beside a command it takes a free port."""


def listening_options(option: Callable[..., Any]) -> Callable[..., Any]:
    """What gives a command `--port` and `--host`, under the heading of `option`; the port is for `port_of`."""
    port = option(
        "--port",
        type=click.IntRange(0, 65535),
        metavar="PORT",
        help=f"{_PORT} by default, with a COMMAND a free one; 0 takes a free one.",
    )
    host = option(
        "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen on."
    )

    def give(command: Callable[..., Any]) -> Callable[..., Any]:
        return port(host(command))

    return give


def port_of(given: int | None, beside: Sequence[str]) -> int:
    """The port to listen on; 0 takes a free one.

    Args:
        given: what the command line says, None where it says nothing.
        beside: the user's command, empty where there is none.
    """
    if given is not None:
        return given
    return 0 if beside else _PORT
