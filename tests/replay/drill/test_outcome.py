"""The names of outcomes, which JSON shows."""

from __future__ import annotations

from gemtape.replay.drill.outcome import Outcome


def test_names():
    assert list(Outcome) == ["right", "wrong", "rejected", "text", "crashed", "unknown"]
