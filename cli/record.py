"""`gemtape record`: traffic through the proxy into a cassette, or a folder of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from ..cassettes.errors import SetupError
from ..cassettes.naming import names_folder
from ..cassettes.redaction import Redactor
from ..checks.config import load_config
from ..checks.finding import Severity
from ..checks.live import checked_by, judges, strict_for
from ..checks.report.as_text import to_text
from .report import build_report


@click.command()
@click.argument("target", metavar="CASSETTE|FOLDER")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    default=8090,
    show_default=True,
    help="0 takes a free one.",
)
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen on."
)
@click.option("--upstream", metavar="URL", help="Send everything there instead of to Google.")
@click.option("--replace", is_flag=True, help="Record an existing cassette anew.")
@click.option("--append", is_flag=True, help="Add to an existing cassette.")
@click.option("--only-success", is_flag=True, help="Keep only answers with a 2xx status.")
@click.option(
    "--enforce",
    is_flag=True,
    help="Answer what the API is known to refuse with its own 400, before it is sent; not recorded.",
)
def command(
    *,
    target: str,
    port: int,
    host: str,
    upstream: str | None,
    replace: bool,
    append: bool,
    only_success: bool,
    enforce: bool,
) -> None:
    """Record traffic through a proxy into a cassette.

    Point a client's base URL at the printed address and run it. With a FOLDER (it exists, or ends in a slash) the path
    in front of the API's selects the cassette: http://127.0.0.1:8090/refunds/happy records into refunds/happy.db.
    Every request is checked as it passes. Ctrl-C ends the recording and prints the report; the exit code is 1 if there
    are errors in it, if --enforce refused a request, or if something could not be recorded.
    """
    if replace and append:
        raise click.UsageError("--replace and --append exclude each other")
    if importlib.util.find_spec("mitmproxy") is None:
        raise SetupError("recording needs mitmproxy: pipx install 'gemtape[proxy]'")

    # Importing mitmproxy takes half a second, which nothing but recording should pay.
    from ..proxy.routing import Router, parse_upstream  # noqa: PLC0415
    from ..proxy.run import Listener, Running, serve  # noqa: PLC0415
    from ..proxy.tape import Existing  # noqa: PLC0415
    from ..proxy.tapes import Tapes  # noqa: PLC0415

    existing = Existing.REPLACE if replace else Existing.APPEND if append else Existing.REFUSE
    folder = names_folder(target)
    router = Router(parse_upstream(upstream) if upstream else None)
    config = load_config()
    tapes = Tapes(
        Path(target),
        folder=folder,
        existing=existing,
        make_judge=judges(config),
        checked_by=checked_by(),
        redactor=Redactor(config.secrets),
        matching=config.matching,
        make_strict=strict_for(config) if enforce else None,
    )

    def ready(running: Running) -> None:
        name = "/NAME" if folder else ""
        say(f"gemtape records {target}{', one cassette a NAME,' if name else ''} on {running.url}")
        say(f"requests are sent to {router}")
        say(f"base URL for clients: {running.url}{name}")

    recorded = serve(Listener(host, port, router), tapes, say, only_success=only_success, ready=ready)
    for tape in recorded:
        say(
            tape.note
            or f"{tape.path}: {tape.exchanges} exchange{'' if tape.exchanges == 1 else 's'} recorded"
        )
    if not recorded:  # a folder that no request named a cassette of
        say(f"{target}: nothing was recorded")
    for count, fate in (
        (tapes.left_out, "left out"),
        (tapes.enforced, "refused, neither sent nor recorded"),
        (tapes.unrecorded, "lost: the cassette could not be written"),
    ):
        if count:
            say(f"{count} exchange{'' if count == 1 else 's'} {fate}")
    report = build_report([tape.path for tape in recorded if tape.exchanges], config)
    if report.cassettes:
        click.echo(to_text(report), nl=False)
    if tapes.enforced or tapes.unrecorded or report.fails(Severity.ERROR):
        raise click.exceptions.Exit(1)


def say(line: str) -> None:
    """Show one line at once; standard output stays free for what a command is asked for."""
    click.echo(line, err=True)
