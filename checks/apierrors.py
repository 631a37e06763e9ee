"""The API's own words for what it refuses with 400, and the error body around them.

Wordings as reported from the field; the Gemini API and Vertex differ (protocol: messages of INVALID_ARGUMENT).
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from ..cassettes.routes import Route, Surface
from .target import Target

_SIGNATURE_PAGE: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures"
_VERTEX_PAGE: Final = "https://cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
COUNT: Final = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
CALL_ORDER: Final = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
RESPONSE_ORDER: Final = (
    "Please ensure that function response turn comes immediately after a function call turn."
)


def missing_signature(target: Target, function: str, content: int) -> str:
    """A call without its signature; `content` is its index in contents from 0, the API counts from 1."""
    if target.surface is Surface.VERTEX:
        return (
            f"Unable to submit request because function call `{function}` in the {content + 1}. content block is "
            f"missing a `thought_signature`. Learn more: {_VERTEX_PAGE}"
        )
    return (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
        f"call `default_api:{function}` , position {content + 1}. Please refer to {_SIGNATURE_PAGE} for more details."
    )


def error_body(
    route: Route, query: str, message: str, code: int = 400, status: str = "INVALID_ARGUMENT"
) -> bytes:
    """The JSON body of an error, wrapped in a list where the API does so."""
    body: Any = {"error": {"code": code, "message": message, "status": status}}
    if wraps_errors(route, query):
        body = [body]
    return orjson.dumps(body, option=orjson.OPT_INDENT_2) + b"\n"


def wraps_errors(route: Route, query: str) -> bool:
    """Whether the API puts its error into a list of one: array streams, chat completions, Code Assist streams."""
    if route.surface is Surface.OPENAI:
        return True
    if not route.streams:
        return False
    return route.surface is Surface.CODE_ASSIST or "alt=sse" not in query.split("&")
