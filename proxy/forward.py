"""The forward proxy: what goes to the Gemini API is decrypted and recorded, everything else passes as it is."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

from mitmproxy import connection, ctx, http, tls
from mitmproxy.proxy import layer, layers
from mitmproxy.proxy.layers.http import HttpStream
from mitmproxy.proxy.layers.http._upstream_proxy import HttpUpstreamProxy

from ..cassettes.hosts import leads_to
from . import guard
from .addon import Addon
from .authority import Authority
from .door import Door, Place
from .errors import Refused
from .lines import harmless
from .parents import Parent, Parents, send
from .routing import Router, Upstream, is_gemini

NO_BASE_URL: Final = "this is a forward proxy, which has no base URL: set HTTPS_PROXY to its address, or record without --forward"
PLAIN: Final = "the Gemini API is called by https; by plain http nothing is recorded, and so nothing is sent"
GRPC: Final = (
    "the client speaks nothing but HTTP/2, as gRPC does, which is not recorded; choose its REST transport"
)
_HANDSHAKE: Final = "Client TLS handshake failed."
"""How mitmproxy's own line begins about what `tls_failed_client` says better."""
_HTTPS: Final = 443
_HTTP1: Final = b"http/1.1"
_LOWEST_FINAL: Final = 200
_SWITCHING: Final = 101
_LEFT_EARLY: Final = "connection closed early"


@dataclass(slots=True)
class Forward:
    """Forward mode: the authority that it signs with, and what came by without being recorded."""

    authority: Authority
    tunnelled: int = 0
    """Connections to hosts that are not the Gemini API's."""
    problems: dict[str, str] = field(default_factory=dict)
    """For each host of the Gemini API, and for this proxy itself, why something meant for it was not recorded."""

    def silence(self) -> str:
        """Why there was no request, as far as can be told."""
        if self.problems:
            return f"no request could be recorded. {'; '.join(map(': '.join, self.problems.items()))}"
        if self.tunnelled:
            others = f"{self.tunnelled} connection{'' if self.tunnelled == 1 else 's'} to other hosts"
            return f"no request went to the Gemini API through gemtape, only {others}"
        return (
            "nothing came to gemtape. Clients find it by HTTPS_PROXY, which not every runtime reads: "
            "`gemtape ca` says what each needs, and Node before 22.21 cannot be led here"
        )


class ForwardDoor(Door):
    """The forward listener: clients know it as their HTTPS proxy."""

    def __init__(self, router: Router, parents: Parents | None = None) -> None:
        super().__init__(router, parents)
        # By connection, for as long as mitmproxy knows it: hooks may still run after it was closed.
        self._hosts: WeakKeyDictionary[connection.Client, str] = WeakKeyDictionary()
        self._tunnels: WeakKeyDictionary[connection.Client, Parent | None] = WeakKeyDictionary()

    def connect(self, client: connection.Client, host: str, port: int) -> None:
        """Take note of where a client's tunnel is to lead.

        Raises:
            SetupError: the environment names what is no proxy that can be gone through.
        """
        self._tunnels[client] = self.parents.of("https", host, port)
        if is_gemini(host, port):
            self._hosts[client] = host

    def ask(self, client: connection.Client, scheme: str, host: str, port: int) -> None:
        """Take note of where a request is to go that comes outside of a tunnel.

        Some clients ask so for https too, and leave TLS to the proxy.
        """
        self._hosts.pop(client, None)
        if scheme == "https" and is_gemini(host, port):
            self._hosts[client] = host

    def host_of(self, client: connection.Client) -> str:
        """The host of the Gemini API that a connection leads to; empty for any other."""
        return self._hosts.get(client, "")

    def in_tunnel(self, client: connection.Client) -> bool:
        """Whether the client has made a connection through us."""
        return client in self._tunnels

    def parent_of(self, client: connection.Client) -> Parent | None:
        """The user's proxy that the tunnel of a connection leads through."""
        return self._tunnels.get(client)

    def takes(self, client: connection.Client) -> bool:
        """Whether what comes in on this connection is recorded."""
        return client in self._hosts

    def check_head(self, flow: http.HTTPFlow) -> None:
        """Make sure that a request's head is one to work with.

        Raises:
            Refused: it is not.
        """
        guard.check_head(flow.request, ctx.options.listen_host, tunnel=self.host_of(flow.client_conn))

    def place(self, flow: http.HTTPFlow) -> Place | None:
        """Where a request belongs: there is no prefix, and it goes to the host that it was sent to."""
        path, _, query = flow.request.path.partition("?")
        host = self.host_of(flow.client_conn)
        origin = f"https://{host}"
        if leg := self.uploads.leg(query, self.router):
            return Place(leg.prefix, leg.api_path, leg.upstream, origin)
        return Place("", path, self.router.upstream_at(host), origin)

    def allows(self, client: connection.Client, host: str, port: int) -> bool:
        """Whether a connection to this address may be opened for a client."""
        return not self.is_here(client, host, port) and super().allows(client, host, port)

    def is_here(self, client: connection.Client, host: str, port: int) -> bool:
        """Whether an address is our own, where every request would come back for ever."""
        return leads_to(self.bound, host, port) or (host, port) == client.sockname[:2]


