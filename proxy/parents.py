"""The user's own proxies, which the way to an upstream leads through where the environment names one."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from mitmproxy import http

from ..cassettes.errors import SetupError
from ..cassettes.forwarding import excepts
from ..cassettes.hosts import is_loopback
from .routing import Upstream

_PORTS: Final = {"http": 80, "https": 443}
_AUTHORIZATION: Final = "proxy-authorization"

Scheme: TypeAlias = Literal["http", "https"]


@dataclass(frozen=True, slots=True)
class Parent:
    """A proxy of the user's: how it is reached, and what it wants to know of us."""

    scheme: Scheme
    host: str
    port: int
    authorization: str = ""
    """The value of its header; empty where the address carries no user name."""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return self.host, self.port


class Parents:
    """Finds the proxy for a destination, as other clients of the same environment do."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read the variables of an environment; lower case wins, as it does in curl and Python."""
        self._excepted = _first(environ, "no_proxy")
        self._parents: dict[str, Parent] = {}
        self._problems: dict[str, SetupError] = {}
        for scheme in _PORTS:
            names = (f"{scheme}_proxy", "all_proxy")
            if name := next((name for name in names if _first(environ, name)), None):
                try:
                    self._parents[scheme] = _parse(name.upper(), _first(environ, name))
                except SetupError as problem:
                    self._problems[scheme] = problem  # which matters only where that proxy is needed

    def of(self, scheme: str, host: str, port: int) -> Parent | None:
        """The proxy that leads to a destination; none to this very machine, nor to what `NO_PROXY` lists.

        Raises:
            SetupError: the environment names what is no proxy that can be gone through.
        """
        if is_loopback(host) or excepts(self._excepted, host, port):
            return None
        if scheme in self._problems:
            raise self._problems[scheme]
        return self._parents.get(scheme)

    def at(self, address: object) -> Parent | None:
        """The proxy at an address, if one of them is there."""
        return next((parent for parent in self._parents.values() if parent.address == address), None)

    def leave_out(self, is_this: Callable[[str, int], bool]) -> list[str]:
        """Forget what is no way to anywhere: gemtape itself, named by a shell whose clients it is meant for.

        Returns:
            What was left out.
        """
        here = {scheme: parent for scheme, parent in self._parents.items() if is_this(*parent.address)}
        for scheme in here:
            del self._parents[scheme]
        return sorted({str(parent) for parent in here.values()})


def send(flow: http.HTTPFlow, upstream: Upstream, target: str, parents: Parents) -> None:
    """Give a request its destination, and the way there.

    Args:
        flow: the request, as it came in.
        upstream: where it goes.
        target: path and query, without the upstream's base.
        parents: the user's proxies.

    Raises:
        SetupError: the environment names what is no proxy that can be gone through.
    """
    request = flow.request
    parent = parents.of(upstream.scheme, upstream.host, upstream.port)
    # In this order: each setter rewrites the Host header with what it knows by then.
    request.scheme = upstream.scheme
    request.host = upstream.host
    request.port = upstream.port
    flow.server_conn.via = (parent.scheme, parent.address) if parent else None
    if parent and parent.scheme == upstream.scheme == "http":
        # Many proxies open tunnels to port 443 alone, so plain http takes the older way.
        flow.server_conn.via = None
        request.host, request.port = parent.address
        request.authority = upstream.authority
        if parent.authorization:
            request.headers[_AUTHORIZATION] = parent.authorization
    request.headers["host"] = upstream.authority
    request.path = upstream.base + target


def authorize(connect: http.HTTPFlow, parents: Parents) -> None:
    """Tell a proxy who we are in the CONNECT that it gets."""
    parent = parents.at(connect.server_conn.address)
    if parent and parent.authorization:
        connect.request.headers[_AUTHORIZATION] = parent.authorization


def _first(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _parse(name: str, value: str) -> Parent:
    url = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        # Neither value nor error are quoted: they may hold a password.
        raise SetupError(f"{name} names no address such as http://proxy.example:3128") from None
    if parts.scheme not in _PORTS:
        raise SetupError(
            f"{name} names a proxy of the kind {parts.scheme[:20]!a}; gemtape goes through http and https "
            "proxies: name one, or have no proxy taken with NO_PROXY='*'"
        )
    if not parts.hostname or port == 0:
        raise SetupError(f"{name} names no address such as http://proxy.example:3128")
    authorization = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {base64.b64encode(pair.encode()).decode()}"
    scheme: Scheme = "https" if parts.scheme == "https" else "http"
    return Parent(scheme, parts.hostname, port or _PORTS[scheme], authorization)
