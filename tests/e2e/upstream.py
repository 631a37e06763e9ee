"""An upstream that behaves like the API: it plays a transcript to any client, asks for the key, and refuses what the API refuses.

The answer to a request is that of the transcript's first line, not given yet, that asks for the same: the same action, and the same
words and results of the user. What the client adds of its own (system text, declarations, settings, wrappers of results) and how
it cuts the model's turns does not count; signatures and pairing do, as for the API.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import re
import threading
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from gemtape.cassettes.models import Exchange, Request, Response
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.transcript import read_transcript
from gemtape.checks.strict import Strict
from tests.upstream import END, JSON, SSE, Received, Upstream, chunk, head

GOOGLE: Final = "https://generativelanguage.googleapis.com"
DUMMIES: Final = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
"""What Google's documentation allows in place of a signature."""
_VERSION: Final = re.compile(r"^/(upload/)?v1(?:alpha|beta1?)?/")
_NO_KEY: Final = (
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of "
    "API consumer identity to call this API."
)
_BAD_KEY: Final = "API key not valid. Please pass a valid API key."
_CORRUPTED: Final = "Corrupted thought signature."

Asked = tuple[Any, ...]


class Google:
    """The upstream of one run; `problems` is what it was asked that its transcript does not hold, `received` all that came."""

    def __init__(self, transcript: Path, key: str) -> None:
        self._lines = [(asked(exchange.request), exchange) for exchange in read_transcript(transcript)]
        self._given: set[int] = set()
        self._issued = {raw for _, exchange in self._lines for raw in _signatures_of(exchange)}
        self._key = key
        self._lock = threading.Lock()
        self._cassette = Cassette.temporary()
        self._strict = Strict()
        self._server = Upstream(self._answer)
        self.url: Final = self._server.url
        self.received: Final = self._server.requests
        self.problems: list[str] = []
        self.refusals: list[str] = []

    def close(self) -> None:
        """Be gone: the port refuses connections from now on."""
        self._server.close()
        self._cassette.close()

    def _answer(self, received: Received) -> Iterable[object]:
        try:
            with self._lock:
                return self._pieces(received)
        except Exception as error:  # noqa: BLE001 - told by the test
            self.problems.append(f"the upstream failed: {error!r}")
            return _error(500, "INTERNAL", repr(error))

    def _pieces(self, received: Received) -> Iterable[object]:
        request = _request(received)
        if refused := self._refusal(received, request):
            self.refusals.append(refused[1])
            return _error(
                refused[0], "INVALID_ARGUMENT" if refused[0] == 400 else "PERMISSION_DENIED", refused[1]
            )
        wanted = asked(request)
        for at, (said, exchange) in enumerate(self._lines):
            if said == wanted and at not in self._given:
                self._given.add(at)
                assert exchange.response
                return list(
                    self._written(exchange.response, "gzip" in (received.header("accept-encoding") or ""))
                )
        self.problems.append(f"asked for {wanted}; the transcript has {[said for said, _ in self._lines]}")
        return _error(400, "INVALID_ARGUMENT", "the transcript of this flow does not hold the request")

    def _refusal(self, received: Received, request: Request) -> tuple[int, str] | None:
        """Status and words with which the API would refuse a request."""
        query = parse_qs(request.query)
        if "upload_id" not in query:  # the second leg of an upload needs no key
            bearer = (received.header("authorization") or "").removeprefix("Bearer ")
            keys = {received.header("x-goog-api-key"), bearer, *query.get("key", [])} - {None, ""}
            if not keys:
                return 403, _NO_KEY
            if keys != {self._key}:
                return 400, _BAD_KEY
        body = _json(request.body)
        for value in _signatures(body):
            if value not in DUMMIES and _decoded(value) not in self._issued:
                return 400, _CORRUPTED
        rejection = self._strict.rejection(self._cassette.request_entry(request))
        return (rejection.status, json.loads(rejection.body)["error"]["message"]) if rejection else None

    def _written(self, response: Response, zipped: bool) -> Iterator[object]:
        """The answer's bytes as they go out: compressed where the client can, streams flushed after every event."""
        headers = [
            (name, value.replace(GOOGLE, self.url) if name.startswith("x-goog-upload") else value)
            for name, value in response.headers
            if name != "content-type"
        ]
        if zipped:
            headers.append(("Content-Encoding", "gzip"))
        kind = response.header("content-type") or JSON
        if len(response.chunks) < 2 and kind != SSE:
            body = gzip.compress(response.body) if zipped else response.body
            headers.append(("Content-Length", str(len(body))))
            yield head(response.status, *headers, content_type=kind) + body
            return
        yield head(response.status, *headers, ("Transfer-Encoding", "chunked"), content_type=kind)
        engine = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
        for piece in response.chunks:
            yield chunk(
                engine.compress(piece.data) + engine.flush(zlib.Z_SYNC_FLUSH) if zipped else piece.data
            )
        yield (chunk(engine.flush()) if zipped else b"") + END


