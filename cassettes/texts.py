"""Text from the wire that can be stored: bytes that are no UTF-8 come in as lone surrogates, which JSON and SQLite refuse."""

from __future__ import annotations

import re
from typing import Final

from .models import Headers

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def storable_url(text: str) -> str:
    """A path or query with such bytes percent-encoded, which means the same."""
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"%{_byte_of(found):02X}", text)


def storable_text(text: str) -> str:
    """A header's text with such bytes as Latin-1, which is how HTTP reads them."""
    return text if text.isascii() else _SURROGATE.sub(lambda found: chr(_byte_of(found)), text)


def storable_headers(headers: Headers) -> Headers:
    """Headers with such bytes as Latin-1."""
    if all(name.isascii() and value.isascii() for name, value in headers):
        return headers
    return tuple((storable_text(name), storable_text(value)) for name, value in headers)


def _byte_of(found: re.Match[str]) -> int:
    """The byte that `surrogateescape` made a surrogate of; a question mark for any other surrogate."""
    code = ord(found.group())
    return code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else ord("?")
