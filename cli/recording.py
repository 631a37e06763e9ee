"""What `gemtape record` does: the proxy from its first to its last line, then the report.

Importing this imports mitmproxy, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click

from ..cassettes.errors import GemtapeError
from ..cassettes.naming import names_folder
from ..cassettes.redaction import Redactor
from ..checks.config import Config, load_config
from ..checks.finding import Severity
from ..checks.live import checked_by, judges, strict_for
from ..checks.report.as_text import to_text
from ..proxy.background import Background, Serving
from ..proxy.choosing import choosers
from ..proxy.lines import harmless, without_secrets
from ..proxy.routing import Router, parse_upstream
from ..proxy.run import Listener, Running, serve
from ..proxy.tape import Existing, Recorded
from ..proxy.tapes import Tapes
from .beside import overridden, run_beside
from .leading import ByBaseUrl, ByProxy, Way
from .listening import port_of
from .report import FAIL_ON, build_report

_SHOWN: Final = 50
"""Complaints about the requests to one cassette that are printed at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line says; every field has the name of its option."""

    target: str
    beside: tuple[str, ...]
    port: int | None
    host: str
    upstream: str | None
    mode: str | None
    replace: bool
    append: bool
    again: str
    status: bool
    only_success: bool
    enforce: bool
    fail_on: str
    openai: bool
    forward: bool

    @property
    def existing(self) -> Existing:
        """What happens to a cassette that is there already."""
        if self.mode:
            return Existing(self.mode)
        return Existing.REPLACE if self.replace else Existing.APPEND if self.append else Existing.REFUSE

    @property
    def keeps_success_only(self) -> bool:
        """Whether failures are left out: what is to be played from now on must not be an error that has passed."""
        return self.only_success or self.existing is Existing.NEW

    @property
    def folder(self) -> bool:
        """Whether the target is a folder of cassettes."""
        return names_folder(self.target)


def record(wishes: Wishes) -> int:
    """Record until SIGINT or SIGTERM, or until the command has ended, and print the report.

    Whatever was recorded is kept, also where the command failed or was broken off, and also where it replaces a cassette:
    a run that failed is the one whose report is wanted, and among many tests the one that failed must not cost the
    others their recording. Only a run that recorded nothing leaves a cassette as it was.

    Returns:
        The exit code: that of the command if it is not 0; else 1 if the report holds what `fail_on` names, if a request
        was refused by `enforce` or got no answer, if something could not be recorded, or if the proxy ended before the
        command; else 0.

    Raises:
        GemtapeError: it cannot begin; without a command also: a cassette could not be closed.
    """
    config = load_config()
    router = Router(parse_upstream(wishes.upstream) if wishes.upstream else None)
    way = way_for(wishes, router)
    port = port_of(wishes.port, wishes.beside)
    listener = Listener(wishes.host, port, router, forward=way.forward)
    tapes = tapes_for(wishes, config)
    serving = partial(serve, listener, tapes, say, only_success=wishes.keeps_success_only)
    if wishes.beside:
        return record_beside(wishes, way, serving, tapes, config)

    def ready(running: Running) -> None:
        for line in way.lines(running.url):
            say(line)

    serving(ready=ready)
    failed = conclude(wishes, tapes, config)
    if way.forward and not tapes.asked:
        say(way.silence())
    return int(failed)


def way_for(wishes: Wishes, router: Router) -> Way:
    """How clients are led here.

    Raises:
        SetupError: there is no authority for a forward proxy, and none can be made.
    """
    if wishes.forward:
        return ByProxy(wishes.target, wishes.host, router)
    return ByBaseUrl(wishes.target, router, folder=wishes.folder, openai=wishes.openai)


def record_beside(wishes: Wishes, way: Way, serving: Serving, tapes: Tapes, config: Config) -> int:
    """Record what a command asks for; what we say goes to stderr, since standard output is the command's."""
    background = Background(serving, say)

    @contextmanager
    def door() -> Iterator[str]:
        with background:
            yield background.url

    def variables(url: str, environ: Mapping[str, str]) -> Mapping[str, str]:
        added = way.variables(url, environ)
        if not wishes.upstream:
            for name, led in overridden(added, environ).items():
                was = harmless(without_secrets(led))
                say(f"{name} was {was}; the recording sends to Google, with --upstream URL elsewhere")
        return added

    code = run_beside(wishes.beside, door(), variables)
    failed = conclude(wishes, tapes, config)
    if not tapes.asked:
        say(way.silence())
    return code or int(failed or background.failed)


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
        make_chooser=choosers(config, wishes.again) if wishes.existing is Existing.NEW else None,
        tells=wishes.status,
    )


def conclude(wishes: Wishes, tapes: Tapes, config: Config) -> bool:
    """Say what became of each cassette and print the report; whether something in it fails the run."""
    recorded = tapes.recorded
    threshold = FAIL_ON[wishes.fail_on]
    for tape in recorded:
        for line in outcome(tape, wishes.existing, threshold):
            say(line)
    if not recorded:  # a folder that no request named a cassette of
        say(f"{wishes.target}: nothing was recorded")
    for count, fate in (
        (tapes.left_out, "left out: no answer with a 2xx status"),
        (tapes.nameless, "refused: the path names no cassette of the folder"),
        (tapes.enforced, "refused, neither sent nor recorded"),
        (tapes.unrecorded, "not recorded, for the reasons given above"),
    ):
        if count:
            say(f"{count} exchange{'' if count == 1 else 's'} {fate}")
    if line := tapes.failing.line():
        say(line)
    if tapes.passed_over:
        say(
            f"the path /{tapes.passed_over} named no cassette: a folder of them ends in a slash, {wishes.target}/"
        )
    try:
        report = build_report([tape.path for tape in recorded if tape.exchanges], config)
    except GemtapeError as error:  # no reason to forget how the command ended
        say(f"gemtape: {error}")
        return True
    if report.cassettes:
        click.echo(to_text(report), nl=False, err=bool(wishes.beside))
    failed = tapes.enforced or tapes.unrecorded or tapes.nameless
    failed = failed or any(tape.complaints.fails(threshold) for tape in recorded)
    return bool(failed) or report.fails(threshold)


def outcome(tape: Recorded, existing: Existing, threshold: Severity | None) -> Iterator[str]:
    """What became of a cassette, after what is to be said of the requests that it was to answer."""
    complaints = list(tape.complaints.paragraphs(threshold or Severity.ERROR))
    yield from map(harmless, complaints[:_SHOWN])
    if len(complaints) > _SHOWN:
        yield f"and {len(complaints) - _SHOWN} more"
    replayed = f", {tape.replayed} replayed" if existing is Existing.NEW else ""
    count = f"{tape.exchanges} exchange{'' if tape.exchanges == 1 else 's'}"
    if tape.taken_out:
        yield tape.taken_out
    yield tape.note or f"{tape.path}: {count} recorded{replayed}"


def say(line: str) -> None:
    """Show one line at once; standard output stays free for what a command is asked for.

    That nobody reads it any more must not keep an exchange from being recorded.
    """
    with suppress(BrokenPipeError):
        click.echo(line, err=True)
