"""The table of what was run, printed at the end."""

from __future__ import annotations

from typing import Any

import pytest

_COLUMNS = ("client", "version", "flow", "recorded", "replayed", "violations", "")


@pytest.fixture
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The row of the table that a test fills in as it goes."""
    cells: dict[str, Any] = {}
    request.node.user_properties.append(("e2e-row", cells))
    return cells


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = [
        [*(str(cells.get(column, "-")) for column in _COLUMNS[:-1]), _remark(outcome, cells)]
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call"
        for name, cells in report.user_properties
        if name == "e2e-row" and cells
    ]
    if not rows:
        return
    table = [list(_COLUMNS), *sorted(rows, key=lambda cells: (cells[0], cells[2]))]
    widths = [max(len(cells[at]) for cells in table) for at in range(len(_COLUMNS))]
    terminalreporter.section("clients, recorded and replayed")
    for cells in table:
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        terminalreporter.write_line(line.rstrip())


def _remark(outcome: str, cells: dict[str, Any]) -> str:
    if outcome == "failed":
        return "FAILED"
    return f"known limit: {cells['limit']}" if cells["limit"] else ""
