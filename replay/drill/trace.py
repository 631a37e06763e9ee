"""What happened in a run, event by event, with times to play it by: step, restart, scrub."""

from __future__ import annotations

from typing import Any, Final

INSPECTION_S: Final = 60.0
"""Seconds that a run takes to look at, however long it took to happen."""


class Trace:
    """The events of one run, in order."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []

    def add(self, kind: str, text: str, **facts: Any) -> None:
        """Note an event: its kind, a sentence for people, and facts for programs."""
        self._events.append({"kind": kind, "text": text, **facts})

    def events(self) -> list[dict[str, Any]]:
        """All events; each has its `step` from 1 and `at_s`, where it stands in the inspection seconds."""
        gaps = max(len(self._events) - 1, 1)
        return [
            {"step": at + 1, "at_s": round(INSPECTION_S * at / gaps, 3), **event}
            for at, event in enumerate(self._events)
        ]
