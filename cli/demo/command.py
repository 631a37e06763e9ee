"""``gemtape demo``: record a small agent, run it again from the cassette, break it twice, and read the report.

Everything runs on this machine. The worked example is served by the strict replayer, which refuses what Gemini 3
refuses; the proxy and the cassettes are the real ones.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import click
import httpx

from ...cassettes.errors import SetupError
from ...cassettes.store import Cassette
from ...cassettes.transcript import read_transcript
from ...checks.config import Config
from ...checks.report.as_text import to_text
from ...replay.server import serve
from ..report import build_report
from .agent import MODEL, PROMPT, Agent, ApiError
from .recording import recording, require_proxy

DUMMY_KEY: Final = "demo-key"
_DEFAULT_FOLDER: Final = "gemtape-demo"
_REFUNDS: Final = "refunds.db"
_BROKEN: Final = "broken.db"


@click.command()
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=_DEFAULT_FOLDER,
    show_default=True,
    help="Where the cassettes go.",
)
@click.option(
    "--live", default="", metavar="MODEL", help="Run the good agent against the real API with GEMINI_API_KEY."
)
def command(folder: Path, live: str) -> None:
    """Record, replay and report a small agent on this machine.

    Needs no key and no network. With --live MODEL the agent talks to the real API instead, with the key in
    GEMINI_API_KEY, and is replayed offline afterwards.
    """
    require_proxy()
    folder.mkdir(parents=True, exist_ok=True)
    if live:
        _run_live(folder / "live.db", live)
    else:
        _run_demo(folder)


def _run_demo(folder: Path) -> None:
    refunds, broken = folder / _REFUNDS, folder / _BROKEN
    with tempfile.TemporaryDirectory(prefix="gemtape-demo-") as scratch:
        example = _example(Path(scratch))
        click.secho("1. Record", bold=True)
        click.echo(f"   The user asks: {PROMPT}")
        with serve(example) as gemini, recording(refunds, upstream=gemini.url) as proxy:
            first = Agent(proxy, DUMMY_KEY).run(_say)
        click.echo(f"   The agent answers: {first}")
        click.echo(f"   Recorded through the proxy into {refunds}\n")
        click.secho("2. Replay, with the upstream stopped", bold=True)
        second = _replay(refunds, MODEL)
        if second != first:
            raise SetupError(f"the replay answered {second!r} instead of {first!r}")
        click.echo("   The same answer, from the cassette alone.\n")
        click.secho("3. Break it", bold=True)
        with serve(example) as gemini, recording(broken, upstream=gemini.url) as proxy:
            _expect_refusal(
                "rebuilds the model's parts, without their signatures", Agent(proxy, DUMMY_KEY, rebuilds=True)
            )
            _expect_refusal("trims the model's turn from the history", Agent(proxy, DUMMY_KEY, trims=True))
    click.secho("4. Report", bold=True)
    click.echo(to_text(build_report([broken], Config())))
    _farewell(refunds, broken)


def _expect_refusal(what: str, agent: Agent) -> None:
    click.echo(f"   An agent {what}:")
    try:
        answer = agent.run(_say)
    except ApiError as error:
        click.echo(f"     HTTP {error.status}: {error}\n")
    else:
        raise SetupError(f"the broken agent got an answer ({answer!r}); the demo expected a 400")


def _replay(cassette: Path, model: str) -> str:
    with serve(cassette) as server:
        answer = Agent(server.url, DUMMY_KEY, model).run(_say)
    click.echo(f"   The agent answers: {answer}")
    return answer


def _run_live(cassette: Path, model: str) -> None:
    key = os.environ.get("GEMINI_API_KEY", "")
    if not key:
        raise SetupError("--live needs an API key in GEMINI_API_KEY")
    click.secho(f"1. Record {model}, live", bold=True)
    try:
        with recording(cassette) as proxy:
            click.echo(f"   The agent answers: {Agent(proxy, key, model).run(_say)}")
    except (ApiError, httpx.HTTPError) as error:
        raise SetupError(f"the live run failed: {error}") from error
    click.secho("2. Replay, offline", bold=True)
    _replay(cassette, model)
    click.secho("3. Report", bold=True)
    click.echo(to_text(build_report([cassette], Config())))


def _farewell(refunds: Path, broken: Path) -> None:
    click.secho("Written, and worth a look:", bold=True)
    for path, commands in (
        (refunds, (f"log {refunds}", f"replay {refunds}")),
        (broken, (f"report {broken}", "rules missing-signature")),
    ):
        click.echo(f"   {path}")
        for line in commands:
            click.echo(f"     {_program()} {line}")


def _program() -> str:
    """What to type for gemtape: ``make demo`` runs one that no shell finds by its name."""
    if shutil.which("gemtape"):
        return "gemtape"
    script = Path(sys.argv[0])
    return f"{sys.executable} -m gemtape.cli" if script.suffix == ".py" else str(script)


def _example(folder: Path) -> Path:
    """The worked example as a cassette: two lookups at once, two refunds at once, a closing text."""
    path = folder / "example.db"
    with Cassette.create(path) as cassette, resources.as_file(_transcript()) as transcript:
        for exchange in read_transcript(transcript):
            cassette.add(exchange)
    return path


def _transcript() -> Traversable:
    return resources.files(__package__ or "").joinpath("refunds.jsonl")


def _say(line: str) -> None:
    click.echo(f"     {line}")
