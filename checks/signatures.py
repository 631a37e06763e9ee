"""Thought signatures as text: which values switch validation off, and how one differs from the one that was issued.

All in normal form: standard alphabet, no padding at the end. A signature that was joined from two keeps the padding that
stood between them.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, Final, NamedTuple

from ..cassettes.normal import normalise_base64
from ..cassettes.routes import Surface

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*")
_DEEPEST: Final = 3
"""Times that a signature may have been encoded again."""


class Bypass(NamedTuple):
    """A value that Google documents for histories that have no signature, and the surfaces that document it."""

    value: str
    surfaces: frozenset[Surface]


_ANYWHERE: Final = Bypass("skip_thought_signature_validator", frozenset(Surface))
_GEMINI_API_ONLY: Final = Bypass("context_engineering_is_the_way_to_go", frozenset({Surface.GEMINI_API}))
# The second one is misprinted on one page, and copied from there.
_SPELLINGS: Final = {
    _ANYWHERE: ("skip_thought_signature_validator",),
    _GEMINI_API_ONLY: ("context_engineering_is_the_way_to_go", "context_engineering_is_the_way to_go"),
}
_BYPASSES: Final = {
    normalise_base64(text): bypass
    for bypass, spellings in _SPELLINGS.items()
    for spelling in spellings
    for text in (spelling, base64.b64encode(spelling.encode()).decode())
}


def bypass_of(signature: str) -> Bypass | None:
    """The documented value that a signature is, raw or in base64; None where it is none."""
    return _BYPASSES.get(signature)


def is_decodable(signature: Any) -> bool:
    """Whether a signature is base64 at all."""
    if not isinstance(signature, str):
        return False
    text = "".join(signature.split())
    return _BASE64.fullmatch(text) is not None and len(text) % 4 != 1


def same_bytes(first: str, second: str) -> bool:
    """Whether two signatures spell the same bytes: the last character may leave bits unused."""
    return first == second or (_decoded(first) == _decoded(second) != b"")


def alteration(issued: str, sent: str) -> str:
    """How a signature differs from the one that was issued, in words; both in normal form, and different."""
    if "".join(sent.split()) == issued:
        return "has white space in it"
    if _is_encoded_again(issued, sent):
        return "is base64 of base64: it was encoded twice"
    if _is_joined(issued, sent):
        return f"is joined with something else: {len(issued)} of its {len(sent)} characters were issued"
    if _holds(issued, sent):
        return f"is truncated: {len(sent)} of {len(issued)} characters"
    if not is_decodable(sent):
        return "is not base64 any more"
    at = next((index for index, (a, b) in enumerate(zip(issued, sent, strict=False)) if a != b), 0)
    return f"is edited: it differs from character {at + 1} on"


def _is_encoded_again(issued: str, sent: str) -> bool:
    text = sent
    for _ in range(_DEEPEST):
        decoded = _decoded(text)
        try:
            text = normalise_base64(decoded.decode("ascii")) if decoded else ""
        except UnicodeDecodeError:
            return False
        if text == issued:
            return True
    return False


def _is_joined(issued: str, sent: str) -> bool:
    """Whether one holds the other and more, as text or as bytes."""
    if len(sent) <= len(issued):
        return False
    if sent.startswith(issued) or sent.endswith(issued):
        return True
    inner, outer = _decoded(issued), _decoded(sent)
    return bool(inner) and (outer.startswith(inner) or outer.endswith(inner))


def _holds(issued: str, sent: str) -> bool:
    """Whether what was sent is the beginning or the end of what was issued, as text or as bytes."""
    if issued.startswith(sent) or issued.endswith(sent):
        return True
    whole, piece = _decoded(issued), _decoded(sent)
    return bool(piece) and (whole.startswith(piece) or whole.endswith(piece))


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
