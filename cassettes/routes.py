"""Where a request goes, read from its path: surface, action, model, and the cassette prefix in front of it.

Recognised from the end of the path, since gateways and SDKs put prefixes of their own in front (protocol: the suffix
``models/MODEL:action`` is what all of them share).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote


class Surface(StrEnum):
    """Which of Google's APIs a path belongs to."""

    GEMINI_API = "gemini-api"
    VERTEX = "vertex"
    CODE_ASSIST = "code-assist"
    OPENAI = "openai"
    """The OpenAI-compatible path of the Gemini API."""


CHAT: Final = "chat/completions"
GENERATING: Final = frozenset({"generateContent", "streamGenerateContent", CHAT})
"""The actions that issue signatures and calls and whose requests are judged."""

VERTEX_BETA: Final = "v1beta1"
"""The one version that only Vertex has: a path below it may name no project, as in express mode."""
_VERSION = re.compile(r"v[0-9]+(?:(?:alpha|beta)[0-9]*|internal(?::[A-Za-z]+)?)?\Z")
_API_ROOTS: Final = frozenset({"upload", "models", "tunedModels", "projects", "publishers", "ws", "_gemtape"})


@dataclass(frozen=True, slots=True)
class Route:
    """What a path asks for.

    `resource` is the path without version, project and location: the part that the match key keeps. `action` is the
    method after the last colon, empty for plain resources; `model` is empty where the path names none.
    """

    surface: Surface
    version: str
    resource: str
    action: str
    model: str

    @property
    def generates(self) -> bool:
        """Whether the exchange is judged: a form of generateContent, chat completions among them."""
        return self.action in GENERATING

    @property
    def backend(self) -> Surface:
        """The API behind the path: chat completions are only another way to ask the Gemini API or Vertex."""
        if self.surface is not Surface.OPENAI:
            return self.surface
        return Surface.VERTEX if self.resource.startswith("endpoints/") else Surface.GEMINI_API

    @property
    def streams(self) -> bool:
        """Whether the action answers with a stream of events by its name."""
        return self.action.startswith("stream") or self.action == "serverStreamingPredict"


def starts_api(segment: str) -> bool:
    """Whether a path segment is where an API path begins, and so cannot be part of a cassette's name."""
    return segment in _API_ROOTS or is_version(segment)


def is_version(segment: str) -> bool:
    """Whether a path segment names a version of an API; that of Code Assist may have its method behind it."""
    return _VERSION.match(segment) is not None


def split_prefix(path: str) -> tuple[str, str]:
    """Split a request path into cassette prefix and API path: ``/a/b/v1beta/models`` → ``("a/b", "/v1beta/models")``.

    A path without any API segment is all prefix; its API path is ``/``.
    """
    segments = path.split("/")[1:]
    for index, segment in enumerate(segments):
        if starts_api(unquote(segment)):
            return "/".join(segments[:index]).strip("/"), "/" + "/".join(segments[index:])
    return path.strip("/"), "/"


def parse_route(path: str) -> Route:
    """Read an API path (without prefix and query)."""
    segments = [unquote(segment) for segment in path.split("/") if segment]
    version, segments = _take_version(segments)
    upload = segments[:1] == ["upload"]
    if upload:
        inner, segments = _take_version(segments[1:])  # some clients write the version twice
        version = inner or version
    if version.startswith("v1internal"):
        version, _, action = version.partition(":")
        resource, inner_action = _split_action("/".join(segments))
        return Route(Surface.CODE_ASSIST, version, resource, action or inner_action, "")
    on_vertex = segments[:1] in (["projects"], ["publishers"]) or version == VERTEX_BETA
    surface = Surface.VERTEX if on_vertex else Surface.GEMINI_API
    segments = _drop_place(segments)
    if upload:
        segments = ["upload", *segments]
    if segments[:1] == ["openai"] or segments[-2:] == ["chat", "completions"]:
        action = CHAT if segments[-2:] == ["chat", "completions"] else ""
        return Route(Surface.OPENAI, version, "/".join(segments), action, "")
    resource, action = _split_action("/".join(segments))
    return Route(surface, version, resource, action, _model_of(resource))


def without_place(name: str) -> str:
    """A resource name without the project and location that Vertex puts in front."""
    return "/".join(_drop_place(name.split("/")))


def _take_version(segments: list[str]) -> tuple[str, list[str]]:
    if segments and is_version(segments[0]):
        return segments[0], segments[1:]
    return "", segments


def _drop_place(segments: list[str]) -> list[str]:
    """Project and location say who pays and where, not what is asked."""
    if segments[:1] == ["projects"] and len(segments) >= 2:
        segments = segments[2:]
        if segments[:1] == ["locations"] and len(segments) >= 2:
            segments = segments[2:]
    return segments


def _split_action(resource: str) -> tuple[str, str]:
    head, colon, action = resource.rpartition(":")
    return (head, action) if colon and "/" not in action else (resource, "")


def _model_of(resource: str) -> str:
    """The model's name: what follows the last ``models``, ``tunedModels`` or ``endpoints`` segment."""
    segments = resource.split("/")
    for root in ("models", "tunedModels", "endpoints"):
        if root in segments:
            index = len(segments) - 1 - segments[::-1].index(root)
            if index + 1 < len(segments):
                return segments[index + 1]
    return ""
