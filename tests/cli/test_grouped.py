"""Help with headings: every option stands under its own, in the order of the source, and `--help` comes last."""

from __future__ import annotations

import click
from click.testing import CliRunner

from gemtape.cli.grouped import GroupedCommand, under

first, second = under("First things"), under("Second things")


@click.command(cls=GroupedCommand)
@click.argument("what")
@second("--late/--early", help="When.")
@first("--one", metavar="ONE", help="Of these.")
@second("--hidden", hidden=True)
@second("--later", type=int, default=3, show_default=True, help="After that.")
def command(what: str, one: str, *, late: bool, hidden: str, later: int):
    click.echo((what, one, late, hidden, later))


def test_options_stand_under_their_headings():
    help_text = CliRunner().invoke(command, ["--help"], terminal_width=80).output

    assert help_text.split("\n\n")[1:] == [
        "Second things:\n  --late / --early  When.\n  --later INTEGER   After that.  [default: 3]",
        "First things:\n  --one ONE  Of these.",
        "Options:\n  --help  Show this message and exit.\n",
    ]


def test_options_are_read_as_ever():
    done = CliRunner().invoke(command, ["--late", "--one", "1", "thing"])

    assert done.output == "('thing', '1', True, None, 3)\n"
