"""Names of what an API made and keeps for a while (files, caches, operations): issued by answers, held by requests.

Such a name means something only to the server that issued it, and only to the owner of the key it was issued to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from . import canonical
from .entry import Entry

_KINDS: Final = (
    "files",
    "cachedContents",
    "interactions",
    "operations",
    "batches",
    "tunedModels",
    "fileSearchStores",
    "corpora",
    "documents",
    "batchPredictionJobs",
    "tuningJobs",
    "ragCorpora",
)
_ID: Final = r"[0-9A-Za-z_.-]+"
_NAME: Final = re.compile(rf"(?:^|/)((?:{'|'.join(_KINDS)})/{_ID})(?=$|[/:?])")
_IN_AN_ANSWER: Final = re.compile(rf"(?:{'|'.join(_KINDS)})/{_ID}".encode())
_OF_AN_INTERACTION: Final = re.compile(rf'"id"\s*:\s*"({_ID})"'.encode())
_PREVIOUS: Final = frozenset({"previous_interaction_id", "previousInteractionId"})
_IN_A_PROMPT: Final = frozenset({"fileUri", "file_uri", "file_id", "cachedContent", "cached_content"})
"""Members of a generating request, chat completions among them, that hold a name; all else is said to the model."""
_WORDS: Final = frozenset({"text", "args", "response", "labels", "parameters"})
"""Members whose values are words of somebody, in any request."""


def names_issued(entry: Entry) -> set[str]:
    """The names in the answer of an exchange, as ``files/abc``; what a model says of a file issues none."""
    if entry.response is None or not 200 <= entry.status < 300 or entry.route.generates:
        return set()
    body = entry.response.body
    issued = {found.decode() for found in _IN_AN_ANSWER.findall(body)}
    if entry.route.resource.startswith("interactions"):
        issued |= {f"interactions/{found.decode()}" for found in _OF_AN_INTERACTION.findall(body)}
    return issued


def names_held(request: Entry) -> set[str]:
    """The names in the path and the body of a request, as ``files/abc``."""
    names = set(_NAME.findall(request.route.resource))
    if request.raw_body is not None:
        return names
    body = request.body()
    if not _IN_AN_ANSWER.search(body) and not any(name.encode() in body for name in _PREVIOUS):
        return names  # known without looking at each of its values
    value = canonical.parse(body)
    return names | set(_held(value, only=_IN_A_PROMPT if request.route.generates else None))


def _held(value: Any, *, only: frozenset[str] | None, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for member, inner in value.items():
            if member not in _WORDS:
                yield from _held(inner, only=only, name=member)
    elif isinstance(value, list):
        for item in value:
            yield from _held(item, only=only, name=name)
    elif isinstance(value, str) and name in _PREVIOUS:
        yield f"interactions/{value.removeprefix('interactions/')}"
    elif isinstance(value, str) and (only is None or name in only):
        yield from _NAME.findall(value)
