"""Parts in normal form: what they are, and by what one is found again among others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

from ..cassettes.canonical import stored_form
from ..cassettes.pairing import named
from .faces import call_key, without_nulls

SERVER_SIDE: Final = ("toolCall", "toolResponse", "executableCode", "codeExecutionResult")
"""The parts of tools that run on Google's side."""


def signature_of(part: dict[str, Any]) -> str | None:
    """The thought signature of a part in normal form; None where it has none or an empty one."""
    signature = part.get("thoughtSignature")
    return signature if isinstance(signature, str) and signature else None


def call_of(part: dict[str, Any]) -> dict[str, Any] | None:
    """The function call of a part, None where it is none."""
    call = part.get("functionCall")
    return call if isinstance(call, dict) else None


def kind_of(part: dict[str, Any]) -> frozenset[str]:
    """What a part holds besides its signature."""
    return frozenset(part.keys() - {"thoughtSignature", "thought"})


def describe(part: dict[str, Any]) -> str:
    """A part in a few words, for messages."""
    call = call_of(part)
    if call is not None:
        return f"call {named(call).name or '(unnamed)'}"
    response = part.get("functionResponse")
    if isinstance(response, dict):
        return f"response {named(response).name or '(unnamed)'}"
    if part.get("thought"):
        return "a thought"
    if part.get("text") == "" or set(part) == {"thoughtSignature"}:
        return "an empty part"
    return f"a part with {' and '.join(sorted(kind_of(part)))}"


def is_media(part: dict[str, Any]) -> bool:
    """Whether a part holds an image or a file."""
    return bool(kind_of(part)) and kind_of(part) <= _MEDIA


_MEDIA: Final = frozenset({"inlineData", "fileData", "videoMetadata", "mediaResolution"})


def _call_key(part: dict[str, Any]) -> Any:
    """Id and name of a call."""
    call = named(call_of(part))
    return None if call.id is None else call


def value_key(part: dict[str, Any]) -> Any:
    """All of a part but its signature and its id; a null in user data is as good as absent."""
    call = call_of(part)
    if call is not None:
        return call_key(call)
    bare = {key: without_nulls(value) for key, value in part.items() if key != "thoughtSignature"}
    return hashlib.sha256(stored_form(bare)).digest()


def _signature_key(part: dict[str, Any]) -> Any:
    signature = signature_of(part)
    return None if signature is None else (signature, kind_of(part))


def _id_key(part: dict[str, Any]) -> Any:
    """The id of a call, or of a part of a server-side tool."""
    ids = ((key, named(part.get(key)).id) for key in ("functionCall", *SERVER_SIDE))
    return next((item for item in ids if item[1] is not None), None)


def _name_key(part: dict[str, Any]) -> Any:
    return named(call_of(part)).name


def _kind_key(part: dict[str, Any]) -> Any:
    """What a part is, where that is enough: a text, media, a part of a server-side tool."""
    kind = kind_of(part)
    if "functionCall" in kind or not kind:
        return None
    return _MEDIA if is_media(part) else kind


KEYS: Final[tuple[Callable[[dict[str, Any]], Any], ...]] = (
    _call_key,
    value_key,
    _signature_key,
    _id_key,
    _name_key,
    _kind_key,
)
"""By what an issued part is found again in a run, the surest first."""
