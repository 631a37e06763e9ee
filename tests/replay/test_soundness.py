"""A cassette that is played to itself in another order answers every request with its own answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.lookup import Repeat
from gemtape.cassettes.matching import Matching
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.replay.answering import Options
from gemtape.replay.delivery import Chunks, Delivery
from gemtape.replay.faults import Fault
from gemtape.replay.soundness import shuffled
from tests.captures import CAPTURES, capture_exchanges
from tests.factories import (
    SIGNATURE,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    unary,
    user,
)


def problems(path: Path, seed: int = 0, **options) -> list[str]:
    chosen = Options(**options)
    with Cassette.read(path, matching=chosen.matching) as cassette:
        return [str(problem) for problem in shuffled(cassette, chosen, seed)]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_captured_traffic_is_sound_in_any_order(tmp_path: Path, capture: Path):
    path = cassette_of(tmp_path / "run.db", capture_exchanges(capture))

    assert [problems(path, seed) for seed in range(5)] == [[]] * 5


def test_equal_requests_get_one_anothers_answers_each_once(tmp_path: Path):
    """Also where the API refused one of them, or would have."""
    step = [user("a"), calls(call("f", signature=SIGNATURE)), results(result("f", {}))]
    unsigned = [user("a"), calls(call("f")), results(result("f", {}))]
    recorded = [
        *(exchange([user("same")], model_text(str(at))) for at in range(3)),
        exchange([user("busy")], unary({}, 503)),
        exchange([user("busy")], model_text("done")),
        exchange(unsigned, unary({"error": {"code": 400}}, 400)),
        exchange(step, model_text("done")),
    ]
    path = cassette_of(tmp_path / "run.db", recorded)

    assert [problems(path, seed) for seed in range(10)] == [[]] * 10


def test_what_would_change_the_answers_is_left_out(tmp_path: Path):
    path = cassette_of(
        tmp_path / "run.db", [exchange([user("busy")], unary({}, 503)), exchange([user("busy")])]
    )

    assert problems(
        path,
        repeat=Repeat.LAST,
        collapse_retries=True,
        faults=(Fault(status=503),),
        delivery=Delivery(Chunks.HOSTILE, pace=100),
    ) == []  # fmt: skip


def test_answers_that_change_hands_are_told(tmp_path: Path):
    """Two requests that matching takes for equal, though they are not."""
    recorded: list[Exchange] = [
        exchange([user(f"on 2026-11-{day}")], model_text(str(day))) for day in range(10, 16)
    ]
    path = cassette_of(tmp_path / "run.db", recorded)

    assert problems(path) == []
    told = problems(path, matching=Matching(filters=("iso-date",)))
    assert told
    assert all(
        "when requests come in another order, its request gets the answer of " in words for words in told
    )
