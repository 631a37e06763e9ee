"""Which conversation of a recording each of its exchanges belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.replay.drill.recording import Recording
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

QUESTION, CALL = user("Warm?"), calls(call("f", signature=SIGNATURE))


def asked(text: str, at: float) -> Exchange:
    return exchange([user(text)], model_text("Yes."), at=at)


def conversation(at: float, *, apart_s: float = 1.0, response: int = 24) -> list[Exchange]:
    history = [QUESTION, CALL, results(result("f", {"t": response}))]
    return [exchange(history[:1], CALL, at=at), exchange(history, model_text("Yes."), at=at + apart_s)]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (0, 2, 3, 1)])
@pytest.mark.parametrize("response", [24, 31])
def test_equal_conversations_share_what_goes_on_from_equal_answers(
    tmp_path: Path, order: tuple[int, ...], response: int
):
    """Though nothing says which belongs to which."""
    both = [*conversation(1.0), *conversation(1.0, response=response)]
    with Cassette.read(cassette_of(tmp_path / "run.db", [both[at] for at in order])) as cassette:
        before = Recording(cassette).before

    beginnings = {at for at, number in enumerate(order) if number % 2 == 0}
    assert {at for at, found in enumerate(before) if found is None} == beginnings
    assert set(before) == {None, *beginnings}


def test_a_request_that_was_tried_again_goes_on_from_the_same_answer(tmp_path: Path):
    first, last = conversation(1.0)
    busy = exchange([QUESTION, CALL, results(result("f", {"t": 24}))], unary({"error": {"code": 503}}, 503))
    with Cassette.read(cassette_of(tmp_path / "run.db", [first, busy, last])) as cassette:
        recording = Recording(cassette)

        assert (recording.before, recording.begins) == ([None, 0, 0], [0, 0, 0])
        assert recording.is_one


def test_agents_in_one_history_are_not_one(tmp_path: Path):
    first, last = conversation(1.0)
    other = exchange(
        last.request.json["contents"], model_text("Sum."), systemInstruction={"parts": [{"text": "Sum."}]}
    )
    with Cassette.read(cassette_of(tmp_path / "run.db", [first, last, other])) as cassette:
        recording = Recording(cassette)

        assert not any(recording.begins)
        assert not recording.is_one


@pytest.mark.parametrize(("at", "together"), [(1.5, True), (2.01, True), (3.0, False)])
def test_conversations_of_one_time(tmp_path: Path, at: float, together: bool):
    """Those that began before the other had ended."""
    exchanges = [*conversation(1.0), *conversation(at), asked("Else?", at)]
    with Cassette.read(cassette_of(tmp_path / "run.db", exchanges)) as cassette:
        recording = Recording(cassette)

        assert not recording.at_once(0, 1)
        assert recording.at_once(0, 2) is recording.at_once(3, 1) is together
        assert recording.at_once(0, 4) is together
        assert recording.twin(0) == (2 if together else None)
        assert recording.twin(2) == (0 if together else None)
        assert recording.twin(4) is None
