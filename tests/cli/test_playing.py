"""Options of a replay that change how recorded answers are served."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from gemtape.cli.playing import playing, playing_options
from gemtape.replay.answering import Options
from gemtape.replay.delivery import Chunks, Delivery


def chosen(*arguments: str) -> Options:
    """What a command makes of its arguments."""
    found: list[Options] = []

    @click.command()
    @playing_options
    def command(**how: Any) -> None:
        found.append(playing(Options(lenient=True), **how))

    outcome = CliRunner().invoke(command, arguments)
    assert outcome.exit_code == 0, outcome.output
    return found[0]


@pytest.mark.parametrize(
    ("arguments", "delivery", "collapse"),
    [
        ((), Delivery(), False),
        (("--chunks", "event"), Delivery(Chunks.EVENT), False),
        (("--chunks", "hostile", "--seed", "7"), Delivery(Chunks.HOSTILE, 7), False),
        (("--pace", "1.0"), Delivery(pace=1.0), False),
        (("--collapse-retries",), Delivery(), True),
    ],
)
def test_options(arguments: tuple[str, ...], delivery: Delivery, collapse: bool):
    options = chosen(*arguments)

    assert (options.delivery, options.collapse_retries, options.lenient) == (delivery, collapse, True)


def test_every_way_to_cut_a_stream_can_be_chosen():
    assert [chosen("--chunks", chunks.value).delivery.chunks for chunks in Chunks] == list(Chunks)
