"""What `gemtape record` does: the proxy from its first to its last line, then the report.

Importing this imports mitmproxy, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from ..cassettes.naming import names_folder
from ..cassettes.redaction import Redactor
from ..checks.config import Config, load_config
from ..checks.live import checked_by, judges, strict_for
from ..checks.report.as_text import to_text
from ..proxy.routing import Router, parse_upstream
from ..proxy.run import Listener, Running, serve
from ..proxy.tape import Existing, Recorded
from ..proxy.tapes import Tapes
from .report import FAIL_ON, build_report

PORT = 8090


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line says; every field has the name of its option."""

    target: str
    port: int | None
    host: str
    upstream: str | None
    replace: bool
    append: bool
    only_success: bool
    enforce: bool
    fail_on: str

    @property
    def existing(self) -> Existing:
        """What happens to a cassette that is there already."""
        return Existing.REPLACE if self.replace else Existing.APPEND if self.append else Existing.REFUSE

    @property
    def folder(self) -> bool:
        """Whether the target is a folder of cassettes."""
        return names_folder(self.target)


def record(wishes: Wishes) -> int:
    """Record until SIGINT or SIGTERM, and print the report.

    Returns:
        The exit code: 1 if the report holds what `fail_on` names, if a request was refused by `enforce`, or if something
        could not be recorded; else 0.

    Raises:
        GemtapeError: it cannot begin.
    """
    config = load_config()
    router = Router(parse_upstream(wishes.upstream) if wishes.upstream else None)
    listener = Listener(wishes.host, PORT if wishes.port is None else wishes.port, router)
    tapes = tapes_for(wishes, config)

    def ready(running: Running) -> None:
        name = "/NAME" if wishes.folder else ""
        say(f"gemtape records {wishes.target}{', one cassette a NAME,' if name else ''} on {running.url}")
        say(f"requests are sent to {router}")
        say(f"base URL for clients: {running.url}{name}")

    recorded = serve(listener, tapes, say, only_success=wishes.only_success, ready=ready)
    return conclude(wishes, tapes, recorded, config)


def tapes_for(wishes: Wishes, config: Config) -> Tapes:
    """Where to record, with the checks that the user configured.

    Raises:
        ConfigError: the configured baseline cannot be read.
    """
    return Tapes(
        Path(wishes.target),
        folder=wishes.folder,
        existing=wishes.existing,
        make_judge=judges(config),
        checked_by=checked_by(),
        redactor=Redactor(config.secrets),
        matching=config.matching,
        make_strict=strict_for(config) if wishes.enforce else None,
    )


def conclude(wishes: Wishes, tapes: Tapes, recorded: Iterable[Recorded], config: Config) -> int:
    """Say what became of each cassette, print the report, and give the exit code."""
    recorded = list(recorded)
    for tape in recorded:
        say(
            tape.note
            or f"{tape.path}: {tape.exchanges} exchange{'' if tape.exchanges == 1 else 's'} recorded"
        )
    if not recorded:  # a folder that no request named a cassette of
        say(f"{wishes.target}: nothing was recorded")
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
    return int(bool(tapes.enforced or tapes.unrecorded or report.fails(FAIL_ON[wishes.fail_on])))


def say(line: str) -> None:
    """Show one line at once; standard output stays free for what a command is asked for."""
    click.echo(line, err=True)
