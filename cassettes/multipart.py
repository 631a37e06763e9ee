"""Multipart bodies taken apart: what they hold, whatever the boundary that a client made up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_BOUNDARY: Final = re.compile(r';\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))', re.IGNORECASE)

_PADDING: Final = 80
"""Bytes in which the line of a delimiter ends."""


@dataclass(frozen=True, slots=True)
class BodyPart:
    """One part: its headers by lower-case name, and its bytes."""

    headers: dict[str, str]
    data: bytes

    @property
    def is_json(self) -> bool:
        """Whether it says that it is JSON."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def split_multipart(body: bytes, content_type: str | None) -> list[BodyPart] | None:
    """The parts of a body; None where it is not of this kind, or not whole."""
    kind = content_type or ""
    found = _BOUNDARY.search(kind)
    if not kind.lstrip().lower().startswith("multipart/") or found is None:
        return None
    delimiter = b"--" + (found[1] or found[2]).encode("utf-8", "surrogatepass")
    # Some programs write bare line feeds; how the first delimiter's line ends tells.
    _, _, rest = body.partition(delimiter)
    line_end = b"\r\n" if rest[:_PADDING].lstrip(b" \t").startswith(b"\r\n") else b"\n"
    _, *pieces = (line_end + body).split(line_end + delimiter)
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        return None
    return [_part(piece, line_end) for piece in pieces[:-1]]


def _part(piece: bytes, line_end: bytes) -> BodyPart:
    """A part from what stands between two delimiters: the rest of the first one's line, headers, a blank line, bytes."""
    head, _, data = piece.partition(line_end * 2)
    headers: dict[str, str] = {}
    for line in head.decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return BodyPart(headers, data)
