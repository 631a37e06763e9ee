"""Real clients with `--mode new`: what the cassette knows is not asked of the upstream, what it does not know is, wholly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gemtape.checks.config import Config
from gemtape.cli.report import build_report
from tests.e2e.another import CITY, about_another, write_another
from tests.e2e.clients import CLIENTS
from tests.e2e.running import HERE, KEY, ask, command_of, failure
from tests.e2e.table import RESULTS, Client
from tests.e2e.upstream import Google
from tests.processes import Program, program

pytestmark = pytest.mark.e2e

RUNS = [
    pytest.param(client, flow, id=f"{client.name}-{flow}", marks=pytest.mark.xdist_group(client.name))
    for client in CLIENTS
    for flow in client.new
]


@contextmanager
def google(transcript: Path) -> Iterator[Google]:
    upstream = Google(transcript, KEY)
    try:
        yield upstream
    finally:
        upstream.close()


@contextmanager
def door(*arguments: str | Path, cwd: Path) -> Iterator[tuple[Program, str]]:
    """A command that listens, and its base URL."""
    with program("gemtape", *arguments, "--port", "0", cwd=cwd) as running:
        yield running, running.wait_for(r"base URL for clients: (\S+)")[1]


@pytest.mark.parametrize(("client", "flow"), RUNS)
def test_a_talk_is_wholly_from_the_cassette_or_wholly_live(
    client: Client, flow: str, outside_environ: dict[str, str], tmp_path: Path
):
    command = command_of(client, outside_environ)
    cassette = tmp_path / "run.db"
    known, new = RESULTS[flow], about_another(RESULTS[flow])
    transcript = HERE / "flows" / client.transcript(flow)
    steps = len(transcript.read_text().splitlines())

    def recording(upstream: Google):
        arguments = ("record", cassette, "--mode", "new", "--upstream", upstream.url)
        return door(*arguments, cwd=tmp_path)

    with google(transcript) as upstream, recording(upstream) as (running, url):
        first = ask(command, client, flow, url, tmp_path)
        assert running.end() == 0, running.said
        assert first.result == known
        assert (len(upstream.received), upstream.problems) == (steps, [])
    assert f"run.db: {steps} exchanges recorded, 0 replayed" in running.said

    # This upstream holds, and has issued, nothing of the first talk.
    with google(write_another(transcript, tmp_path / "another.jsonl")) as upstream:
        with recording(upstream) as (running, url):
            assert ask(command, client, flow, url, tmp_path).result == known
            assert upstream.received == []
            assert ask(command, client, flow, url, tmp_path, CITY=CITY).result == new
            assert running.end() == 0, running.said
        assert (len(upstream.received), upstream.problems, upstream.refusals) == (steps, [], [])
        assert f"run.db: {steps} exchanges recorded, {steps} replayed" in running.said
        before = cassette.read_bytes()

        # Another result of the tool, after an answer that came from the cassette.
        with recording(upstream) as (running, url):
            assert "goes on from exchange 1 of the cassette" in failure(
                command, client, flow, url, tmp_path, CELSIUS="12"
            )
            assert running.end() == 1
        assert len(upstream.received) == steps
    assert len(re.findall("^REFUSED  412  It goes on from exchange 1 of", running.said, re.MULTILINE)) == 1
    assert re.search(r"recorded .*31.*, got .*12.* \(kind: result;", running.said), running.said
    assert cassette.read_bytes() == before

    with door("replay", cassette, "--repeat", "once", cwd=tmp_path) as (running, url):
        assert ask(command, client, flow, url, tmp_path).result == known
        assert ask(command, client, flow, url, tmp_path, CITY=CITY).result == new
        assert running.end() == 0, running.said
    assert f"run.db: {2 * steps} requests answered; all {2 * steps} exchanges used" in running.said
    (stored,) = build_report([cassette], Config()).cassettes
    assert [item.rule for item in stored.violations if item.severity != "info"] == []
    assert KEY.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("run.db*"))
