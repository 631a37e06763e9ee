"""The pytest plugin: tests marked `gemtape`, or with the fixture of that name, are replayed from their cassettes.

It is imported in every test run of an environment that has gemtape, so it imports nothing but pytest; the rest comes with
the first test that wants it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .fixture import Gemtape
    from .outcomes import Outcome
    from .studio import Studio

_STUDIO: pytest.StashKey[Studio] = pytest.StashKey()
_TAPE: pytest.StashKey[Gemtape] = pytest.StashKey()
_PASSED: pytest.StashKey[bool] = pytest.StashKey()
_TOLD: pytest.StashKey[bool] = pytest.StashKey()
_OUTCOME: pytest.StashKey[Outcome] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our options."""
    group = parser.getgroup("gemtape", "replaying Gemini API traffic")
    group.addoption(
        "--gemtape",
        dest="gemtape_mode",
        choices=("replay", "record", "new", "live"),
        default="replay",
        help="Play marked tests from their cassettes (the default), record them anew, play them and record only conversations "
        "that are new, or call the live API.",
    )
    group.addoption(
        "--gemtape-unused",
        choices=("list", "fail"),
        default="list",
        help="What happens when a test does not ask for all exchanges of its cassette; list is the default.",
    )
    group.addoption(
        "--gemtape-recorder",
        metavar="COMMAND",
        default="",
        help="A gemtape that can record, such as \"pipx run --spec 'gemtape[proxy]' gemtape\"; found by itself by default.",
    )
    group.addoption(
        "--gemtape-upstream",
        metavar="URL",
        default="",
        help="Where recorded requests are sent instead of to Google.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "gemtape(cassette=None, *, repeat='once', lenient=False): play this test's requests to the Gemini API from its "
        "cassette, or from another one, whose path is relative to the test's file.",
    )
    config.pluginmanager.register(_Summary(config), "gemtape-summary")


@pytest.fixture(autouse=True)
def _gemtape_first(request: pytest.FixtureRequest) -> None:
    """Set the variables before other fixtures make their clients; for marked tests, do all that the fixture does."""
    if "gemtape" in request.fixturenames or request.node.get_closest_marker("gemtape"):
        request.getfixturevalue("gemtape")


@pytest.fixture
def gemtape(request: pytest.FixtureRequest) -> Iterator[Gemtape]:
    """The cassette of this test, played or recorded, with the variables set that lead clients to it."""
    from ..cassettes.errors import GemtapeError  # noqa: PLC0415

    item, problem = request.node, ""
    try:
        tape = _opened(item)
    except GemtapeError as error:
        tape, problem = None, f"gemtape: {error}"
    if tape is None:
        pytest.fail(problem, pytrace=False)
    for key in (_PASSED, _TOLD, _OUTCOME):  # a test may run again
        if key in item.stash:
            del item.stash[key]
    item.stash[_TAPE] = tape
    with pytest.MonkeyPatch.context() as patch:
        for name, value in tape.variables(os.environ).items():
            patch.setenv(name, value)
        yield tape
    passed = item.stash.get(_PASSED, False)
    late = _explanation(tape) if passed else ""  # of what other fixtures asked while they were torn down
    try:
        outcome = tape.close(passed=passed and not late)
    except GemtapeError as error:
        outcome, late = None, f"gemtape: {error}"
    if outcome is not None:
        item.stash[_OUTCOME] = outcome
    if late:
        pytest.fail(late, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fail a test for what it asked, also where its code swallowed the error that it got."""
    tape = item.stash.get(_TAPE, None)
    if tape is None:
        return (yield)
    if tape.problem:
        item.stash[_TOLD] = True
        pytest.fail(tape.problem, pytrace=False)
    result = yield
    complaint = _explanation(tape)
    if not complaint and item.config.option.gemtape_unused == "fail":
        complaint = tape.unused()
    if complaint:
        item.stash[_TOLD] = True
        pytest.fail(complaint, pytrace=False)
    item.stash[_PASSED] = True
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Explain a test that failed by itself, and hand on what became of its requests."""
    report = yield
    tape = item.stash.get(_TAPE, None)
    failed_by_itself = call.when == "call" and report.failed and _TOLD not in item.stash
    if tape is not None and failed_by_itself and (explanation := _explanation(tape)):
        report.sections.append(("gemtape", explanation))
    if call.when == "teardown" and _OUTCOME in item.stash:
        # A plain attribute travels with the report from a worker of xdist.
        report.gemtape = item.stash[_OUTCOME].plain()  # pyright: ignore[reportAttributeAccessIssue]
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End server or recorder."""
    studio = session.config.stash.get(_STUDIO, None)
    if studio is not None:
        studio.close()


class _Summary:
    """Collects what became of each test's requests, from reports that may come from other processes, and shows it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._plain: list[dict[str, Any]] = []

    def pytest_report_header(self) -> str | None:
        """Say when tests are not just replayed."""
        mode = self._config.option.gemtape_mode
        return None if mode == "replay" else f"gemtape: {mode}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect."""
        if plain := getattr(report, "gemtape", None):
            self._plain.append(plain)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show."""
        if self._plain:
            from .outcomes import Outcome, summary_lines  # noqa: PLC0415

            terminalreporter.section("gemtape")
            verbose = self._config.option.verbose > 0
            for line in summary_lines(map(Outcome.of, self._plain), verbose=verbose):
                terminalreporter.line(line)


def _explanation(tape: Gemtape) -> str:
    """What a test must not pass with; empty where there is nothing."""
    from ..cassettes.errors import GemtapeError  # noqa: PLC0415

    try:
        return tape.explanation()
    except GemtapeError as error:
        return f"gemtape: {error}"


def _opened(item: pytest.Item) -> Gemtape:
    """The cassette of a test.

    Raises:
        GemtapeError: the test cannot be played or recorded as its markers say.
    """
    from .studio import wanted  # noqa: PLC0415

    markers = [(marker.args, marker.kwargs) for marker in item.iter_markers("gemtape")]
    names = [node.name for node in item.listchain() if isinstance(node, pytest.Class | pytest.Item)]
    return _studio(item.config).open(item.nodeid, item.path, names, wanted(markers[::-1]))


def _studio(config: pytest.Config) -> Studio:
    from .studio import Studio  # noqa: PLC0415

    studio = config.stash.get(_STUDIO, None)
    if studio is None:
        said = config.option
        studio = Studio(said.gemtape_mode, config.rootpath, said.gemtape_recorder, said.gemtape_upstream)
        config.stash[_STUDIO] = studio
    return studio
