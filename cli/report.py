"""``gemtape report``: what is wrong in cassettes, transcripts and recordings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from ..cassettes.redaction import Redactor
from ..checks.baseline import to_baseline
from ..checks.config import Config, load_config
from ..checks.finding import Severity
from ..checks.judge import Judge
from ..checks.pins import Pin, read_pin
from ..checks.report.as_json import to_json
from ..checks.report.as_text import to_text
from ..checks.report.model import CassetteReport, Report, judge_cassette
from ..checks.selection import Selection
from ..checks.settings import Settings
from .pin import accept, make_pin
from .sources import cassettes_at, open_source

FORMATS: Final = {"text": to_text, "json": to_json}
FAIL_ON: Final = {"error": Severity.ERROR, "warning": Severity.WARNING, "never": None}


def build_report(
    paths: Iterable[Path],
    config: Config,
    selection: Selection | None = None,
    as_model: str = "",
    pin: Pin | None = None,
) -> Report:
    """Judge cassettes, transcripts and recordings; the selection is the configured one by default.

    Args:
        paths: the files.
        config: what the rules are told.
        selection: which violations count.
        as_model: the model to judge by, empty for the one that was asked.
        pin: what declarations and results are compared with, instead of the configured pin.

    Raises:
        GemtapeError: one of them cannot be read.
    """
    chosen = config.selection() if selection is None else selection
    settings = config.settings if pin is None else replace(replace(config, pin=None).settings, pin=pin)
    redactor = Redactor(config.secrets)
    return Report(tuple(_judged(path, redactor, settings, chosen, as_model) for path in paths))


def _judged(
    path: Path, redactor: Redactor, settings: Settings, selection: Selection, as_model: str
) -> CassetteReport:
    with closing(open_source(path, redactor)) as cassette:
        judge = Judge(as_model=as_model, settings=settings)
        return judge_cassette(str(path), cassette.entries(), judge, selection)


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASSETTE|FOLDER..."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="For people, or for programs.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the report to this file.")
@click.option(
    "--fail-on",
    type=click.Choice(list(FAIL_ON)),
    default="error",
    show_default=True,
    help="Exit with 1 if there is a violation of this severity or worse.",
)
@click.option("--as-model", default="", metavar="MODEL", help="Judge as if sent to this model.")
@click.option(
    "--pin",
    "pinned",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Object to declarations and results that differ from this pin, instead of the configured one.",
)
@click.option("--update", is_flag=True, help="Let the pin accept what differs.")
@click.option("--select", multiple=True, metavar="RULE", help="Tell only this rule; may be repeated.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave this rule out; may be repeated.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Leave out the violations that this file knows."
)
@click.option(
    "--write-baseline",
    type=click.Path(path_type=Path),
    help="Write a baseline file that knows all violations of this report.",
)
def command(
    *,
    sources: tuple[Path, ...],
    form: str,
    output: Path | None,
    fail_on: str,
    as_model: str,
    pinned: Path | None,
    update: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    baseline: Path | None,
    write_baseline: Path | None,
) -> None:
    """Say what is wrong in cassettes and transcripts.

    Judges every recorded request anew: missing thought signatures, broken call/response pairing, dropped model turns,
    and whatever else the API refuses or the model stumbles over. Which rules count and how much is set here, in
    [tool.gemtape] of pyproject.toml, or in gemtape.toml. Exit code 0: nothing at or above --fail-on; 1: there is; 2: a
    source cannot be read.
    """
    if as_model and "gemini" not in as_model:
        click.echo(f"gemtape: {as_model!r} is no Gemini model: nothing is asked of signatures", err=True)
    config = load_config()
    paths = cassettes_at(sources)
    if update:
        accepting = pinned or config.pin
        if accepting is None:
            raise click.UsageError("--update goes with --pin FILE, or the key pin of the configuration")
        accept(make_pin(paths, config), accepting)
    pin = read_pin(pinned) if pinned else None
    report = build_report(paths, config, config.selection(select, ignore, baseline), as_model, pin)
    if write_baseline is not None:
        known = [(item.path, found) for item in report.cassettes for found in item.violations]
        write_baseline.write_text(to_baseline(known), encoding="utf-8")
        words = "1 violation is" if len(known) == 1 else f"{len(known)} violations are"
        click.echo(f"{write_baseline}: {words} known from now on", err=True)
        return
    text = FORMATS[form](report)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    if report.fails(FAIL_ON[fail_on]):
        raise click.exceptions.Exit(1)
