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

from mitmproxy import addonmanager, ctx, http, tls
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.proxy import server_hooks

from ..cassettes.answers import Answer
from ..cassettes.errors import CassetteNameError, SetupError
from ..cassettes.models import Failure
from ..cassettes.redaction import shown_path
from ..cassettes.routes import parse_route
from . import crashes, errors, guard
from .door import Door
from .errors import Refused
from .lines import printable
from .parents import authorize, send
from .recorder import Recorder
from .recording import Recording, header_pairs
from .sending import response_of
from .stopping import stop
from .tee import Tee, has_body, hold_limit, reframe
from .timeouts import Timeouts, watch
from .underway import Underway
from .uploads import unnamed

logger = logging.getLogger(__name__)

_LOWEST_FINAL: Final = 200


class Addon:
    """Routes, guards and records what passes one proxy."""

    name = "gemtape"

    def __init__(self, recorder: Recorder, door: Door, timeouts: Timeouts | None = None) -> None:
        self.recorder = recorder
        self.door = door
        self.timeouts = timeouts or Timeouts()
        self._open = Underway()
        self._watch: asyncio.Task[None] | None = None
        self._undo: Callable[[], None] = lambda: None
        self._unwatch: Callable[[], None] = lambda: None

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
        if flow.error or not self.door.takes(flow.client_conn):
            return
        self.recorder.tapes.asked += 1
        with self.answering(flow):
            self.door.check_head(flow)
            self._route(flow)

    def request(self, flow: http.HTTPFlow) -> None:
        """Let a request go once its cassette can take it."""
        if flow.response or flow.error or not self.door.takes(flow.client_conn):
            return
        with self.answering(flow):
            recording = self._open.get(flow.id)
            if recording is None:
                raise self.door.unplaced(flow.request)
            recording.take_request(flow.request)
            self._give(flow, self.recorder.admit(recording))

    def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Open no connection but to where one may lead."""
        host, port = (data.server.address or ("", 0))[:2]
        if not self.door.allows(data.client, host, port):
            data.server.error = "gemtape opens no connection to this address"
        self._open.connecting(data.client, data.server)

    def server_connected(self, data: server_hooks.ServerConnectionHookData) -> None:
        """The wait for the answer begins, unless TLS comes first."""
        if not data.server.tls:
            self._open.connected(data.client, data.server)

    def tls_established_server(self, data: tls.TlsData) -> None:
        """The wait for the answer begins."""
        self._open.connected(data.context.client, data.conn)

    def http_connect_upstream(self, flow: http.HTTPFlow) -> None:
        """Tell the user's proxy who we are."""
        authorize(flow, self.door.parents)

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
        if flow.request.method == "CONNECT" and self.door.takes(flow.client_conn):
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

    def _give(self, flow: http.HTTPFlow, answer: Answer | None) -> None:
        """Answer from a cassette, where there is an answer; else the request goes on."""
        if answer is None:
            return
        if recording := self._open.pop(flow.id, None):
            answer = self.door.uploads.answered(recording, answer)
        if answer.status:
            flow.response = response_of(answer)
        else:
            _kill(flow)

    def _route(self, flow: http.HTTPFlow) -> None:
        place = self.door.place(flow)
        if place is None:
            return  # refused when the body tells how it came here
        request = flow.request
        try:
            name = self.recorder.tapes.name(place.prefix)
            session = self.recorder.tapes.session(place.prefix)
        except CassetteNameError as error:
            raise Refused(400, unnamed(error, request.path)) from error
        _, mark, query = request.path.partition("?")
        self._open[flow.id] = Recording(
            flow,
            name,
            place.api_path,
            query,
            header_pairs(request.headers),
            str(place.upstream),
            parse_route(place.api_path),
            session,
            origin=place.origin,
            prefix=place.prefix,
        )
        guard.drop_hop_headers(request.headers)
        send(flow, place.upstream, f"{place.api_path}{mark}{query}", self.door.parents)

    def _tee(self, recording: Recording, request: http.Request, response: http.Response) -> None:
        recording.take_head(response)
        self.door.uploads.lead_back(recording, response.headers)
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
    def answering(self, flow: http.HTTPFlow) -> Iterator[None]:
        """Turn whatever goes wrong into an answer of our own, so that the request goes nowhere."""
        try:
            yield
        except Refused as refusal:
            self._refuse(flow, refusal)
        except SetupError as error:
            self._refuse(flow, Refused(502, str(error)))
        except Exception:
            logger.exception("gemtape could not take this request")
            self._refuse(flow, Refused(500, "an error of gemtape itself; its log says more"))

    def _refuse(self, flow: http.HTTPFlow, refusal: Refused) -> None:
        self._open.pop(flow.id, None)
        flow.response = refusal.response()
        target = flow.request.path.partition("?")[0] or flow.request.authority  # CONNECT names no path
        asked = printable(f"{flow.request.method} {shown_path(target)}")
        self.recorder.warn(f"REFUSED  {refusal.status}  {refusal.message}  ({asked})")

    def _explanation(self, recording: Recording, failure: Failure, message: str) -> tuple[int, str]:
        if failure is Failure.TIMEOUT:
            return 504, self.timeouts.words(recording.stage)
        if failure is Failure.REFUSED:
            return 502, f"cannot connect to {recording.upstream}: {message}"
        return 502, f"{recording.upstream} gave no answer: {message}"

    def _lose(self, peer: object) -> None:
        for recording in self._open.take_all(peer):
            self.recorder.store(recording, Failure.RESET)


def proxyserver() -> Proxyserver:
    """The addon of mitmproxy that holds listeners and connections."""
    addon = ctx.master.addons.get("proxyserver")
    assert isinstance(addon, Proxyserver)  # noqa: S101 - there is no listener without it
    return addon


def _kill(flow: http.HTTPFlow) -> None:
    if flow.killable:
        flow.kill()
