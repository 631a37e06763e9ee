"""Signals that end a run, before there is a loop and once there is one."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from gemtape.proxy.signals import Signals


@pytest.fixture
def came() -> Iterator[list[int]]:
    """What reaches a handler that was there before."""
    found: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: found.append(number))
    yield found
    signal.signal(signal.SIGTERM, before)


def send() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


async def _stopped(signals: Signals, *, later: bool) -> None:
    """Returns once the loop was told to stop."""
    stopped = asyncio.Event()
    signals.hand_over(stopped.set)
    assert stopped.is_set() is not later
    if later:
        send()
    await asyncio.wait_for(stopped.wait(), 20)


def test_signal_from_before_the_loop_stops_it_at_once(came: list[int]):
    with Signals() as signals:
        send()
        asyncio.run(_stopped(signals, later=False))

    assert came == []


def test_signal_stops_the_loop_that_runs(came: list[int]):
    with Signals() as signals:
        asyncio.run(_stopped(signals, later=True))

    assert came == []


def test_signals_do_afterwards_what_they_did_before(came: list[int]):
    with Signals() as signals:
        asyncio.run(_stopped(signals, later=True))
    send()

    assert came == [signal.SIGTERM]


def test_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Signals():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_other_threads_take_no_signals(came: list[int]):
    async def hand_over(signals: Signals) -> None:
        signals.hand_over(lambda: came.append(0))

    def begin() -> None:
        with Signals() as signals:
            asyncio.run(hand_over(signals))
            send()

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join(20)

    assert came == [signal.SIGTERM]
