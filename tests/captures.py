"""Captured traffic of real clients: each file's requests and answers as exchanges, and the secrets that they carried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response
from gemtape.cassettes.routes import split_prefix

CAPTURES = sorted((Path(__file__).parent / "data" / "captures").glob("*.json"))
STARTED_AT = 1_796_000_000.0

_SECRET_HEADERS = {"x-goog-api-key", "authorization", "cookie", "set-cookie", "x-guploader-uploadid"}
_SECRET_PARAMETERS = {"key", "upload_id", "access_token"}


def load_capture(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def capture_exchanges(path: Path) -> list[Exchange]:
    """The exchanges of a capture as the proxy sees them: bodies decoded, path prefix taken off, the rest as sent."""
    capture = load_capture(path)
    return [
        _exchange(request, response)
        for request, response in zip(capture["requests"], capture["responses"], strict=True)
    ]


def capture_secrets(path: Path) -> set[str]:
    """Every key, token, cookie and upload id of a capture, without the scheme in front of it."""
    capture = load_capture(path)
    messages = [*capture["requests"], *capture["responses"]]
    headers = [(name.lower(), value) for message in messages for name, value in message["headers"]]
    queries = [request["query"] for request in capture["requests"]]
    queries += [urlsplit(value).query for name, value in headers if name.endswith("-url")]
    secrets = {value.rpartition(" ")[2] for name, value in headers if name in _SECRET_HEADERS}
    return secrets | {
        value for query in queries for name, value in parse_qsl(query) if name in _SECRET_PARAMETERS
    }


def is_upload_leg(exchange: Exchange) -> bool:
    return exchange.request.path.startswith("/upload/")


def _exchange(request: dict[str, Any], response: dict[str, Any]) -> Exchange:
    pieces = response.get("chunks") or [{"t_ms": 0, "data": response["body"]}]
    chunks = tuple(Chunk(piece["t_ms"], piece["data"].encode()) for piece in pieces if piece["data"])
    cut = "disconnect" in response
    return Exchange(
        Request(
            method=request["method"],
            path=split_prefix(request["path"])[1],
            query=request["query"],
            headers=_pairs(request["headers"]),
            body=request["body"].encode(),
        ),
        Response(response["status"], _pairs(response["headers"]), chunks, cut=cut),
        failure=Failure.RESET if cut else None,
        started_at=STARTED_AT + request["t_ms"] / 1000,
        duration_ms=chunks[-1].offset_ms if chunks else 0,
    )


def _pairs(headers: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in headers if name.lower() != "content-encoding")
