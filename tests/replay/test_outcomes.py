"""What a test run says in the end of the requests of its tests."""

from __future__ import annotations

import json

import pytest

from gemtape.replay.outcomes import LIVE, NEW, RECORD, REPLAY, Outcome, counted, summary_lines

FINE = Outcome("test_a.py::test_fine", REPLAY, "cassettes/test_a/test_fine.db", exchanges=2, asked=2)
MISSED = Outcome(
    "test_a.py::test_missed",
    REPLAY,
    "cassettes/test_a/test_missed.db",
    exchanges=3,
    asked=2,
    missed=1,
    unused=(2, 3),
)


def test_outcome_travels_as_plain_values():
    """Through JSON, as reports of xdist's workers do."""
    assert Outcome.of(json.loads(json.dumps(MISSED.plain()))) == MISSED


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome("", REPLAY), "0 requests"),
        (Outcome("", REPLAY, asked=1, missed=1), "1 request, 1 miss"),
        (Outcome("", REPLAY, asked=2, suppressed=4), "2 requests, 4 suppressed"),
        (
            Outcome("", REPLAY, asked=9, repeated=2, missed=2, refused=1, errors=1, warnings=3),
            "9 requests, 2 answered by repeating an exchange, 2 misses, 1 refused as the API would, 1 error, 3 warnings",
        ),
    ],
)
def test_counts_in_words(outcome: Outcome, words: str):
    assert counted(outcome) == words


def test_nothing_to_say_of_no_test():
    assert list(summary_lines([])) == []


def test_only_tests_in_trouble_are_named():
    assert list(summary_lines([FINE, MISSED])) == [
        "2 tests replayed: 4 requests, 1 miss",
        "test_a.py::test_missed: 2 requests, 1 miss",
        "cassettes/test_a/test_missed.db: 2 of 3 exchanges unused: 2-3",
    ]


def test_every_test_is_named_on_request():
    assert "test_a.py::test_fine: 2 requests" in list(summary_lines([FINE, MISSED], verbose=True))


@pytest.mark.parametrize("count", ["refused", "errors"])
def test_refusals_and_errors_are_trouble(count: str):
    [_, line] = summary_lines([Outcome("test_x", REPLAY, asked=1, **{count: 1})])

    assert line.startswith("test_x: 1 request, 1 ")


def test_test_that_asked_nothing_of_its_cassette_is_named():
    silent = Outcome("test_x", REPLAY, "x.db", exchanges=1, unused=(1,))

    assert list(summary_lines([silent, Outcome("test_y", REPLAY, "y.db")])) == [
        "2 tests replayed: 0 requests",
        "test_x: no request came to gemtape; was the client made before the test began?",
        "x.db: 1 of 1 exchange unused: 1",
    ]


def test_exchange_of_a_shared_cassette_is_used_if_any_test_asked_for_it():
    shared = [
        Outcome(f"test_{n}", REPLAY, "shared.db", exchanges=4, asked=2, unused=unused)
        for n, unused in enumerate([(3, 4), (1, 3), (3,)])
    ]

    assert list(summary_lines(shared))[1:] == ["shared.db: 1 of 4 exchanges unused: 3"]


def test_recordings():
    assert list(
        summary_lines(
            [
                Outcome("test_x", RECORD, "x.db", exchanges=1, kept=True),
                Outcome("test_y", RECORD, "y.db", kept=True),
                Outcome("test_z", RECORD, "z.db"),
            ]
        )
    ) == [
        "recorded x.db: 1 exchange",
        "recorded y.db: nothing, since no request of test_y came to gemtape",
        "not recorded, since it did not pass: test_z",
    ]


def test_runs_that_replay_and_record():
    mixed = [
        Outcome("test_x", NEW, "x.db", exchanges=2, asked=2, unused=(2,), kept=True),
        Outcome("test_y", NEW, "y.db", asked=3, recorded=2, kept=True),
        Outcome("test_z", NEW, "z.db", asked=2, recorded=1, missed=1),
    ]
    assert list(summary_lines(mixed)) == [
        "3 tests replayed as far as recorded: 7 requests, 1 miss, 3 sent and recorded",
        "test_z: 2 requests, 1 miss, 1 sent and recorded",
        "recorded y.db: 2 more exchanges",
        "not recorded, since it did not pass: test_z",
        "x.db: 1 of 2 exchanges unused: 2",
    ]


def test_live_calls():
    assert list(summary_lines([Outcome("test_x", LIVE), Outcome("test_y", LIVE)])) == [
        "2 tests called the live API; nothing was recorded"
    ]
