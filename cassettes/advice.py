"""What both doors tell a client that came the wrong way, in Google's error shape so that every SDK shows it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import orjson

NO_RETRY: Final = ("x-should-retry", "false")
"""The header that stops the clients which retry nearly everything."""

WEBSOCKET: Final = (
    "gemtape does not record or replay WebSocket traffic (the Live API); call the Live API directly"
)

BARE_POST: Final = (
    "This request came to the bare base URL, without a path: no model, no action. google-genai and ADK for Python send "
    "it so when Vertex is chosen by GOOGLE_GENAI_USE_VERTEXAI, the base URL is set, and project and location come only "
    "from the environment. Give Client(vertexai=True, project=..., location=...) both by name, or use an API key."
)

_CANONICAL: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def canonical_status(status: int) -> str:
    """Google's name for an HTTP status: its own, or that of the nearest one it has."""
    return _CANONICAL.get(status) or (
        "UNAVAILABLE" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else _CANONICAL[400]
    )


def error_body(status: int, message: str, details: list[dict[str, Any]] | None = None) -> bytes:
    """An error as the API writes it: ``{"error": {"code", "message", "status", "details"?}}``, UTF-8 JSON.

    Some clients show only `message`, and only if code, message and status are all there.
    """
    error: dict[str, Any] = {"code": status, "message": message, "status": canonical_status(status)}
    if details:
        error["details"] = details
    return orjson.dumps({"error": error})
