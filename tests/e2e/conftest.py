"""The table of what was run, printed at the end and held against the results that are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.clients import CLIENTS
from tests.e2e.results import HOW_TO_KEEP, KEPT, differences, keep, kept_results, merged, newer_versions

_COLUMNS = ("client", "version", "flow", "recorded", "replayed", "violations", "")
_SAID = pytest.StashKey[list[tuple[str, list[str]]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-results", action="store_true", help=f"write what passed into {KEPT.name}")


@pytest.fixture
def row(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The row of the table that a test fills in as it goes."""
    cells: dict[str, Any] = {}
    request.node.user_properties.append(("e2e-row", cells))
    return cells


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    rows = [cells for outcome, cells in _rows(reporter) if outcome == "passed"]
    kept = kept_results()
    if session.config.getoption("--keep-results", default=False):
        keep(merged(rows, kept, CLIENTS))
        return
    wrong = differences(rows, kept)
    session.config.stash[_SAID] = [
        (f"other results than those in tests/e2e/{KEPT.name}; {HOW_TO_KEEP}", wrong),
        (f"other versions than those in tests/e2e/{KEPT.name}; {HOW_TO_KEEP}", newer_versions(rows, kept)),
    ]
    if wrong and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = [
        [*(str(cells.get(column, "-")) for column in _COLUMNS[:-1]), _remark(outcome, cells)]
        for outcome, cells in _rows(terminalreporter)
    ]
    if not rows:
        return
    table = [list(_COLUMNS), *sorted(rows, key=lambda cells: (cells[0], cells[2]))]
    widths = [max(len(cells[at]) for cells in table) for at in range(len(_COLUMNS))]
    terminalreporter.section("clients, recorded and replayed")
    for cells in table:
        line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        terminalreporter.write_line(line.rstrip())
    for heading, lines in terminalreporter.config.stash.get(_SAID, []):
        if lines:
            terminalreporter.section(heading)
            terminalreporter.write_line("\n".join(lines))


def _rows(reporter: pytest.TerminalReporter) -> Iterator[tuple[str, dict[str, Any]]]:
    """Whether a test passed, and the row that it filled in."""
    for outcome in ("passed", "failed"):
        for report in reporter.getreports(outcome):
            if report.when == "call":
                for name, cells in report.user_properties:
                    if name == "e2e-row" and cells:
                        yield outcome, cells


def _remark(outcome: str, cells: dict[str, Any]) -> str:
    if outcome == "failed":
        return "FAILED"
    return f"known limit: {cells['limit']}" if cells["limit"] else ""
