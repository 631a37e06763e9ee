"""Where a conversation ends up."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """How a run ends."""

    RIGHT = "right"
    WRONG = "wrong"
    """A plausible answer from a call that the declaration rules out."""
    REJECTED = "rejected"
    """No answer, and everybody knows."""
    TEXT = "text"
    """An answer in words, without a call."""
    CRASHED = "crashed"
    """The application did not go on."""
    UNKNOWN = "unknown"
    """The call ran, and nobody can tell with which arguments."""
