"""The page of the clients, the table that it is made of, and the results that are kept of the last run are in step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import results
from tests.e2e.clients import CLIENTS
from tests.e2e.page import page
from tests.e2e.results import differences, kept_results, merged, newer_versions
from tests.e2e.table import RESULTS, Client
from tests.e2e.traps import FLOWS

ROOT = Path(__file__).parents[1]
E2E = ROOT / "tests" / "e2e"
KEPT = {
    "python": "3.11.0",
    "node": "20.0.0",
    "clients": {
        "one": {"version": "1.0", "flows": {"unary": {"recorded": 1, "replayed": 1, "violations": 0}}},
        "two": {"version": "2.0", "flows": {"chat": {"recorded": 4, "replayed": 4, "violations": 1}}},
    },
}
"""As `kept_results` gives them."""


def row(client: str, flow: str, version: str = "1.0", **counts: int) -> dict[str, Any]:
    return {"client": client, "flow": flow, "version": version, **counts}


UNARY = row("one", "unary", recorded=1, replayed=1, violations=0)


def client(name: str, *flows: str) -> Client:
    return Client(name, language="python", program="", packages=(), flows=flows, base_url="")


def test_the_page_is_made_of_the_table_and_the_kept_results():
    """If this fails, run ``make docs``."""
    assert (ROOT / "docs" / "clients.md").read_text(encoding="utf-8") == page()


def test_results_are_kept_of_every_client_and_flow_and_of_no_other():
    """If this fails, run ``make e2e ARGS=--keep-results``; a flow alone with ``ARGS="--keep-results -k NAME"``."""
    kept = {name: list(found["flows"]) for name, found in kept_results()["clients"].items()}

    assert kept == {client.name: list(client.flows) for client in CLIENTS}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_all_that_was_recorded_was_replayed_and_violations_are_known_limits(client: Client):
    for flow, found in kept_results()["clients"][client.name]["flows"].items():
        assert found["recorded"] == found["replayed"] > 0
        assert found["violations"] == (len(client.limits[flow].violations) if flow in client.limits else 0)


def test_names_of_clients_are_unique():
    names = [client.name for client in CLIENTS]

    assert sorted(set(names)) == sorted(names)


def test_every_transcript_is_of_a_flow_that_a_client_runs_by_a_program_that_is_there():
    transcripts = {str(path.relative_to(E2E / "flows")) for path in (E2E / "flows").rglob("*.jsonl")}

    assert transcripts == {client.transcript(flow) for client in CLIENTS for flow in client.flows}
    assert [client.name for client in CLIENTS if not (E2E / "programs" / client.program).is_file()] == []


@pytest.mark.parametrize(
    "client", [client for client in CLIENTS if client.new], ids=lambda client: client.name
)
def test_flows_with_mode_new_are_talks_of_a_program_that_can_have_another(client: Client):
    program = (E2E / "programs" / client.program).read_text(encoding="utf-8")

    assert set(client.new) <= {flow for flow in client.flows if RESULTS[flow] is RESULTS["chat"]}
    assert set(client.new).isdisjoint(client.limits)
    assert "CITY" in program
    assert "CELSIUS" in program


def test_every_flow_is_explained():
    assert set(FLOWS) == {flow for client in CLIENTS for flow in client.flows}


def test_a_run_that_gives_the_same_differs_in_nothing_even_in_another_version():
    newer = {**UNARY, "version": "1.1"}

    assert differences([newer], KEPT) == []
    assert newer_versions([newer], KEPT) == ["one: 1.1; results.json has 1.0"]
    assert newer_versions([UNARY], KEPT) == []


def test_other_counts_and_other_flows_are_told():
    rows = [{**UNARY, "recorded": 2}, row("one", "chat", recorded=1, replayed=1, violations=0)]

    assert differences(rows, KEPT) == [
        "one, unary: 2 recorded, 1 replayed, 0 violations; results.json has 1 recorded, 1 replayed, 0 violations",
        "one, chat: not in results.json",
    ]


def test_what_a_part_of_the_clients_gave_is_merged_into_what_is_kept():
    """In the order of the table, and without clients and flows that it does not have any more."""
    clients = [client("three", "unary"), client("one", "stream", "unary")]
    rows = [row("three", "unary", recorded=1, replayed=1, violations=0), {**UNARY, "version": "1.1"}]

    found = merged(rows, KEPT, clients)["clients"]

    assert list(found) == ["three", "one"]
    assert found["one"] == {"version": "1.1", "flows": KEPT["clients"]["one"]["flows"]}


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """A run whose one test fills in a row, held against `KEPT`."""
    kept = pytester.path / "results.json"
    kept.write_text(json.dumps(KEPT))
    monkeypatch.setattr(results, "KEPT", kept)
    pytester.makeconftest("from tests.e2e.conftest import *")

    def run(cells: dict[str, Any], *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(f"def test_client(row):\n    row |= { ({**cells, 'limit': ''})!r}")
        return pytester.runpytest_inprocess("-pno:gemtape", *arguments)

    return run


def test_a_run_as_kept_passes(run):
    result = run(UNARY)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["one*1.0*unary*1*1*0"])
    result.stdout.no_fnmatch_line("*results.json*")


def test_a_run_with_other_results_fails_and_says_which(run):
    result = run({**UNARY, "recorded": 2})

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*other results than those in*", "one, unary: 2 recorded, *; results.json has 1 recorded, *"]
    )


def test_a_run_with_other_versions_passes_and_says_how_to_keep_them(run):
    result = run({**UNARY, "version": "1.1"})

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*make e2e ARGS=--keep-results, then make docs*", "one: 1.1; results.json has 1.0"]
    )


def test_results_are_written_when_asked_for(run, pytester: pytest.Pytester):
    """Those of clients that are no longer in the table go."""
    name, flow = CLIENTS[0].name, CLIENTS[0].flows[0]

    result = run(row(name, flow, "9.9", recorded=1, replayed=1, violations=0), "--keep-results")

    assert result.ret == 0
    written = json.loads((pytester.path / "results.json").read_text())["clients"]
    assert written == {
        name: {"version": "9.9", "flows": {flow: {"recorded": 1, "replayed": 1, "violations": 0}}}
    }
