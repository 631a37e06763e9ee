"""Which exchange answers: queues by match key and session."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import pytest

from gemtape.cassettes.lookup import Lookup, Repeat, Taken
from gemtape.cassettes.matchform import match_key
from gemtape.cassettes.models import Exchange, Failure
from gemtape.cassettes.store import Cassette
from tests.factories import cassette_of, exchange, model_text, unary, user

SAME = [exchange([user("same")], model_text(f"answer {number}")) for number in range(3)]
OTHER = exchange([user("other")], model_text("other"))


@pytest.fixture
def cassette(tmp_path: Path):
    """Exchanges 1, 3 and 4 are equal requests; 2 is another one."""
    path = cassette_of(tmp_path / "run.db", [SAME[0], OTHER, SAME[1], SAME[2]])
    with Cassette.read(path) as opened:
        yield opened


def key_of(cassette: Cassette, item) -> bytes:
    return match_key(cassette.request_entry(item.request))


def numbers(lookup: Lookup, key: bytes, times: int, session: str = "") -> list[int | None]:
    taken = [lookup.take(key, session) for _ in range(times)]
    return [item.number if item else None for item in taken]


@pytest.mark.parametrize(
    ("repeat", "served"),
    [
        (Repeat.LAST, [1, 3, 4, 4, 4, 4, 4]),
        (Repeat.CYCLE, [1, 3, 4, 1, 3, 4, 1]),
        (Repeat.ONCE, [1, 3, 4, None, None, None, None]),
    ],
)
def test_equal_requests_are_served_in_recorded_order(cassette: Cassette, repeat: Repeat, served: list):
    lookup = Lookup(cassette, repeat)

    assert numbers(lookup, key_of(cassette, SAME[0]), 7) == served


def test_a_repetition_is_said_to_be_one(cassette: Cassette):
    lookup = Lookup(cassette)
    key = key_of(cassette, OTHER)

    assert [lookup.take(key), lookup.take(key)] == [Taken(2, False), Taken(2, True)]


def test_request_that_was_not_recorded_gets_nothing(cassette: Cassette):
    lookup = Lookup(cassette)

    assert lookup.take(key_of(cassette, exchange([user("never")]))) is None


def test_sessions_have_queues_of_their_own(cassette: Cassette):
    lookup = Lookup(cassette)
    key = key_of(cassette, SAME[0])

    assert numbers(lookup, key, 2, "a") == [1, 3]
    assert numbers(lookup, key, 2, "b") == [1, 3]
    assert numbers(lookup, key, 1, "a") == [4]


def test_reset_rewinds_one_session(cassette: Cassette):
    lookup = Lookup(cassette)
    key = key_of(cassette, SAME[0])
    numbers(lookup, key, 2, "a")
    numbers(lookup, key, 2, "b")

    lookup.reset("a")

    assert numbers(lookup, key, 1, "a") == [1]
    assert numbers(lookup, key, 1, "b") == [4]
    assert lookup.counts("a").unused == (2, 3, 4)


def test_counts_tell_served_repeated_and_unused(cassette: Cassette):
    lookup = Lookup(cassette)
    numbers(lookup, key_of(cassette, OTHER), 3, "a")
    numbers(lookup, key_of(cassette, SAME[0]), 1, "b")

    counts = lookup.counts("a")

    assert (counts.served, counts.repeated, counts.unused) == (1, 2, (1, 3, 4))
    assert lookup.counts("never").unused == (1, 2, 3, 4)
    assert lookup.unused() == (3, 4), "in no session"


def test_exchange_that_may_not_answer_stays_in_its_queue(cassette: Cassette):
    lookup = Lookup(cassette)
    key = key_of(cassette, SAME[0])

    assert lookup.take(key, accepts=lambda number: number == 3) == Taken(3, False)
    assert lookup.take(key, accepts=lambda number: number == 3) == Taken(3, True)
    assert lookup.take(key, accepts=lambda number: number > 4) is None
    assert numbers(lookup, key, 3) == [1, 4, 4]


def test_what_is_not_accepted_is_not_repeated_either(cassette: Cassette):
    lookup = Lookup(cassette, Repeat.CYCLE)
    key = key_of(cassette, SAME[0])
    numbers(lookup, key, 3)

    assert [lookup.take(key, accepts=lambda number: number != 1) for _ in range(3)] == [
        Taken(3, True),
        Taken(4, True),
        Taken(3, True),
    ]


def test_used_is_told_by_session(cassette: Cassette):
    lookup = Lookup(cassette)
    numbers(lookup, key_of(cassette, OTHER), 1, "a")

    assert (lookup.used(2, "a"), lookup.used(2, "b"), lookup.used(1, "a")) == (True, False, False)


def test_entries_at_hand_are_the_recorded_ones(cassette: Cassette):
    lookup = Lookup(cassette)

    assert lookup.entry(2) is lookup.entry(2)
    assert lookup.entry(2).response == OTHER.response


def test_concurrent_equal_requests_get_each_recorded_answer_once(tmp_path: Path):
    """64 threads at once; nothing is served twice and nothing is left."""
    count = 64
    path = cassette_of(tmp_path / "run.db", [exchange([user("same")], model_text("x"))] * count)
    with Cassette.read(path) as cassette:
        lookup = Lookup(cassette, Repeat.ONCE)
        key = key_of(cassette, exchange([user("same")]))
        barrier = threading.Barrier(count)
        served: list[int] = []

        def ask() -> None:
            barrier.wait()
            taken = lookup.take(key)
            assert taken
            served.append(lookup.entry(taken.number).number)

        threads = [threading.Thread(target=ask) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert Counter(served) == Counter(range(1, count + 1))


def test_queues_outlive_the_cassette_they_were_read_from(cassette: Cassette):
    lookup = Lookup(cassette)
    key = key_of(cassette, SAME[0])
    numbers(lookup, key, 1)
    cassette.close()

    with Cassette.read(cassette.path) as again:
        lookup.cassette = again

        assert numbers(lookup, key, 2) == [3, 4]
        assert numbers(lookup, key_of(again, OTHER), 1) == [2]


def _statuses(*statuses: int) -> list[Exchange]:
    return [
        exchange([user("a")], model_text(str(status)) if status == 200 else unary({}, status), at=at)
        for at, status in enumerate(statuses)
    ]


@pytest.mark.parametrize(
    ("statuses", "served", "unused"),
    [
        ((503, 429, 200), [3], ()),
        ((503, 200, 503), [2, 3], ()),
        ((503, 503), [1, 2], ()),
        ((400, 200), [1, 2], ()),
        ((200, 500, 200), [1, 3], ()),
    ],
)
def test_failures_that_were_asked_again_with_success_can_be_left_out(
    tmp_path: Path, statuses: tuple[int, ...], served: list[int], unused: tuple[int, ...]
):
    """And do not count as unused then. Without that, all are served in recorded order."""
    path = cassette_of(tmp_path / "retried.db", _statuses(*statuses))
    with Cassette.read(path) as cassette:
        key = cassette.key(cassette.entry(1))
        plain = Lookup(cassette, Repeat.ONCE)
        assert _all_taken(plain, key) == list(range(1, len(statuses) + 1))
        collapsing = Lookup(cassette, Repeat.ONCE, collapse_retries=True)

        assert _all_taken(collapsing, key) == served
        assert collapsing.unused() == collapsing.counts().unused == unused


def test_connections_that_failed_are_left_out_like_errors(tmp_path: Path):
    (good,) = _statuses(200)
    lost = [
        Exchange(good.request, None, failure)
        for failure in (Failure.REFUSED, Failure.TIMEOUT, Failure.CLIENT_GONE)
    ]
    path = cassette_of(tmp_path / "retried.db", [*lost, good])
    with Cassette.read(path) as cassette:
        collapsing = Lookup(cassette, Repeat.ONCE, collapse_retries=True)

        assert _all_taken(collapsing, cassette.key(cassette.entry(1))) == [3, 4]


def _all_taken(lookup: Lookup, key: bytes) -> list[int]:
    return [taken.number for taken in iter(lambda: lookup.take(key), None)]


def test_what_is_recorded_later_does_not_answer_where_the_last_is_named(tmp_path: Path):
    """A cassette that is recorded into meanwhile answers from what it held when that began."""
    with Cassette.append_to(cassette_of(tmp_path / "run.db", [SAME[0], OTHER])) as cassette:
        lookup = Lookup(cassette, last=len(cassette))
        for item in (SAME[1], exchange([user("new")], model_text("answer"))):
            cassette.add(item)
        new = key_of(cassette, exchange([user("new")]))

        assert numbers(lookup, key_of(cassette, SAME[0]), 2) == [1, 1]
        assert numbers(lookup, new, 1) == [None]
        assert lookup.recorded(new) == []
        assert lookup.near(cassette.request_entry(OTHER.request)) == [1, 2]
        assert [entry.number for entry in lookup.entries()] == [1, 2]
        assert lookup.exchanges == 2
