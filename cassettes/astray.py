"""Requests that came the wrong way: how they are told, and what both doors say to them.

Nearly all of them come from a base URL that is not quite right, and the person who set it sees only our answer.
"""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import unquote

from .advice import BARE_POST
from .routes import is_version

_LIVE: Final = re.compile(r"/ws/google\.|(?::|%3a)bidigenerate[a-z]*\Z", re.IGNORECASE)
_PROMPTS: Final = frozenset({"contents", "content", "instances"})
"""What the body of a request that fell into the trap of `BARE_POST` holds, one of these."""
_VERSION_MISSING: Final = "the base URL of this client has to end in a version"
_COLLECTIONS: Final = frozenset(
    {
        *("agents", "auth_tokens", "batches", "cachedContents", "corpora", "credentials", "decisions"),
        *("environments", "fileSearchStores", "files", "interactions", "operations", "triggers", "voices"),
        "webhooks",
    }
)
"""What an API path without its version may begin with, besides the words that no cassette can be called."""
_OPENAI: Final = re.compile(
    r"(?:\A|/)(?:chat/completions|embeddings|images/(?:generations|edits)|responses|audio/\w+|moderations)\Z"
)
_VERTEX_ROOTS: Final = frozenset({"projects", "publishers"})


def wants_websocket(path: str, upgrade: str | None) -> bool:
    """Whether a request belongs to the Live API, which speaks WebSocket.

    Args:
        path: its path, as sent.
        upgrade: the value of its Upgrade header, None where it has none.
    """
    return "websocket" in (upgrade or "").lower() or _LIVE.search(path) is not None


def without_api(method: str, prefix: str, body: Any, client: str | None) -> str:
    """What to say to a request whose path has no API in it.

    Args:
        method: its method.
        prefix: all of its path, which `split_prefix` took for a cassette's name.
        body: its parsed JSON, or `canonical.NOT_JSON`.
        client: its ``x-goog-api-client`` header.
    """
    if method == "POST" and isinstance(body, dict) and body.keys() & _PROMPTS:
        return BARE_POST
    if _OPENAI.search(prefix):
        return f"there is no API at {'/' + prefix[:80]!a}: the base URL of an OpenAI client has to end in /v1beta/openai"
    if any(segment.partition(":")[0] in _COLLECTIONS for segment in prefix.split("/")):
        return f"there is no API at {'/' + prefix[:80]!a}: {_VERSION_MISSING}, /v1beta"
    if "google-genai-sdk" in (client or ""):
        return BARE_POST
    return "there is no API at this path: put the base URL of gemtape where that of Google would stand"


def wrong_at_google(api_path: str) -> str:
    """Why none of Google's hosts serves an API path, where that can be told from the path; else empty.

    A gateway may serve it all the same.
    """
    first, *_ = segments = _segments(api_path)
    if first == "upload" and len(segments) > 1 and is_version(segments[1]):
        return ""
    if not is_version(first):
        version = "/v1beta1" if first in _VERTEX_ROOTS else "/v1beta"
        return f"there is no API at {api_path[:80]!a}: {_VERSION_MISSING}, {version}"
    return misspelled(api_path)


def misspelled(api_path: str) -> str:
    """What is wrong with an API path that has a version, where that is known; else empty."""
    segments = _segments(api_path)
    for first, second in ((0, 1), (0, 2)) if segments[1:2] == ["openai"] else ((0, 1),):
        if len(segments) > second and is_version(segments[first]) and is_version(segments[second]):
            twice = "/".join(segments[first : second + 1])
            return (
                f"the path names its version twice, /{twice}: the base URL of this client must not end in one"
            )
    if is_version(segments[0]) and segments[1:] == ["chat", "completions"]:
        return f"there is no API at {api_path[:80]!a}: the base URL of an OpenAI client has to end in /v1beta/openai"
    return ""


def _segments(api_path: str) -> list[str]:
    return [unquote(segment) for segment in api_path.split("/") if segment] or [""]
