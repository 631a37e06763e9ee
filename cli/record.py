"""`gemtape record`: traffic through the proxy into a cassette, or a folder of them."""

from __future__ import annotations

import importlib.util
from typing import Any

import click

from ..cassettes.errors import SetupError
from ..cassettes.naming import names_folder
from .beside import COMMAND, OPENAI, BesideCommand, check_beside
from .grouped import under
from .listening import listening_options

_where = under("Where it listens and sends to")
_cassette = under("An existing cassette is not touched, but with one of")
_passing = under("What passes")
_command = under("Beside a COMMAND")
_end = under("At the end")


@click.command(cls=BesideCommand)
@click.argument("target", metavar="CASSETTE|FOLDER")
@COMMAND
@listening_options(_where)
@_where("--upstream", metavar="URL", help="Send everything there instead of to Google.")
@_where(
    "--forward",
    is_flag=True,
    help="Be an HTTPS proxy instead, for clients whose base URL cannot be set; `gemtape ca` says what they need.",
)
@_cassette(
    "--mode",
    type=click.Choice(["refuse", "replace", "append", "new"]),
    help="replace: record it anew; append: add to it; new: answer from it what it knows, and record only conversations "
    "whose first request it does not know; refuse is the default.",
)
@_cassette("--replace", is_flag=True, help="The same as --mode replace.")
@_cassette("--append", is_flag=True, help="The same as --mode append.")
@_cassette("--again", metavar="COMMAND", default="", hidden=True, help="The command that a miss names.")
@_cassette("--status", is_flag=True, hidden=True, help="With --mode new, tell in a file what was asked.")
@_passing("--only-success", is_flag=True, help="Keep only answers with a 2xx status.")
@_passing(
    "--enforce",
    is_flag=True,
    help="Answer what the API is known to refuse with its own 400, before it is sent; not recorded.",
)
@_command("--openai", is_flag=True, help=OPENAI)
@_end(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="Exit with 1 if the report has a violation of this severity or worse.",
)
@click.pass_context
def command(context: click.Context, **options: Any) -> None:
    """Record traffic through a proxy into a cassette.

    Point a client's base URL at the printed address and run it. With a FOLDER (it exists, or ends in a slash) the path
    in front of the API's selects the cassette: http://127.0.0.1:8090/refunds/happy records into refunds/happy.db.
    Every request is checked as it passes. Ctrl-C ends the recording and prints the report.

    With --mode new a conversation is wholly from the cassette or wholly live: what goes on from a recorded answer is
    answered from the cassette or, if that is not possible, not at all.

    With -- COMMAND the recording runs beside the command, which finds it by variables such as GOOGLE_GEMINI_BASE_URL, and
    ends with it. With a FOLDER the tests add /NAME to the base URL themselves. What was recorded is kept, also if the
    command failed; the report goes to standard error.

    \b
    gemtape record run.db -- python agent.py

    With --forward there is no base URL: requests to the Gemini API are decrypted and recorded, all others pass as they are.

    The exit code is the command's if that is not 0, else 1 if there are errors in the report, if --enforce refused a
    request, if a request got no answer with --mode new, or if something could not be recorded.
    """  # noqa: D301 - click looks for the character itself
    check_beside(options["beside"], openai=options["openai"], name="record")
    if sum(map(bool, (options["mode"], options["replace"], options["append"]))) > 1:
        raise click.UsageError("--mode, --replace and --append exclude each other")
    if options["forward"] and (options["openai"] or names_folder(options["target"])):
        raise click.UsageError(
            "--openai is about a base URL, and --forward has none"
            if options["openai"]
            else "--forward records one cassette: it has no base URL that could name one of a FOLDER"
        )
    if importlib.util.find_spec("mitmproxy") is None:
        raise SetupError("recording needs mitmproxy: pipx install 'gemtape[proxy]'")

    # Importing mitmproxy takes half a second, which nothing but recording should pay.
    from .recording import Wishes, record  # noqa: PLC0415

    context.exit(record(Wishes(**options)))