def asked(request: Request) -> Asked:
    """What a request asks for, whatever client it comes from."""
    query = parse_qs(request.query)
    place = _VERSION.sub(r"/\1", request.path, count=1)
    command = next((value for name, value in request.headers if name.lower() == "x-goog-upload-command"), "")
    if command:
        data = request.body.decode() if "upload" in command else ""
        return request.method, "upload", command, data
    selected = tuple(query.get(name, [""])[0] for name in ("alt", "pageToken"))
    return request.method, place, *selected, *_said(_json(request.body))


def _said(body: Any) -> Iterator[Any]:
    """What the user says in a body: texts, files, and which functions answered; runs of results in any order."""
    if not isinstance(body, dict):
        return
    if "messages" in body:
        yield "stream" if body.get("stream") else "whole"
    named: dict[str, str] = {}
    results: list[str] = []
    for item in _user_items(body, named):
        if item[0] == "result":
            results.append(item[1])
            continue
        yield from (("results", *sorted(results)),) if results else ()
        results.clear()
        yield item
    if results:
        yield "results", *sorted(results)


def _user_items(body: dict[str, Any], named: dict[str, str]) -> Iterator[tuple[str, str]]:
    for request in [body, *body.get("requests", [])]:
        if "input" in request:
            yield from (("text", text) for text in request["input"])
        for content in [*_listed(request.get("contents")), *_listed(request.get("content"))]:
            if content.get("role") != "model":
                yield from map(_item, content["parts"])
    for message in body.get("messages", []):
        for call in message.get("tool_calls") or []:
            named[call["id"]] = call["function"]["name"]
        if message["role"] == "user":
            content = message["content"]
            yield from (
                ("text", text)
                for text in ([content] if isinstance(content, str) else [p["text"] for p in content])
            )
        elif message["role"] == "tool":
            yield "result", named.get(message["tool_call_id"], "?")


def _item(part: dict[str, Any]) -> tuple[str, str]:
    for key, value in part.items():
        match key:
            case "text":
                return "text", value
            case "functionResponse" | "function_response":
                return "result", value["name"]
            case "fileData" | "file_data":
                return "file", value.get("fileUri") or value.get("file_uri")
    return "other", json.dumps(part, sort_keys=True)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _request(received: Received) -> Request:
    url = urlsplit(received.target)
    return Request(received.method, url.path, url.query, tuple(received.headers), received.body)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


def _signatures_of(exchange: Exchange) -> Iterator[bytes]:
    assert exchange.response
    text = exchange.response.body.decode()
    for value in re.findall(r'"thought_?[sS]ignature": ?"([^"]*)"', text):
        yield _decoded(value)


def _signatures(value: Any) -> Iterator[str]:
    """Every signature in a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("thoughtSignature", "thought_signature") and isinstance(item, str):
                yield item
            else:
                yield from _signatures(item)
    elif isinstance(value, list):
        for item in value:
            yield from _signatures(item)


def _decoded(signature: str) -> bytes:
    try:
        return base64.b64decode(signature.replace("-", "+").replace("_", "/") + "==", validate=False)
    except binascii.Error:
        return b"?"


def _error(status: int, name: str, words: str) -> list[object]:
    body = json.dumps({"error": {"code": status, "message": words, "status": name}}, indent=2).encode()
    return [head(status, ("Content-Length", str(len(body)))) + body]
