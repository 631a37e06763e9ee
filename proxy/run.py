"""Running the proxy: our own Master with only the addons that are needed, from listening to the last commit."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mitmproxy.certs import CertStore
from mitmproxy.master import Master
from mitmproxy.proxy.mode_servers import ServerInstance

from ..cassettes.errors import SetupError
from .addon import Addon, proxyserver
from .door import Door
from .forward import Forward, ForwardDoor, ForwardHooks, is_news
from .lines import LogToLines
from .master import make_master
from .parents import Parents
from .recorder import Recorder, Say
from .routing import Router
from .signals import Signals
from .surroundings import raise_file_limit, trusted_authorities
from .tape import Recorded
from .tapes import Tapes
from .timeouts import Timeouts

_LOGGERS: Final = ("mitmproxy", "gemtape")
_BACKLOG: Final = 2048
"""Clients that may knock at once; asyncio lets 100 wait, and the system turns others away before we know of them."""


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
    forward: Forward | None = None
    """Makes it a forward proxy."""


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
        environ: names the certificate authorities to trust, as OpenSSL and requests read them, and the user's proxies.

    Returns:
        What was recorded.

    Raises:
        SetupError: the address cannot be listened on, the environment names certificates that are not there or a proxy
            that cannot be gone through, or the authority of a forward proxy cannot be used.
        CassetteError: the cassette exists already or cannot be written.
    """
    trust = trusted_authorities(environ)
    parents = Parents(environ)
    usual = listener.router.usual
    parents.of(usual.scheme, usual.host, usual.port)  # raises now what it would at every request
    authority = listener.forward.authority.load() if listener.forward else None
    with Signals() as signals:  # from before the first file is made
        try:
            if note := tapes.prepare():
                say(note)
            raise_file_limit()
            recorder = Recorder(tapes, say, only_success=only_success)
            asyncio.run(_serve(listener, recorder, parents, ready, signals, trust=trust, authority=authority))
        finally:
            recorded = tapes.finish()
    return recorded


def base_url(host: str, port: int) -> str:
    """The address that clients use; a listener on all interfaces is reached by loopback."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - recognised, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


class Start:
    """Tells a listener that works from one that does not, and ends the run when it is told to."""

    def __init__(self, listener: Listener, door: Door, ready: Ready | None, say: Say) -> None:
        self.problem: Exception | None = None
        self._listener = listener
        self._door = door
        self._ready = ready
        self._say = say
        self._log = LogToLines(say)
        if listener.forward:
            self._log.addFilter(is_news)
        self._stopping = False
        self._up = False
        """Whether mitmproxy runs, and can be told to end."""
        self.master: Master | None = None

    def running(self) -> None:
        """End the run where it cannot go on; mitmproxy logs what a hook raises and runs on, without a listener too."""
        self._up = True
        try:
            if not self._stopping:
                self._begin()
        except Exception as error:  # noqa: BLE001 - raised again when the run has ended
            self.problem = error
        if self.problem or self._stopping:
            self.stop()

    def _begin(self) -> None:
        instance = next(iter(proxyserver().servers))
        if not instance.is_running or not instance.listen_addrs:
            raise _listen_problem(self._listener, instance.last_exception)
        host, port = instance.listen_addrs[0][:2]
        _let_more_wait(instance)
        for note in self._door.open((self._listener.host, port)):
            self._say(note)
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self._log)
        # What is loaded by now stays: it need not be walked in every collection.
        gc.collect()
        gc.freeze()
        if self._ready:
            self._ready(Running(base_url(host, port), self.stop))

    def stop(self) -> None:
        """End the run; before mitmproxy runs, a shutdown is lost or leaves listeners open, so this one is remembered."""
        self._stopping = True
        if self.master and self._up:
            with contextlib.suppress(RuntimeError):  # it has ended already
                self.master.shutdown()

    def end(self) -> None:
        """Undo what `running` did to the process."""
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self._log)
        gc.unfreeze()


async def _serve(
    listener: Listener,
    recorder: Recorder,
    parents: Parents,
    ready: Ready | None,
    signals: Signals,
    *,
    trust: dict[str, str],
    authority: CertStore | None,
) -> None:
    door, addons = _addons(listener, recorder, parents)
    start = Start(listener, door, ready, recorder.say)
    start.master = master = make_master(
        (listener.host, listener.port),
        (*addons, start),
        authority=authority,
        timeouts=listener.timeouts,
        trust=trust,
    )
    signals.hand_over(start.stop)
    try:
        await master.run()
    finally:
        start.end()
    if start.problem:
        raise start.problem


def _addons(listener: Listener, recorder: Recorder, parents: Parents) -> tuple[Door, list[object]]:
    if listener.forward is None:
        door = Door(listener.router, parents)
        return door, [Addon(recorder, door, listener.timeouts)]
    door = ForwardDoor(listener.router, parents)
    addon = Addon(recorder, door, listener.timeouts)
    return door, [ForwardHooks(addon, door, listener.forward), addon]


def _let_more_wait(instance: ServerInstance[Any]) -> None:
    """Listen again on the same sockets, with a longer queue: mitmproxy leaves its length to asyncio."""
    for server in getattr(instance, "_servers", ()):
        for listening in getattr(server, "sockets", ()):
            with contextlib.suppress(OSError), socket.socket(fileno=os.dup(listening.fileno())) as same:
                same.listen(_BACKLOG)


def _listen_problem(listener: Listener, error: Exception | None) -> SetupError:
    where = f"{listener.host}:{listener.port}"
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return SetupError(f"{where} is in use: another gemtape may run there; choose another with --port")
    code = error.errno or 0 if isinstance(error, OSError) else 0
    reason = os.strerror(code) if code > 0 else error
    return SetupError(f"cannot listen on {where}: {reason}")