class ForwardHooks:
    """What a forward listener does besides recording; stands before the addon that records."""

    name = "gemtape-forward"

    def __init__(self, addon: Addon, door: ForwardDoor, forward: Forward) -> None:
        self._addon = addon
        self._door = door
        self._forward = forward

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """Decide about a tunnel."""
        with self._addon.answering(flow):
            host, port = _target(flow.request)
            self._refuse_here(flow.client_conn, host, port)
            self._door.connect(flow.client_conn, host, port)
            self._forward.tunnelled += not self._door.takes(flow.client_conn)

    def next_layer(self, data: layer.NextLayer) -> None:
        """Let what is in a tunnel to any other host pass untouched, whatever it is."""
        context = data.context
        if not isinstance(context.layers[-1], HttpStream) or self._door.takes(context.client):
            return
        parent = self._door.parent_of(context.client)
        if parent is None:
            data.layer = layers.TCPLayer(context, ignore=True)
            return
        context.server.via = (parent.scheme, parent.address)
        stack = HttpUpstreamProxy.make(context, send_connect=True)
        stack /= layers.TCPLayer(context, ignore=True)
        data.layer = stack[0]

    def tls_clienthello(self, data: tls.ClientHelloData) -> None:
        """Recognise a client that has no use for HTTP/1.1."""
        offers = data.client_hello.alpn_protocols
        if offers and _HTTP1 not in offers:
            self._note(data.context.client, GRPC)

    def tls_failed_client(self, data: tls.TlsData) -> None:
        """Say why a client does not go on, which is nearly always that it does not trust us."""
        reason = data.conn.error or "the client ended the connection"
        if reason != _LEFT_EARLY:
            self._note(
                data.context.client, f"{reason.rstrip('.')}; `gemtape ca` says how to make it trust gemtape"
            )

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Pass on what comes outside of a tunnel, unless it is for the API after all."""
        if flow.error or self._door.in_tunnel(flow.client_conn):
            return
        with self._addon.answering(flow):
            host, port = _target(flow.request)
            self._refuse_here(flow.client_conn, host, port)
            self._door.ask(flow.client_conn, flow.request.scheme, host, port)
            if self._door.takes(flow.client_conn):
                return
            if is_gemini(host, _HTTPS):
                raise self._problem(host, PLAIN)
            self._pass(flow)

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Pass on every piece of an answer that is not recorded as it comes."""
        if flow.response is None or self._door.takes(flow.client_conn):
            return
        if flow.response.status_code >= _LOWEST_FINAL:
            flow.response.stream = True
        elif flow.response.status_code != _SWITCHING and flow.killable:
            flow.kill()  # mitmproxy takes an interim answer for the final one, and the client would wait for ever

    def _pass(self, flow: http.HTTPFlow) -> None:
        request = flow.request
        if "websocket" in request.headers.get("upgrade", "").lower():
            for name in ("proxy-connection", "proxy-authorization"):
                request.headers.pop(name, None)
        else:
            guard.drop_hop_headers(request.headers)
        send(flow, Upstream(request.scheme, request.host, request.port), request.path, self._door.parents)
        request.stream = True

    def _refuse_here(self, client: connection.Client, host: str, port: int) -> None:
        if self._door.is_here(client, host, port):
            raise self._problem(f"{host}:{port}", NO_BASE_URL)

    def _problem(self, place: str, problem: str) -> Refused:
        self._forward.problems.setdefault(harmless(place), problem)
        return Refused(400, problem)

    def _note(self, client: connection.Client, problem: str) -> None:
        host = self._door.host_of(client)
        if host and host not in self._forward.problems:
            self._forward.problems[host] = problem = harmless(problem)
            self._addon.recorder.warn(f"NOT RECORDED  {host}: {problem}")


def _target(request: http.Request) -> tuple[str, int]:
    return request.host.lower().removesuffix("."), request.port


def is_news(record: logging.LogRecord) -> bool:
    """Whether a line of mitmproxy's log says what nobody else says."""
    return not record.getMessage().startswith(_HANDSHAKE)
