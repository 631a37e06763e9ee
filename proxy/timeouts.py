"""How long an upstream may take; mitmproxy itself waits for ever.

A connection that is overdue is cut as if the upstream had closed it, so every hook runs that runs then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .recording import Recording, Stage

if TYPE_CHECKING:
    from mitmproxy.addons.proxyserver import Proxyserver


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. Generous: a thinking model may say nothing for many minutes."""

    connect: float = 30.0
    """Until a connection is there, TLS included."""
    first_byte: float = 1800.0
    """From then until the head of the answer."""
    idle: float = 900.0
    """Between two pieces of an answer."""

    def of(self, stage: Stage) -> float:
        """The limit of a stage."""
        return {
            Stage.CONNECTING: self.connect,
            Stage.WAITING: self.first_byte,
            Stage.RECEIVING: self.idle,
        }[stage]

    @property
    def longest(self) -> float:
        """The longest of them."""
        return max(self.connect, self.first_byte, self.idle)

    @property
    def pause(self) -> float:
        """How often to look."""
        return min(1.0, self.connect / 4, self.first_byte / 4, self.idle / 4)

    def words(self, stage: Stage) -> str:
        """What to tell the client whose exchange ran out of time."""
        what = {
            Stage.CONNECTING: "no connection to the upstream",
            Stage.WAITING: "no answer from the upstream",
            Stage.RECEIVING: "nothing more from the upstream",
        }[stage]
        return f"{what} within {self.of(stage):g} seconds"


async def watch(
    timeouts: Timeouts, recordings: Callable[[], Iterable[Recording]], server: Proxyserver
) -> None:
    """Cut the upstream connection of every exchange that is overdue; runs until it is cancelled."""
    while True:
        await asyncio.sleep(timeouts.pause)
        now = time.monotonic()
        for recording in list(recordings()):
            if not recording.timed_out and now - recording.active > timeouts.of(recording.stage):
                recording.timed_out = True
                _cut(recording, server, timeouts.words(recording.stage))


def _cut(recording: Recording, server: Proxyserver, reason: str) -> None:
    handler = server.connections.get(recording.flow.client_conn.id)
    if handler is None:
        return
    connection = recording.server or recording.flow.server_conn
    # A connection that leads through a proxy has no socket of its own, but a client's connection has one exchange at a
    # time, so whatever else it holds open serves this one.
    cut = [connection] if connection in handler.transports else handler.transports.keys() - {handler.client}
    for key in cut:
        if (task := handler.transports[key].handler) is not None:
            task.cancel(reason)
