"""Options of a replay that change how recorded answers are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from gemtape.cli.main import gemtape
from gemtape.cli.playing import playing, playing_options
from gemtape.replay.answering import Options
from gemtape.replay.delivery import Chunks, Delivery
from gemtape.replay.faults import Fault
from tests.factories import cassette_of, exchange, user


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


def test_faults_are_taken_in_the_given_order():
    assert chosen("--fault", "503@2", "--fault", "cut-after=1").faults == (
        Fault(status=503, exchange=2),
        Fault(cut=1),
    )


def test_fault_that_there_is_none_of_is_a_usage_error(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([user("a")])])

    outcome = CliRunner().invoke(gemtape, ["replay", str(path), "--fault", "418"])

    assert outcome.exit_code == 2
    assert outcome.output.startswith("gemtape: there is no fault '418'; there are cut-after=EVENTS, 429")
