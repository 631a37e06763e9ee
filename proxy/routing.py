"""Where a request goes: one of Google's hosts, chosen from its path, or the upstream that the user named.

Nothing else can be reached, whatever the request says: names of locations are checked before they become part of a
host, and `Router.allows` is asked again when a connection is about to be opened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from ..cassettes.astray import wrong_at_google
from ..cassettes.errors import SetupError
from ..cassettes.routes import VERTEX_BETA, Route, Surface
from .errors import Refused

GEMINI_API_HOST: Final = "generativelanguage.googleapis.com"
CODE_ASSIST_HOST: Final = "cloudcode-pa.googleapis.com"
VERTEX_HOST: Final = "aiplatform.googleapis.com"
_MULTI_REGIONS: Final = frozenset({"us", "eu"})
_REGION = re.compile(r"[a-z]{2,20}(?:-[a-z]{2,20}){1,2}[0-9]{1,2}\Z")
_VERTEX_ADDRESS = re.compile(
    r"(?:[a-z]{2,20}(?:-[a-z]{2,20}){1,2}[0-9]{1,2}-)?aiplatform\.googleapis\.com\Z"
    r"|aiplatform\.(?:us|eu)\.rep\.googleapis\.com\Z"
)
_OWN: Final = "/_gemtape"
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server that requests are sent to. `base` is put in front of every path; it has no final slash."""

    scheme: str
    host: str
    port: int
    base: str = ""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """Host and port as a Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse_upstream(url: str) -> Upstream:
    """Read an upstream as users write it: ``https://host``, with a port and a base path where needed.

    Raises:
        SetupError: it is no http or https address, or carries what a base URL cannot have.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise SetupError(f"upstream {url!r}: {error}") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise SetupError(f"upstream {url!r} is not an address such as https://host or http://127.0.0.1:9000")
    if parts.username is not None or parts.password is not None:
        raise SetupError("an upstream cannot carry a user name or password")
    if parts.query or parts.fragment or not url.isascii() or not url.isprintable() or " " in url or port == 0:
        raise SetupError(f"upstream {url!r} can have a host, a port and a path, and nothing else")
    return Upstream(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], parts.path.rstrip("/"))


def google(host: str) -> Upstream:
    """One of Google's hosts."""
    return Upstream("https", host, _PORTS["https"])


def google_host(api_path: str, route: Route) -> str:
    """Google's host for an API path.

    Raises:
        Refused: the path belongs to none of Google's APIs, or names a location that cannot be one.
    """
    if wrong := wrong_at_google(api_path):
        raise Refused(404, wrong)
    if route.surface is Surface.CODE_ASSIST:
        return CODE_ASSIST_HOST
    segments = [unquote(segment) for segment in api_path.split("/") if segment]
    place = segments[2:] if segments[0] == "upload" else segments[1:]
    if place[2:3] == ["locations"] and place[0] == "projects" and len(place) > 3:
        return _vertex_host(place[3])
    on_vertex = place[:1] in (["projects"], ["publishers"]) or route.version == VERTEX_BETA
    return VERTEX_HOST if on_vertex else GEMINI_API_HOST


def _vertex_host(location: str) -> str:
    if location == "global":
        return VERTEX_HOST
    if location in _MULTI_REGIONS:
        return f"aiplatform.{location}.rep.googleapis.com"
    if not _REGION.match(location):
        raise Refused(400, f"{location[:40]!a} is not a Vertex location such as global, eu or us-central1")
    return f"{location}-{VERTEX_HOST}"


def is_gemini(host: str, port: int) -> bool:
    """Whether an address is that of one of Google's hosts for the Gemini API, Vertex or Code Assist."""
    known = host in (GEMINI_API_HOST, CODE_ASSIST_HOST) or _VERTEX_ADDRESS.match(host) is not None
    return known and port == _PORTS["https"]


class Router:
    """Chooses the upstream of each request."""

    def __init__(self, upstream: Upstream | None = None) -> None:
        """Send everything to `upstream`; where it is None, to the Google host that the path belongs to."""
        self._upstream = upstream

    def __str__(self) -> str:
        return self.sent_to or "the Google host that each path belongs to"

    @property
    def sent_to(self) -> str:
        """The one upstream that everything is sent to; empty where there is more than one."""
        return f"{self._upstream}{self._upstream.base}" if self._upstream else ""

    @property
    def usual(self) -> Upstream:
        """The upstream of most requests."""
        return self.upstream_at(GEMINI_API_HOST)

    def upstream_at(self, host: str) -> Upstream:
        """The upstream of a request that names one of Google's hosts itself."""
        return self._upstream or google(host)

    def upstream_of(self, api_path: str, route: Route) -> Upstream:
        """The upstream of an API path.

        Raises:
            Refused: none serves it.
        """
        if api_path.startswith(_OWN):
            raise Refused(404, "only gemtape replay has paths below /_gemtape")
        return self._upstream or google(google_host(api_path, route))

    def allows(self, host: str, port: int) -> bool:
        """Whether a connection to this address may be opened at all."""
        if self._upstream:
            return (host, port) == (self._upstream.host, self._upstream.port)
        return is_gemini(host, port)
