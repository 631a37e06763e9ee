"""Uploads that pass the proxy: their URLs lead back here, and what comes to them goes where the upstream meant it to.

A leg carries no key, some clients let it come without the prefix of its base URL, and the upstream may take it elsewhere
than where the upload began. So the ids of all uploads that began here are remembered, in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mitmproxy import http

from ..cassettes.answers import Answer
from ..cassettes.bounded import Bounded
from ..cassettes.errors import CassetteNameError, SetupError
from ..cassettes.leading import leading_back, names_uploads
from ..cassettes.routes import split_prefix
from ..cassettes.uploads import URL_HEADERS, led_back, names_upload, upload_id
from .errors import Refused
from .recording import Recording
from .routing import Router, Upstream, parse_upstream

_MOST: Final = 100_000
"""Uploads that are remembered."""


@dataclass(frozen=True, slots=True)
class Leg:
    """Where the legs of an upload go: the prefix of the client that began it, the API path, and the upstream."""

    prefix: str
    api_path: str
    upstream: Upstream


class Uploads:
    """The uploads that began here."""

    def __init__(self) -> None:
        self._legs: Bounded[str, Leg] = Bounded(_MOST)

    def leg(self, query: str, router: Router) -> Leg | None:
        """Where a request goes that names an upload; None where it names none, or one that did not begin here.

        Raises:
            Refused: the upstream named a place where nothing may be sent.
        """
        named = upload_id(query)
        leg = self._legs.get(named) if named else None
        if leg is not None and not router.allows(leg.upstream.host, leg.upstream.port):
            raise Refused(
                412, f"the upstream named an upload URL at {leg.upstream}, and gemtape sends nothing there"
            )
        return leg

    def lead_back(self, recording: Recording, headers: http.Headers) -> None:
        """Let the upload URLs of an answer lead to where its client came in."""
        if not recording.origin:
            return
        door = f"{recording.origin}/{recording.prefix}" if recording.prefix else recording.origin
        for name in URL_HEADERS:
            url = headers.get(name, "")
            if url and names_upload(name, url):
                self._remember(recording, url)
                headers[name] = led_back(url, door, recording.api_path)

    def answered(self, recording: Recording, answer: Answer) -> Answer:
        """A recorded answer that is served here, its upload URLs leading to where its client came in."""
        if not recording.origin or not names_uploads(answer):
            return answer
        path = f"/{recording.prefix}{recording.api_path}" if recording.prefix else recording.api_path
        return leading_back(answer, recording.origin, path, 0)

    def _remember(self, recording: Recording, url: str) -> None:
        place, _, query = url.partition("?")
        named = upload_id(query)
        try:
            upstream = parse_upstream(place if "://" in place else recording.upstream + place)
        except SetupError:
            return  # no address; a leg goes where its path belongs
        path = split_prefix(upstream.base)[1]
        if path == "/":
            path, base = upstream.base or "/", ""
        else:
            base = upstream.base.removesuffix(path)
        at = Upstream(upstream.scheme, upstream.host, upstream.port, base)
        if named:
            self._legs.put(named, Leg(recording.prefix, path, at), 1)


def unnamed(error: CassetteNameError, target: str) -> str:
    """What to say of a request whose path names no cassette: that of a leg names none where its client lost the prefix."""
    if not upload_id(target.partition("?")[2]):
        return str(error)
    return f"no upload with this id began here since gemtape was started, and its path does not say where it belongs: {error}"
