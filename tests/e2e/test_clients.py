"""Every client records and replays every flow of it, to the same result, faithfully, and leaves no secret behind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.store import Cassette
from gemtape.cassettes.transcript import write_line
from tests.e2e.clients import CLIENTS
from tests.e2e.running import HERE, KEY, command_of, record, replay, report
from tests.e2e.table import RESULTS, Client, Limit
from tests.e2e.upstream import Google

pytestmark = pytest.mark.e2e

RUNS = [
    # One worker has all flows of a client, so that its environment is made once and not waited for.
    pytest.param(client, flow, id=f"{client.name}-{flow}", marks=pytest.mark.xdist_group(client.name))
    for client in CLIENTS
    for flow in client.flows
]


@pytest.mark.parametrize(("client", "flow"), RUNS)
def test_records_and_replays(
    client: Client,
    flow: str,
    row: dict[str, Any],
    outside_environ: dict[str, str],
    tmp_path: Path,
):
    limit = client.limits.get(flow, Limit(""))
    expected = RESULTS[flow] if limit.result is None else limit.result
    row |= {"client": client.name, "flow": flow, "limit": limit.sentence}
    cassette = tmp_path / "run.db"
    command = command_of(client, outside_environ)

    google = Google(HERE / "flows" / client.transcript(flow), KEY)
    try:
        recorded = record(command, client, flow, cassette, google.url)
    finally:
        google.close()
    row["version"] = recorded.version
    with Cassette.read(cassette) as stored:
        row["recorded"] = len(stored)
        # Stored bytes may be compressed; lines of a transcript are not.
        told = b"".join(write_line(exchange) for exchange in stored.exchanges())
    assert google.problems == [], recorded.said
    assert recorded.result == expected, recorded.said

    replayed = replay(command, client, flow, cassette)
    verdict = re.search(r"gemtape: (\d+) requests?, (\d+) miss(?:es)?", replayed.said)
    assert verdict, replayed.said
    row["replayed"] = int(verdict[1]) - int(verdict[2])
    assert replayed.result == recorded.result, replayed.said
    assert row["replayed"] == row["recorded"], replayed.said

    violations = report(cassette)
    row["violations"] = len(violations)
    assert sorted(item["rule"] for item in violations) == list(limit.violations), json.dumps(
        violations, indent=1
    )

    stored_bytes = b"".join(path.read_bytes() for path in tmp_path.glob("run.db*"))
    assert KEY.encode() not in stored_bytes + told
