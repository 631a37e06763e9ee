"""What may reach the disk of an exchange: default-deny for headers, secrets out of URLs and bodies.

The same redaction is applied to a request that looks for its recorded answer, so that both have the same match key.
Signatures and call ids are never touched. Nothing here raises, whatever passes through the proxy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote_plus

from .bodies import find_literals, find_secrets, is_clean_file
from .canonical import NOT_JSON
from .edits import apply_edits, cut_again, without_overlaps
from .events import Span
from .models import Exchange, Headers, Request, Response
from .positions import root_of
from .shapes import MARKER, Shapes
from .uploads import (
    ID,
    LARGE_FILE,
    URL_HEADERS,
    carries_file,
    is_id,
    is_stand_in,
    names_upload,
    stand_in,
    upload_id,
    upload_ids,
)

REQUEST_HEADERS: Final = frozenset(
    {
        "accept",  # an SDK may ask for a stream with it
        "content-type",  # how to read the body
        "content-encoding",  # only there when the body is kept as it came, because it could not be decoded
        "user-agent",  # which client it was: the first question about any finding
        "x-goog-api-client",  # the same, with SDK and language versions
        "api-revision",  # chooses the shape of Interactions answers
        "x-server-timeout",  # explains a deadline error
        "x-goog-fieldmask",  # chooses which fields the answer has
        "x-http-method-override",  # changes what the method means
        "x-vertex-ai-llm-request-type",  # chooses the capacity, which explains a 429
        "x-vertex-ai-llm-shared-request-type",
        "x-goog-upload-protocol",  # the legs of a resumable upload are told apart by these
        "x-goog-upload-command",
        "x-goog-upload-offset",
        "x-goog-upload-header-content-length",
        "x-goog-upload-header-content-type",
        "content-range",  # says the same in the older protocol
    }
)
"""Request headers that are kept; all others may name a person, a project or a credential, or say nothing of use."""

RESPONSE_HEADERS: Final = frozenset(
    {
        "content-type",  # how to read the body
        "content-encoding",  # only there when the body is kept as it came, because it could not be decoded
        "content-disposition",  # streams and downloads carry it
        "retry-after",  # clients obey these three
        "retry-after-ms",
        "x-should-retry",
        "x-gemini-service-tier",  # which capacity answered
        "x-goog-upload-status",  # clients drive a resumable upload by these
        "x-goog-upload-url",
        "x-goog-upload-control-url",
        "x-goog-upload-chunk-granularity",
        "x-goog-upload-size-received",
        "location",  # only that of an upload; any other leads clients around the door
        "range",  # what an older upload has received
    }
)
"""Answer headers that a client acts on; those of framing and encoding are made anew at replay."""

_SECRET_PARAMETERS: Final = frozenset(
    {
        *("key", "$key", "api_key", "apikey"),
        *("access_token", "$access_token", "oauth_token", "token"),
        *("quotauser", "$quotauser", "userip"),
    }
)
_TELLING: Final = 16
"""Characters from which on an upload's id is looked for in bodies; a shorter one is no secret, and may stand anywhere."""
_REVISION: Final = 3
"""Counts changes of this module that change what a match key sees; the shapes are in the tag by themselves."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """An exchange that may be stored.

    `request_redactions` counts what was replaced or removed in the request (headers that are never kept not counted);
    `response_spans` are the places in the stored answer's body where a secret was, as (start, end) in bytes, empty
    where all of it went.
    """

    exchange: Exchange
    request_redactions: int = 0
    response_spans: tuple[Span, ...] = ()


class Redactor:
    """Takes secrets out of exchanges.

    Args:
        extra_patterns: Regular expressions of further secrets, searched in every text that is searched at all.

    Raises:
        SetupError: a pattern is no regular expression, or matches the empty text.
    """

    def __init__(self, extra_patterns: Sequence[str] = ()) -> None:
        self._shapes = Shapes(extra_patterns)
        parameters = " ".join(sorted(_SECRET_PARAMETERS))
        self._tag = hashlib.sha256(f"{_REVISION} {self._shapes.tag} {parameters}".encode()).hexdigest()[:8]

    def tag(self) -> str:
        """A short name for what this redactor does: equal tags give equal match keys."""
        return self._tag

    def exchange(self, exchange: Exchange) -> Redacted:
        """The exchange without its secrets."""
        request, count = self._request(exchange.request)
        if exchange.response is None:
            return Redacted(replace(exchange, request=request), count)
        ids = upload_ids(exchange.response.headers) | {upload_id(exchange.request.query)}
        response, spans = self._response(exchange.response, ids)
        return Redacted(replace(exchange, request=request, response=response), count, spans)

    def request(self, request: Request) -> Request:
        """The request as it would be stored."""
        return self._request(request)[0]

    def json(self, request: Request) -> Any:
        """What the body of a request says, without its secrets; `NOT_JSON` where it is none."""
        return self._body(request)[0].json

    def _request(self, request: Request) -> tuple[Request, int]:
        path, in_path = self._path(request.path)
        query, in_query = self._query(request.query)
        headers, in_headers = self._headers(request.headers, REQUEST_HEADERS)
        body, in_body = self._body(request)
        clean = replace(
            body, path=path, query=query, headers=headers, upstream=self._origin(request.upstream)
        )
        if "json" in vars(body):
            # The body is the same, and parsing it is most of the work there is on a request.
            vars(clean)["json"] = body.json
        return clean, in_path + in_query + in_headers + in_body

    def _body(self, request: Request) -> tuple[Request, int]:
        """The request with a body without secrets, and otherwise as it is."""
        if (
            len(request.body) > LARGE_FILE
            and carries_file(request.path, request.query, request.headers)
            and is_clean_file(request.body, self._shapes)
        ):
            return request, 0
        edits = find_secrets(
            request.body, request.header("content-type"), request.json, self._shapes, root_of(request.path)
        )
        return (replace(request, body=apply_edits(request.body, edits)[0]) if edits else request), len(edits)

    def _response(self, response: Response, ids: set[str]) -> tuple[Response, tuple[Span, ...]]:
        """The answer; `ids` are those of uploads, which an answer may also tell in words."""
        headers, _ = self._headers(response.headers, RESPONSE_HEADERS)
        edits = find_secrets(response.body, response.header("content-type"), NOT_JSON, self._shapes)
        told = {found: stand_in(found) for found in ids if len(found) >= _TELLING and not is_stand_in(found)}
        if told:
            edits = without_overlaps([*edits, *find_literals(response.body, told)])
        if not edits:
            clean = replace(response, headers=headers)
            vars(clean)["body"] = response.body
            return clean, ()
        body, spans = apply_edits(response.body, edits)
        return replace(response, headers=headers, chunks=cut_again(response.chunks, body, edits)), tuple(
            spans
        )

    def _headers(self, headers: Headers, kept: frozenset[str]) -> tuple[Headers, int]:
        result: list[tuple[str, str]] = []
        total = 0
        for name, value in headers:
            lowered = name.lower()
            if lowered in kept and (lowered != "location" or names_upload(lowered, value)):
                clean, count = self._url(value) if lowered in URL_HEADERS else self._shapes.replaced(value)
                result.append((name, clean))
                total += count
        return tuple(result), total

    def _url(self, url: str) -> tuple[str, int]:
        place, mark, query = url.partition("?")
        scheme, slashes, rest = place.partition("://")
        authority, slash, path = rest.partition("/")
        clean_path, in_path = self._path(path)
        clean_query, in_query = self._query(query)
        head = f"{self._origin(f'{scheme}{slashes}{authority}')}{slash}{clean_path}"
        return f"{head}{mark if clean_query else ''}{clean_query}", in_path + in_query

    def _origin(self, origin: str) -> str:
        """An origin without the name and password that may stand before its host."""
        scheme, slashes, authority = origin.partition("://")
        return self._shapes.replaced(f"{scheme}{slashes}{authority.rpartition('@')[2]}")[0]

    def _path(self, path: str) -> tuple[str, int]:
        clean = [self._encoded(segment) for segment in path.split("/")]
        joined, count = self._shapes.replaced("/".join(segment for segment, _ in clean))
        return joined, count + sum(found for _, found in clean)

    def _query(self, query: str) -> tuple[str, int]:
        """The query without secret parameters, an upload's id replaced; the others keep order and spelling."""
        if not query:
            return query, 0
        kept: list[str] = []
        total = 0
        for pair in query.split("&"):
            name, equals, value = pair.partition("=")
            if is_id(name):
                known = stand_in(unquote_plus(value))
                kept.append(f"{ID}={known}")
                total += known != value
                continue
            if unquote_plus(name).strip().lower() in _SECRET_PARAMETERS:
                total += 1
                continue
            (clean_name, in_name), (clean, in_value) = self._encoded(name), self._encoded(value)
            kept.append(f"{clean_name}{equals}{clean}")
            total += in_name + in_value
        return "&".join(kept), total

    def _encoded(self, text: str) -> tuple[str, int]:
        """Percent-encoded text; where only its decoded form shows a secret, all of it goes."""
        clean, count = self._shapes.replaced(text)
        if "%" in clean and self._shapes.spans(unquote_plus(clean)):
            return MARKER, count + 1
        return clean, count


_SHAPES_ONLY: Final = Redactor()


@lru_cache(maxsize=256)  # clients ask for few
def shown_path(path: str) -> str:
    """A request's path as a terminal may show it: a client that has its base URL wrong may put its key there."""
    return _SHAPES_ONLY.request(Request("", path)).path
