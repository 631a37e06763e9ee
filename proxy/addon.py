"""The mitmproxy addon: hooks that guard and delegate, in our own Master and in stock mitmproxy alike.

mitmproxy's hooks fail open: an exception in one is logged and the request goes on, unrecorded. So every hook that a
request passes ends in an answer of our own or a kill when something goes wrong, and the listener's own target is a dead
end until a request has been routed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Final

from mitmproxy import addonmanager, connection, ctx, http, tls
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.proxy import mode_specs, server_hooks

from ..cassettes import canonical
from ..cassettes.astray import without_api
from ..cassettes.errors import CassetteNameError
from ..cassettes.models import Failure
from ..cassettes.routes import parse_route, split_prefix
from . import crashes, errors, guard
from .errors import Refused
from .lines import printable
from .recorder import Recorder
from .recording import Recording, Stage, header_pairs
from .routing import Router
from .stopping import stop
from .tee import Tee, has_body, hold_limit, reframe
from .timeouts import Timeouts, watch

logger = logging.getLogger(__name__)

_LOWEST_FINAL: Final = 200


class Addon:
    """Routes, guards and records what passes one proxy."""

    name = "gemtape"

    def __init__(self, recorder: Recorder, router: Router, timeouts: Timeouts | None = None) -> None:
        self.recorder = recorder
        self._router = router
        self.timeouts = timeouts or Timeouts()
        self._open: dict[str, Recording] = {}
        self._watch: asyncio.Task[None] | None = None
        self._undo: Callable[[], None] = lambda: None
        self._unwatch: Callable[[], None] = lambda: None

    def router_of(self, _client: connection.Client) -> Router:
        """What chooses the upstream of requests that come in on this connection."""
        return self._router

    def load(self, loader: addonmanager.Loader) -> None:
        """Take over mitmproxy's error pages."""
        del loader
        self._undo = errors.install()

    async def running(self) -> None:
        """Begin to look after time-outs and crashes."""
        self._unwatch = crashes.install(proxyserver(), self._lose)
        self._watch = asyncio.create_task(watch(self.timeouts, self._open.values, proxyserver()))

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Refuse what is no request for the API, and send the rest where it belongs."""
        if flow.error or not _is_ours(flow.client_conn):
            return
        self.recorder.tapes.asked += 1
        with self._answering(flow):
            guard.check_head(flow.request, ctx.options.listen_host)
            self._route(flow)

    def request(self, flow: http.HTTPFlow) -> None:
        """Let a request go once its cassette can take it."""
        if flow.response or flow.error or not _is_ours(flow.client_conn):
            return
        with self._answering(flow):
            recording = self._open.get(flow.id)
            if recording is None:
                raise _unrouted(flow.request)
            recording.take_request(flow.request)
            self.recorder.admit(recording)

    def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Open no connection to anything but an upstream: the last belt, should routing go wrong."""
        host, port = (data.server.address or ("", 0))[:2]
        if _is_ours(data.client) and not self.router_of(data.client).allows(host, port):
            data.server.error = "gemtape opens no connection to this address"
        for recording in self._of_client(data.client.id, Stage.WAITING):
            recording.server = data.server
            recording.enter(Stage.CONNECTING)

    def server_connected(self, data: server_hooks.ServerConnectionHookData) -> None:
        """The wait for the answer begins, unless TLS comes first."""
        if not data.server.tls:
            self._connected(data.client.id)

    def tls_established_server(self, data: tls.TlsData) -> None:
        """The wait for the answer begins."""
        self._connected(data.context.client.id)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Put the tee between the answer and the client."""
        recording = self._open.get(flow.id)
        if recording is None or flow.response is None:
            return
        try:
            self._tee(recording, flow.request, flow.response)
        except Exception:
            logger.exception("gemtape could not take this answer")
            _kill(flow)

    def response(self, flow: http.HTTPFlow) -> None:
        """Commit a stream before its end goes out, and whatever had no body."""
        recording = self._open.pop(flow.id, None)
        if recording is not None:
            self._commit(recording)
            flow.request.data.content = None  # mitmproxy's cycles would keep it until a full collection

    def error(self, flow: http.HTTPFlow) -> None:
        """Commit what came before it broke off, and say why where the client still listens."""
        if flow.request.method == "CONNECT":
            errors.explain(400, guard.NO_FORWARD_PROXY)
        recording = self._open.pop(flow.id, None)
        if recording is None or flow.error is None:
            return
        failure = recording.failure(flow.error.msg)
        self.recorder.store(recording, failure)
        errors.explain(*self._explanation(recording, failure, flow.error.msg))
        flow.request.data.content = None

    async def done(self) -> None:
        """Stop: no new connections, open ones cut, their exchanges stored."""
        await stop(proxyserver(), self._open)
        if self._watch:
            self._watch.cancel()
        self._unwatch()
        self._undo()

    def _route(self, flow: http.HTTPFlow) -> None:
        request = flow.request
        path, _, query = request.path.partition("?")
        prefix, api_path = split_prefix(path)
        if api_path == "/":
            return  # refused when the body tells how it came here
        try:
            name = self.recorder.tapes.name(prefix)
        except CassetteNameError as error:
            raise Refused(400, str(error)) from error
        route = parse_route(api_path)
        upstream = self.router_of(flow.client_conn).upstream_of(api_path, route)
        self._open[flow.id] = Recording(
            flow, name, api_path, query, header_pairs(request.headers), str(upstream), route
        )
        guard.drop_hop_headers(request.headers)
        # In this order: each setter rewrites the Host header with what it knows by then.
        request.scheme = upstream.scheme
        request.host = upstream.host
        request.port = upstream.port
        request.headers["host"] = upstream.authority
        request.path = upstream.base + api_path + ("?" + query if query else "")

    def _tee(self, recording: Recording, request: http.Request, response: http.Response) -> None:
        recording.take_head(response)
        response.headers.pop("alt-svc", None)  # would lead clients around the proxy
        if response.status_code < _LOWEST_FINAL:
            # No upgrade was asked for, and mitmproxy takes an interim answer (100, 103) for the final one.
            _kill(recording.flow)
        elif has_body(request, response):
            hold = hold_limit(recording.route, response)
            reframe(request, response, held=hold > 0)
            response.stream = recording.tee = Tee(recording.clock, hold, lambda: self._commit(recording))

    def _commit(self, recording: Recording) -> bool:
        failure = Failure.TIMEOUT if recording.timed_out else None
        whole = self.recorder.store(recording, failure) and failure is None
        if not whole:
            _kill(recording.flow)
        return whole

    @contextlib.contextmanager
    def _answering(self, flow: http.HTTPFlow) -> Iterator[None]:
        """Turn whatever goes wrong into an answer of our own, so that the request goes nowhere."""
        try:
            yield
        except Refused as refusal:
            self._refuse(flow, refusal)
        except Exception:
            logger.exception("gemtape could not take this request")
            self._refuse(flow, Refused(500, "an error of gemtape itself; its log says more"))

    def _refuse(self, flow: http.HTTPFlow, refusal: Refused) -> None:
        self._open.pop(flow.id, None)
        flow.response = refusal.response()
        asked = printable(f"{flow.request.method} {flow.request.path.partition('?')[0]}")
        self.recorder.warn(f"REFUSED  {refusal.status}  {refusal.message}  ({asked})")

    def _explanation(self, recording: Recording, failure: Failure, message: str) -> tuple[int, str]:
        if failure is Failure.TIMEOUT:
            return 504, self.timeouts.words(recording.stage)
        if failure is Failure.REFUSED:
            return 502, f"cannot connect to {recording.upstream}: {message}"
        return 502, f"{recording.upstream} gave no answer: {message}"

    def _lose(self, peer: object) -> None:
        for key in [key for key, item in self._open.items() if item.flow.client_conn.peername == peer]:
            self.recorder.store(self._open.pop(key), Failure.RESET)

    def _connected(self, client: str) -> None:
        for recording in self._of_client(client, Stage.CONNECTING):
            recording.enter(Stage.WAITING)

    def _of_client(self, client: str, stage: Stage) -> list[Recording]:
        return [
            recording
            for recording in self._open.values()
            if recording.stage is stage and recording.flow.client_conn.id == client
        ]


def proxyserver() -> Proxyserver:
    """The addon of mitmproxy that holds listeners and connections."""
    addon = ctx.master.addons.get("proxyserver")
    assert isinstance(addon, Proxyserver)  # noqa: S101 - there is no listener without it
    return addon


def _is_ours(client: connection.Client) -> bool:
    """Whether a connection came to a reverse listener; what passes a forward proxy is somebody else's traffic."""
    return isinstance(client.proxy_mode, mode_specs.ReverseMode)


def _unrouted(request: http.Request) -> Refused:
    prefix, _ = split_prefix(request.path.partition("?")[0])
    body = canonical.parse(request.raw_content or b"")
    return Refused(404, without_api(request.method, prefix, body, request.headers.get("x-goog-api-client")))


def _kill(flow: http.HTTPFlow) -> None:
    if flow.killable:
        flow.kill()
