"""Captured traffic of real clients, imported and replayed: every request gets its recorded answer, byte for byte."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from gemtape.cassettes.models import Exchange
from gemtape.replay.answering import Verdict
from gemtape.replay.server import Server, serve
from tests.captures import CAPTURES, capture_exchanges, load_capture
from tests.factories import cassette_of
from tests.wire import Wire

SECOND_RUNS = [path for path in CAPTURES if path.stem.endswith("-run2")]
each_capture = pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)


@pytest.fixture
def playing(tmp_path: Path):
    """Start replaying a capture's cassette."""
    with ExitStack() as stack:

        def start(path: Path) -> Server:
            cassette = cassette_of(tmp_path / f"{path.stem}.db", capture_exchanges(path))
            return stack.enter_context(serve(cassette))

        yield start


def check(url: str, item: Exchange, status: int | None = None) -> None:
    """Ask as the client did; the answer is the recorded one, piece by piece where it came in pieces."""
    response = item.response
    assert response
    with Wire(url) as wire:
        seen = wire.ask(item)
    assert seen.status == (status or response.status)
    assert seen.body == response.body
    assert seen.complete == (not response.cut)
    assert seen.headers.get("content-type") == response.header("content-type")
    if "content-length" not in seen.headers:
        assert seen.pieces == [chunk.data for chunk in response.chunks]
    else:
        assert len(response.chunks) <= 1, "what came in pieces is sent in pieces"


@each_capture
def test_every_request_gets_its_recorded_answer_in_recorded_order(playing, path: Path):
    server = playing(path)
    items = capture_exchanges(path)

    for item in items:
        check(server.url, item)

    verdicts = server.deck.verdicts()
    assert verdicts[Verdict.HIT] == len(items) == verdicts.total()
    ((_, tally),) = server.deck.tallies()
    assert tally.unused == ()


@each_capture
def test_requests_are_found_below_the_prefix_that_the_client_had(playing, path: Path):
    """And from a session of its own."""
    server = playing(path)
    paths = [request["path"] for request in load_capture(path)["requests"]]

    for item, sent in zip(capture_exchanges(path), paths, strict=True):
        check(server.url + sent.removesuffix(item.request.path) + "/@again", item)


@pytest.mark.parametrize("second", SECOND_RUNS, ids=lambda path: path.stem)
def test_second_run_of_a_program_is_answered_by_the_cassette_of_its_first(playing, second: Path):
    """It differs in the ids that the client made up, and in nothing else."""
    first = second.with_name(second.name.replace("-run2", ""))
    server = playing(first)

    for asked, recorded in zip(capture_exchanges(second), capture_exchanges(first), strict=True):
        check(server.url, Exchange(asked.request, recorded.response))

    assert capture_exchanges(second)[-1].request.body != capture_exchanges(first)[-1].request.body
    assert (
        server.deck.verdicts()[Verdict.HIT]
        == len(capture_exchanges(second))
        == server.deck.verdicts().total()
    )
    ((_, tally),) = server.deck.tallies()
    assert tally.unused == ()


def test_requests_of_one_file_can_come_in_any_order(playing):
    """Each has a match key of its own, so that nothing hangs on the order between them."""
    for path in CAPTURES:
        items = capture_exchanges(path)
        if len({item.request.body for item in items}) != len(items):
            continue
        server = playing(path)
        for item in reversed(items):
            check(server.url, item)
