"""``gemtape report``: what is wrong in cassettes and transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import click

from ..checks.finding import Severity
from ..checks.judge import Judge
from ..checks.report.as_json import to_json
from ..checks.report.as_text import to_text
from ..checks.report.model import CassetteReport, Report, judge_cassette
from .sources import open_source

FORMATS: Final = {"text": to_text, "json": to_json}
FAIL_ON: Final = {"error": Severity.ERROR, "warning": Severity.WARNING, "never": None}


def build_report(paths: Sequence[Path], as_model: str = "") -> Report:
    """Judge cassettes and transcripts.

    Raises:
        GemtapeError: one of them cannot be read.
    """
    return Report(tuple(_judged(path, as_model) for path in paths))


def _judged(path: Path, as_model: str) -> CassetteReport:
    with closing(open_source(path)) as cassette:
        return judge_cassette(str(path), cassette.entries(), Judge(as_model=as_model))


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASSETTE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How to write it.",
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
def command(sources: tuple[Path, ...], form: str, output: Path | None, fail_on: str, as_model: str) -> None:
    """Say what is wrong in cassettes and transcripts.

    Judges every recorded request anew: missing thought signatures, broken call/response pairing, dropped model turns,
    and whatever else the API refuses or the model stumbles over. Exit code 0: nothing at or above --fail-on; 1: there
    is; 2: a source cannot be read.
    """
    report = build_report(sources, as_model)
    text = FORMATS[form](report)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    if report.fails(FAIL_ON[fail_on]):
        raise click.exceptions.Exit(1)
