"""A Master that looks up once which addon has which hook.

mitmproxy's own walks all addons, with `getattr` inside a context manager, at each of the eight events of an exchange: a
fifth of the proxy's time.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any

from mitmproxy import exceptions, hooks, options
from mitmproxy.addonmanager import AddonManager
from mitmproxy.master import Master

logger = logging.getLogger(__name__)


class HookTable(AddonManager):
    """mitmproxy's addon manager for addons that are all added before the run and neither change nor nest."""

    def __init__(self, master: Master) -> None:
        super().__init__(master)
        self._table: dict[str, list[Callable[..., Any]]] = {}

    def register(self, addon: Any) -> Any:
        """Add an addon."""
        self._table.clear()
        return super().register(addon)

    def remove(self, addon: Any) -> None:
        """Remove an addon."""
        self._table.clear()
        super().remove(addon)

    async def trigger_event(self, event: hooks.Hook) -> None:
        """Run the hooks of an event in the order of the addons; one that raises is logged, and the others still run."""
        handlers = self._table.get(event.name)
        if handlers is None:
            handlers = [function for addon in self.chain for _, function in self._iter_hooks(addon, event)]
            self._table[event.name] = handlers
        if not handlers:
            return
        arguments = event.args()
        for handler in handlers:
            try:
                result = handler(*arguments)
                if result is not None and inspect.isawaitable(result):
                    await result
            except exceptions.AddonHalt:
                return
            except exceptions.OptionsError:
                raise
            except Exception:
                logger.exception("error in the hook %s", event.name)


class QuickMaster(Master):
    """A Master with a `HookTable`."""

    def __init__(self, opts: options.Options) -> None:
        super().__init__(opts)
        self.addons = HookTable(self)
