"""The `gemtape` command: the table of commands, and the one place where an error becomes a line and an exit code.

Exit codes: 0 fine, 1 violations or misses, 2 usage or unreadable input, 130 interrupted, 141 the reader of our output
left. Commands raise; only this file turns what they raise into words.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from ..cassettes.errors import GemtapeError


class Entry(NamedTuple):
    """Where a command lives, relative to this package, and the first line of its help."""

    module: str
    help: str


# The help stands here as well as in the command, so that `gemtape --help` imports none of them.
COMMANDS: Final[dict[str, Entry]] = {
    "record": Entry(".record", "Record traffic through a proxy into a cassette."),
    "replay": Entry(".replay", "Answer from a cassette, with no key and no network."),
    "report": Entry(".report", "Say what is wrong in cassettes and transcripts."),
    "log": Entry(".log", "List the exchanges of a cassette, one line each."),
    "show": Entry(".show", "Show one exchange: request, answer, match key, violations."),
    "explain": Entry(".explain", "Say which exchange answers a request, or why none does."),
    "rules": Entry(".rules", "List the rules, or print the page of one."),
    "pin": Entry(".pin", "Pin declared functions and the fields of their results."),
    "drill": Entry(".drill", "Propose malformed calls to an application, and say what it does."),
    "verify": Entry(".verify", "Look for secrets, damage, and requests that could be confused."),
    "import": Entry(".import_", "Make a cassette from transcripts and other recordings."),
    "export": Entry(".export", "Write a cassette as a transcript."),
    "ca": Entry(".ca", "Print the certificate of --forward, and how to trust it."),
    "addon": Entry(".addon", "Print the file that stock mitmproxy loads."),
    "demo": Entry(".demo.command", "Record, replay and report a small agent on this machine."),
}


class CommandTable(click.Group):
    """A group that imports a command when it is called; each module in the table has one called `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table, which is the order of a user's first hour."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by its name."""
        del ctx
        entry = COMMANDS.get(cmd_name)
        return import_module(entry.module, __package__).command if entry else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what a user can cause ends in one line on stderr, never in a traceback."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                # A reader that left is noticed here rather than while the interpreter shuts down.
                sys.stdout.flush()
        except GemtapeError as error:
            raise Refusal(str(error)) from error
        except KeyboardInterrupt as interrupt:
            click.echo(err=True)  # leaves the terminal's ^C on a line of its own
            raise click.exceptions.Exit(130) from interrupt
        except BrokenPipeError as broken:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(141) from broken
        except OSError as error:
            if error.filename is None:
                raise
            raise Refusal(f"{os.fsdecode(error.filename)}: {error.strerror}") from error


class Refusal(click.ClickException):
    """What the user gets to read of an error that they can act on."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Write the message as one line."""
        click.echo(f"gemtape: {' '.join(self.format_message().split())}", file=file, err=True)


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from ..cassettes.version import VERSION  # noqa: PLC0415 - reading package metadata costs 20 ms

        click.echo(f"gemtape {VERSION}")
        ctx.exit()


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def gemtape() -> None:
    """Record Gemini API traffic, check it for what breaks function calling, and replay it offline.

    \b
    gemtape demo                                    see it all, without a key
    gemtape record tapes/run.db -- python agent.py  once, with a key
    gemtape replay tapes/run.db -- python agent.py  offline from now on
    gemtape report tapes/run.db                     what was wrong

    In pytest: @pytest.mark.gemtape, and pytest --gemtape=record. Each command has a --help of its own.
    """  # noqa: D301 - click looks for the character itself


def main() -> None:
    """The console script."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before we started: nobody reads, and nothing is wrong
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for good
    gemtape(prog_name="gemtape")
