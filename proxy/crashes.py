"""Closing connections on which mitmproxy itself failed: it logs that and stalls, and the client would wait for ever.

HTTP/1 trailers, from either side, are what does it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mitmproxy.addons.proxyserver import Proxyserver

_LOGGER: Final = "mitmproxy.proxy.server"
_WORDS: Final = "mitmproxy has crashed"


class CloseCrashed(logging.Handler):
    """Closes the client's connection, which is all that a crash is known by."""

    def __init__(self, server: Proxyserver, lost: Callable[[object], None]) -> None:
        super().__init__(logging.ERROR)
        self._server = server
        self._lost = lost
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        """Close soon: the connection is in the middle of handling an event."""
        if record.getMessage().startswith(_WORDS):
            self._loop.call_soon(self._close, getattr(record, "client", None))

    def _close(self, peer: object) -> None:
        for handler in list(self._server.connections.values()):
            if handler.client.peername == peer:
                for transport in list(handler.transports.values()):
                    if transport.handler is not None:
                        transport.handler.cancel(_WORDS)
        self._lost(peer)


def install(server: Proxyserver, lost: Callable[[object], None]) -> Callable[[], None]:
    """Watch for crashes from now on, on the proxy's event loop.

    Args:
        server: mitmproxy's addon of that name.
        lost: told the client's address; its requests may get no more hooks.

    Returns:
        What ends it.
    """
    handler = CloseCrashed(server, lost)
    logger = logging.getLogger(_LOGGER)
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)
