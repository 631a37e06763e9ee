"""The table of hooks behaves as mitmproxy's own addon manager, only quicker."""

from __future__ import annotations

import asyncio
import logging

from mitmproxy import exceptions, hooks, options

from gemtape.proxy.hooks import HookTable, QuickMaster


class First:
    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def running(self) -> None:
        self.seen.append("first")

    def done(self) -> None:
        raise exceptions.AddonHalt


class Broken:
    def running(self) -> None:
        raise ValueError("broken")


class Last:
    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    async def running(self) -> None:
        await asyncio.sleep(0)
        self.seen.append("last")

    def done(self) -> None:
        self.seen.append("done")


def run(*steps) -> None:
    async def main() -> None:
        master = QuickMaster(options.Options())
        assert isinstance(master.addons, HookTable)
        for step in steps:
            result = step(master.addons)
            if result is not None:
                await result

    asyncio.run(main())


def trigger(event: hooks.Hook):
    return lambda addons: addons.trigger_event(event)


def test_hooks_run_in_order_and_one_that_raises_stops_none(caplog):
    seen: list[str] = []
    with caplog.at_level(logging.ERROR, "gemtape"):
        run(lambda addons: addons.add(First(seen), Broken(), Last(seen)), trigger(hooks.RunningHook()))

    assert seen == ["first", "last"]
    assert "error in the hook running" in caplog.text
    assert "ValueError: broken" in caplog.text


def test_halt_keeps_an_event_from_the_rest():
    seen: list[str] = []
    run(lambda addons: addons.add(First(seen), Last(seen)), trigger(hooks.DoneHook()))

    assert seen == []


def test_addon_added_or_removed_later_counts():
    seen: list[str] = []
    last = Last(seen)
    run(
        lambda addons: addons.add(First(seen)),
        trigger(hooks.RunningHook()),
        lambda addons: addons.add(last),
        trigger(hooks.RunningHook()),
        lambda addons: addons.remove(last),
        trigger(hooks.RunningHook()),
    )

    assert seen == ["first", "first", "last", "done", "first"]
