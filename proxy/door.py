"""Where requests come in and where they may go: what a listener takes, what it asks of a head, and which upstream it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from mitmproxy import connection, ctx, http
from mitmproxy.proxy import mode_specs

from ..cassettes import canonical
from ..cassettes.astray import without_api
from ..cassettes.errors import SetupError
from ..cassettes.hosts import leads_to
from ..cassettes.routes import parse_route, split_prefix
from ..cassettes.uploads import restored_path
from . import guard
from .errors import Refused
from .parents import Parents
from .routing import Router, Upstream
from .uploads import Uploads


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request belongs: the cassette that its path names, the API's own path, and the upstream.

    `origin` is scheme, host and port by which its client came; empty where its client knows of no door.
    """

    prefix: str
    api_path: str
    upstream: Upstream
    origin: str = ""


class Door:
    """The reverse listener: clients know it by a base URL."""

    def __init__(self, router: Router, parents: Parents | None = None) -> None:
        """Make a door.

        Args:
            router: chooses the upstream of each request.
            parents: the user's own proxies; none if left out.
        """
        self.router = router
        self.parents = parents or Parents({})
        self.uploads = Uploads()
        self.bound: tuple[str, int] = ("", 0)
        """Where the listener is, once it is up: the address or name that it was told to use, and its port."""

    def open(self, bound: tuple[str, int]) -> list[str]:
        """The listener is up; makes sure that nothing is sent back to it.

        Args:
            bound: the address or name that it was told to use, and its port.

        Returns:
            What the user should know.

        Raises:
            SetupError: the upstream is this listener.
        """
        self.bound = bound
        if leads_to(bound, self.router.usual.host, self.router.usual.port):
            raise SetupError(f"the upstream {self.router} is this proxy itself")
        return [
            f"{parent} is gemtape itself: HTTPS_PROXY is meant for clients, and requests go straight to their upstream"
            for parent in self.parents.leave_out(partial(leads_to, bound))
        ]

    def router_of(self, _client: connection.Client) -> Router:
        """What chooses the upstream of requests that come in on this connection."""
        return self.router

    def takes(self, client: connection.Client) -> bool:
        """Whether what comes in on this connection is recorded; what passes a forward proxy is somebody else's traffic."""
        return isinstance(client.proxy_mode, mode_specs.ReverseMode)

    def check_head(self, flow: http.HTTPFlow) -> None:
        """Make sure that a request's head is one to work with.

        Raises:
            Refused: it is not.
        """
        guard.check_head(flow.request, ctx.options.listen_host)

    def place(self, flow: http.HTTPFlow) -> Place | None:
        """Where a request belongs; None where its path holds no API's, which its body may explain.

        Raises:
            Refused: no upstream serves it.
        """
        path, _, query = flow.request.path.partition("?")
        prefix, api_path = split_prefix(restored_path(path, query))
        if api_path == "/":
            return None
        router = self.router_of(flow.client_conn)
        origin = f"{'https' if flow.client_conn.tls else 'http'}://{_host_of(flow)}"
        if leg := self.uploads.leg(query, router):
            return Place(leg.prefix, leg.api_path, leg.upstream, origin)
        return Place(prefix, api_path, router.upstream_of(api_path, parse_route(api_path)), origin)

    def unplaced(self, request: http.Request) -> Refused:
        """What to answer to a request whose path holds no API's."""
        prefix, _ = split_prefix(request.path.partition("?")[0])
        body = canonical.parse(request.raw_content or b"")
        return Refused(
            404, without_api(request.method, prefix, body, request.headers.get("x-goog-api-client"))
        )

    def allows(self, client: connection.Client, host: str, port: int) -> bool:
        """Whether a connection to this address may be opened for a client; the last belt, should routing go wrong."""
        if not self.takes(client) or self.parents.at((host, port)):
            return True
        return self.router_of(client).allows(host, port)


def _host_of(flow: http.HTTPFlow) -> str:
    """Host and port as the client wrote them; a client of HTTP/1.0 need not."""
    if written := flow.request.host_header:
        return written
    host, port = flow.client_conn.sockname[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
