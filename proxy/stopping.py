"""Ending a run: mitmproxy by itself leaves both its port and open streams as they are."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Sized
from typing import Final

from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.proxy.server import ConnectionHandler

_WITHIN_S: Final = 5.0
"""How long connections that were cut may take to run their hooks."""
_QUIET_ROUNDS: Final = 5
"""Turns of the event loop without an open connection after which none is to come."""


async def stop(server: Proxyserver, pending: Sized) -> None:
    """Close the listeners and cut every connection; open exchanges get their `error` hook before this returns.

    Args:
        server: mitmproxy's addon of that name.
        pending: what still waits for a hook; empty when all have run.
    """
    await _stop_accepting(server)
    await server.servers.update([])
    seen: dict[object, ConnectionHandler] = {}
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_WITHIN_S):
            await _cut_all(server, pending, seen)
    _close_what_is_left(seen.values())


async def _stop_accepting(server: Proxyserver) -> None:
    """Let connections that were just accepted become connections; asyncio drops and leaks them if it closes first."""
    loop = asyncio.get_running_loop()
    for instance in server.servers:
        for listener in getattr(instance, "_servers", ()):
            for listening in getattr(listener, "sockets", ()):
                loop.remove_reader(listening)
    for _ in range(_QUIET_ROUNDS):
        await asyncio.sleep(0)


async def _cut_all(server: Proxyserver, pending: Sized, seen: dict[object, ConnectionHandler]) -> None:
    cut: set[object] = set()
    quiet = 0
    # What was accepted last is not in the table yet, and what leaves it still has hooks and a socket to finish with.
    while quiet < _QUIET_ROUNDS:
        for key, handler in list(server.connections.items()):
            seen[key] = handler
            client = handler.transports.get(handler.client)
            if key not in cut and client and client.handler:
                cut.add(key)
                if not client.handler.cancelling():  # else it is ending already
                    await handler.on_timeout()
        busy = bool(server.connections or len(pending))
        quiet = 0 if busy else quiet + 1
        await asyncio.sleep(0.005 if busy else 0)


def _close_what_is_left(handlers: Iterable[ConnectionHandler]) -> None:
    """Close the sockets that mitmproxy forgets where a connection is cut a second time while it ends."""
    for handler in handlers:
        for transport in handler.transports.values():
            if transport.writer and not transport.writer.is_closing():
                transport.writer.close()
