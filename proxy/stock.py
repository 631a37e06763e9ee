"""The addon as stock mitmproxy loads it: settings come from mitmproxy's options, the upstream from its mode."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Final

from mitmproxy import addonmanager, connection, ctx, exceptions
from mitmproxy.proxy import mode_specs

from ..cassettes.errors import GemtapeError
from ..cassettes.naming import names_folder
from ..cassettes.redaction import Redactor
from ..checks.config import load_config
from ..checks.live import checked_by, judges
from .addon import Addon
from .choosing import choosers
from .door import Door
from .master import set_patience
from .recorder import Recorder
from .routing import Router, Upstream
from .tape import Existing
from .tapes import Tapes

logger = logging.getLogger(__name__)

_OPTIONS: Final = frozenset({"gemtape", "gemtape_existing", "gemtape_only_success"})


class StockAddon(Addon):
    """Records what reverse listeners of a stock mitmproxy pass on."""

    def __init__(self) -> None:
        super().__init__(Recorder(Tapes(Path(), folder=False), _say), StockDoor(Router()))
        self._set = False

    def load(self, loader: addonmanager.Loader) -> None:
        """Add our options, and set those of mitmproxy that recording needs."""
        loader.add_option(
            "gemtape", str, "", "Record into this cassette, or into this folder if it ends in a slash."
        )
        loader.add_option(
            "gemtape_existing",
            str,
            Existing.REFUSE.value,
            "What to do with a cassette that is there already.",
            [choice.value for choice in Existing],
        )
        loader.add_option("gemtape_only_success", bool, False, "Keep only answers with a 2xx status.")
        ctx.options.update(connection_strategy="lazy", keep_host_header=True)
        set_patience(ctx.options, self.timeouts)
        super().load(loader)

    def configure(self, updated: set[str]) -> None:
        """Open the cassette as soon as it is named."""
        if not updated & _OPTIONS or not ctx.options.gemtape:
            return
        if self._set:
            raise exceptions.OptionsError("gemtape: the cassette cannot be changed while mitmproxy runs")
        target, existing = ctx.options.gemtape, Existing(ctx.options.gemtape_existing)
        try:
            config = load_config()
            tapes = Tapes(
                Path(target),
                folder=names_folder(target),
                existing=existing,
                make_judge=judges(config),
                checked_by=checked_by(),
                redactor=Redactor(config.secrets),
                matching=config.matching,
                make_chooser=choosers(config),
            )
            if note := tapes.prepare():
                _say(note)
        except GemtapeError as error:
            raise exceptions.OptionsError(f"gemtape: {error}") from error
        # What is to be played from now on must not be an error that has passed.
        only_success = ctx.options.gemtape_only_success or existing is Existing.NEW
        self.recorder = Recorder(tapes, _say, only_success=only_success)
        self._set = True

    async def running(self) -> None:
        """Refuse to run where traffic would pass unrecorded; mitmproxy ends when an addon logs an error at its start."""
        if not self._set:
            logger.error("gemtape: name a cassette with --set gemtape=FILE")
        modes = map(mode_specs.ProxyMode.parse, ctx.options.mode)
        if not all(isinstance(mode, mode_specs.ReverseMode) for mode in modes):
            logger.error("gemtape: only reverse listeners are recorded: --mode reverse:https://HOST")
        await super().running()

    async def done(self) -> None:
        """Stop, and close the cassettes."""
        await super().done()
        for recorded in self.recorder.tapes.finish():
            replayed = f", {recorded.replayed} replayed" if recorded.replayed else ""
            if recorded.taken_out:
                _say(recorded.taken_out)
            _say(recorded.note or f"{recorded.path}: {recorded.exchanges} exchanges{replayed}")


class StockDoor(Door):
    """Reverse listeners, each with an upstream of its own; the user's proxies are left to mitmproxy's `upstream` mode."""

    def __init__(self, router: Router) -> None:
        super().__init__(router)
        self._routers: dict[str, Router] = {}

    def router_of(self, client: connection.Client) -> Router:
        """The target of the listener; where it is one of Google's hosts, whichever of them the path belongs to."""
        mode = client.proxy_mode
        if mode.full_spec not in self._routers:
            self._routers[mode.full_spec] = _router(mode)
        return self._routers[mode.full_spec]


def _router(mode: mode_specs.ProxyMode) -> Router:
    if not isinstance(mode, mode_specs.ReverseMode):
        return Router()
    host, port = mode.address[:2]
    if host.endswith(".googleapis.com"):
        return Router()
    return Router(Upstream("https" if mode.scheme == "https" else "http", host, port))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - mitmproxy's own log may be silenced
