"""Times and steps of a trace."""

from __future__ import annotations

from gemtape.replay.drill.trace import Trace


def test_events_are_spread_over_the_inspection_time():
    trace = Trace()
    for text in "abcd":
        trace.add("note", text, fact=text.upper())

    assert [(event["step"], event["at_s"], event["text"], event["fact"]) for event in trace.events()] == [
        (1, 0, "a", "A"),
        (2, 20, "b", "B"),
        (3, 40, "c", "C"),
        (4, 60, "d", "D"),
    ]


def test_one_event_stands_at_the_beginning_and_no_event_is_nothing():
    trace = Trace()
    assert trace.events() == []

    trace.add("note", "alone")
    assert trace.events()[0]["at_s"] == 0
