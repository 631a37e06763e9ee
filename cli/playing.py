"""The options of a replay that change how recorded answers are served, for every command that plays cassettes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .grouped import under

if TYPE_CHECKING:
    from ..replay.answering import Options


def playing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command these options; it hands what it gets of them to `playing`."""
    sending = under("How answers are sent")
    for option in reversed(
        (
            sending(
                "--fault",
                "faults",
                multiple=True,
                metavar="FAULT[@N]",
                help="Before a recorded answer, once: 429, 500, 503, 504, cut-after=EVENTS or finish=REASON (such as "
                "MAX_TOKENS); for exchange N, or for every one. May be given more than once.",
            ),
            sending("--seed", type=int, metavar="N", default=0, help="Makes other hostile chunks."),
            sending(
                "--pace",
                type=click.FloatRange(0, 1000),
                metavar="FACTOR",
                default=0.0,
                help="Wait as long as recorded times this factor: 1.0 is as recorded, the default 0 does not wait.",
            ),
            sending(
                "--chunks",
                type=click.Choice(["recorded", "event", "whole", "hostile"]),
                default="recorded",
                show_default=True,
                help="Send streams in other pieces; hostile ones are cut inside characters, JSON and line ends.",
            ),
            sending(
                "--collapse-retries",
                is_flag=True,
                help="Skip a recorded 429 or 5xx if an equal request got a success later.",
            ),
        )
    ):
        command = option(command)
    return command


def playing(
    options: Options, *, seed: int, pace: float, chunks: str, collapse_retries: bool, faults: tuple[str, ...]
) -> Options:
    """The same options of a replay with what the command line says.

    Raises:
        SetupError: there is no such fault.
    """
    # Imported here so that `--help` does not wait for it.
    from dataclasses import replace  # noqa: PLC0415

    from ..replay.delivery import Chunks, Delivery  # noqa: PLC0415
    from ..replay.faults import parse_fault  # noqa: PLC0415

    return replace(
        options,
        delivery=Delivery(Chunks(chunks), seed, pace),
        collapse_retries=collapse_retries,
        faults=tuple(map(parse_fault, faults)),
    )
