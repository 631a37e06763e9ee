"""Running the proxy: our own Master with only the addons that are needed, from listening to the last commit."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
import os
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mitmproxy import http, options
from mitmproxy.addons import next_layer, tlsconfig
from mitmproxy.addons import proxyserver as proxyserver_addon
from mitmproxy.master import Master
from mitmproxy.proxy import server

from ..cassettes.errors import SetupError
from .addon import Addon, proxyserver
from .hooks import QuickMaster
from .lines import LogToLines
from .recorder import Recorder, Say
from .routing import Router
from .surroundings import raise_file_limit, trusted_authorities
from .tape import Recorded
from .tapes import Tapes
from .timeouts import Timeouts

UNROUTED: Final = "reverse:http://unrouted.invalid:80"
"""The listener's own target: where a request goes that nobody routed."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_LOGGERS: Final = ("mitmproxy", "gemtape")


@dataclass(frozen=True, slots=True)
class Running:
    """A proxy that is up: the base URL that clients use, and what ends the run, from any thread."""

    url: str
    stop: Callable[[], None]


Ready = Callable[[Running], None]
"""Told once requests can come."""


@dataclass(frozen=True)
class Listener:
    """Where the proxy listens (port 0 takes a free one), where it sends what comes, and how long that may take."""

    host: str = "127.0.0.1"
    port: int = 8090
    router: Router = field(default_factory=Router)
    timeouts: Timeouts = field(default_factory=Timeouts)


def serve(
    listener: Listener,
    tapes: Tapes,
    say: Say,
    *,
    only_success: bool = False,
    ready: Ready | None = None,
    environ: Mapping[str, str] = os.environ,
) -> list[Recorded]:
    """Record until SIGINT or SIGTERM; one proxy a process at a time.

    Args:
        listener: addresses and limits.
        tapes: where to record.
        say: shows a line, such as the one about each exchange.
        only_success: leave out answers that are not 2xx, and those that broke off.
        ready: told once requests can come; it runs on the proxy's loop, so it must not wait.
        environ: names the certificate authorities to trust, as OpenSSL and requests read them.

    Returns:
        What was recorded.

    Raises:
        SetupError: the address cannot be listened on, or the environment names certificates that are not there.
        CassetteError: the cassette exists already or cannot be written.
    """
    trust = trusted_authorities(environ)
    if note := tapes.prepare():
        say(note)
    raise_file_limit()
    try:
        asyncio.run(_serve(listener, Recorder(tapes, say, only_success=only_success), trust, ready))
    finally:
        recorded = tapes.finish()
    return recorded


def base_url(host: str, port: int) -> str:
    """The address that clients use; a listener on all interfaces is reached by loopback."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognised, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


class QuietTlsConfig(tlsconfig.TlsConfig):
    """Verifies the upstream's certificate, and makes no certificate authority in the user's home."""

    name = "tlsconfig"

    def running(self) -> None:
        """Do not read or make the files of an authority."""

    def request(self, flow: http.HTTPFlow) -> None:
        """Do not answer for the authority's revocation list (mitmproxy 12 does)."""


class Start:
    """Tells a listener that works from one that does not, and ends the run when it is told to."""

    def __init__(self, listener: Listener, ready: Ready | None, log: logging.Handler) -> None:
        self.problem: Exception | None = None
        self._listener = listener
        self._ready = ready
        self._log = log
        self._stopping = False
        self.master: Master | None = None

    def running(self) -> None:
        """End the run where it cannot go on; mitmproxy logs what a hook raises and runs on, without a listener too."""
        try:
            self._begin()
        except Exception as error:  # noqa: BLE001 - raised again when the run has ended
            self.problem = error
        if self.problem or self._stopping:
            self.stop()

    def _begin(self) -> None:
        instance = next(iter(proxyserver().servers))
        if not instance.is_running or not instance.listen_addrs:
            raise _listen_problem(self._listener, instance.last_exception)
        if self._leads_here(instance.listen_addrs[0][1]):
            raise SetupError(f"the upstream {self._listener.router} is this proxy itself")
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self._log)
        # What is loaded by now stays: it need not be walked in every collection.
        gc.collect()
        gc.freeze()
        if self._ready:
            host, port = instance.listen_addrs[0][:2]
            self._ready(Running(base_url(host, port), self.stop))

    def stop(self) -> None:
        """End the run; mitmproxy loses a shutdown that comes before it runs, so this one is remembered."""
        self._stopping = True
        if self.master:
            with contextlib.suppress(RuntimeError):  # it has ended already
                self.master.shutdown()

    def end(self) -> None:
        """Undo what `running` did to the process."""
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self._log)
        gc.unfreeze()

    def _leads_here(self, port: int) -> bool:
        return any(
            self._listener.router.allows(host, port)
            for host in (self._listener.host, "localhost", "127.0.0.1", "::1")
        )


async def _serve(listener: Listener, recorder: Recorder, trust: dict[str, str], ready: Ready | None) -> None:
    start = Start(listener, ready, LogToLines(recorder.say))
    addon = Addon(recorder, listener.router, listener.timeouts)
    start.master = _make_master(listener, trust, addon, start)
    loop = asyncio.get_running_loop()
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            with contextlib.suppress(
                NotImplementedError
            ):  # Windows: Ctrl-C cancels the run, with the same end
                loop.add_signal_handler(number, start.stop)
    try:
        await start.master.run()
    finally:
        start.end()
    if start.problem:
        raise start.problem


def _make_master(listener: Listener, trust: dict[str, str], addon: Addon, start: Start) -> Master:
    opts = options.Options(listen_host=listener.host, listen_port=listener.port)
    master = QuickMaster(opts)
    # Ours stands before the others: they skip work that is already done.
    master.addons.add(addon, start, proxyserver_addon.Proxyserver(), next_layer.NextLayer(), QuietTlsConfig())
    opts.update(
        mode=[UNROUTED],
        connection_strategy="lazy",  # eager connects before it has read a request, and its failure has no hook
        keep_host_header=True,
        rawtcp=False,
        http2=False,
        **trust,
    )
    set_patience(opts, listener.timeouts)
    return master


def set_patience(opts: options.Options, timeouts: Timeouts) -> None:
    """Keep mitmproxy from closing a client that waits: 600 seconds by itself, and without a word to it."""
    patience = int(timeouts.longest * 2) + 60
    if "tcp_timeout" in opts:
        opts.update(tcp_timeout=patience)
    else:
        server.TCP_TIMEOUT = patience


def _listen_problem(listener: Listener, error: Exception | None) -> SetupError:
    where = f"{listener.host}:{listener.port}"
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return SetupError(f"{where} is in use: another gemtape may run there; choose another with --port")
    code = error.errno or 0 if isinstance(error, OSError) else 0
    reason = os.strerror(code) if code > 0 else error
    return SetupError(f"cannot listen on {where}: {reason}")
