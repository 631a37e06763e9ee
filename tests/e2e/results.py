"""What the last whole run gave, kept in ``results.json``: the documentation shows it, and later runs are held against it."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tests.e2e.table import Client

KEPT: Final = Path(__file__).with_name("results.json")
COUNTS: Final = ("recorded", "replayed", "violations")
HOW_TO_KEEP: Final = "to keep what this run gave: make e2e ARGS=--keep-results, then make docs"

Results = dict[str, Any]
Row = Mapping[str, Any]


def kept_results() -> Results:
    """The results that are kept; none at all where the file is missing."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {"python": "", "node": "", "clients": {}}


def differences(rows: Iterable[Row], kept: Results) -> list[str]:
    """What rows of a run say otherwise than the kept results, a line each; versions may differ."""
    lines = []
    for row in rows:
        flows = kept["clients"].get(row["client"], {"flows": {}})["flows"]
        here = f"{row['client']}, {row['flow']}"
        if row["flow"] not in flows:
            lines.append(f"{here}: not in {KEPT.name}")
        elif (now := counts(row)) != (before := flows[row["flow"]]):
            lines.append(f"{here}: {_told(now)}; {KEPT.name} has {_told(before)}")
    return lines


def newer_versions(rows: Iterable[Row], kept: Results) -> list[str]:
    """The clients that ran in another version than the kept one, a line each."""
    ran = {row["client"]: row["version"] for row in rows}
    before = {client: kept["clients"][client]["version"] for client in ran if client in kept["clients"]}
    return [
        f"{client}: {ran[client]}; {KEPT.name} has {version}"
        for client, version in before.items()
        if version != ran[client]
    ]


def merged(rows: Iterable[Row], kept: Results, clients: Iterable[Client]) -> Results:
    """The kept results with what a run gave in their place; without what is no longer in the table of clients."""
    found = {
        client: {"version": results["version"], "flows": dict(results["flows"])}
        for client, results in kept["clients"].items()
    }
    for row in rows:
        results = found.setdefault(row["client"], {"version": "", "flows": {}})
        results["version"] = row["version"]
        results["flows"][row["flow"]] = counts(row)
    in_order = {}
    for client in clients:
        flows = found.get(client.name, {"flows": {}})["flows"]
        if wanted := {flow: flows[flow] for flow in client.flows if flow in flows}:
            in_order[client.name] = {"version": found[client.name]["version"], "flows": wanted}
    return {"python": platform.python_version(), "node": node_version(), "clients": in_order}


def keep(results: Results) -> None:
    """Write the file, a flow a line."""
    KEPT.write_text(_written(results), encoding="utf-8")


def counts(row: Row) -> dict[str, int]:
    """What is kept of a row, beside the version."""
    return {name: row[name] for name in COUNTS}


def node_version() -> str:
    """The version of Node that runs the clients for Node."""
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return said.strip().removeprefix("v")


def _told(found: Mapping[str, int]) -> str:
    return ", ".join(f"{found[name]} {name}" for name in COUNTS)


def _written(results: Results) -> str:
    """As JSON whose innermost objects are a line each."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    return re.sub(r"\{[^{}]*\}", lambda match: " ".join(match[0].split()), text) + "\n"
