"""Text in UTF-16: recognised by how it begins, and searched for secrets character by character, as Windows may write a file."""

from __future__ import annotations

import re
from typing import Final

from .edits import Edit
from .shapes import MARKER, Shapes

_BEGINNINGS: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_TWO_UNITS: Final = re.compile("[\U00010000-\U0010ffff]")


def wide_encoding(body: bytes) -> str:
    """The encoding of a body that begins as UTF-16 does: with its mark, or a character of ASCII; empty for any other."""
    first, second = body[0:1], body[1:2]
    if not second or (first != b"\0" and second != b"\0"):
        return _BEGINNINGS.get(body[:2], "")
    if first == second:
        return ""
    return "utf-16-le" if second == b"\0" else "utf-16-be"


def find_wide(body: bytes, shapes: Shapes) -> list[Edit]:
    """What has to be replaced in a body if it is UTF-16, in order; what is no text all the same costs one search."""
    encoding = wide_encoding(body)
    if not encoding:
        return []
    # With one character for each two bytes, also for those of another plane, a place in the text is one in the bytes.
    text = _TWO_UNITS.sub("\ufffd\ufffd", body[: len(body) & ~1].decode(encoding, "replace"))
    marker = MARKER.encode(encoding)
    return [Edit(2 * start, 2 * end, marker) for start, end in shapes.spans(text)]
