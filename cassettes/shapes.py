"""What a secret looks like: the shapes of Google's keys and tokens, and how to tell quickly that none is there.

A shape is a literal prefix and what must follow, of full length and between word boundaries, so that prose which only
mentions a prefix stays as it is. All but the user's patterns are plain ASCII and read the same in bytes and in text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from .errors import SetupError
from .events import Span

MARKER: Final = "REDACTED"
"""Stands for every secret: safe in URLs, headers and JSON, and no secret's beginning or continuation."""

_WORD: Final = "0-9A-Za-z_-"
# In raw JSON or a URL the character before a secret may be the end of an escape: `\nAIza…`, `%3DAIza…`.
_ESCAPE_ENDS: Final = (r"\\[bfnrt]", r"\\u[0-9A-Fa-f]{4}", "%[0-9A-Fa-f]{2}")
_RULES: Final = (
    # prefix, what follows
    ("AIza", f"[{_WORD}]{{35}}(?![{_WORD}])"),  # API key
    (r"AQ\.", f"[{_WORD}]{{20,}}+"),  # API key of the newer kind
    (
        r"ya29\.",
        rf"[{_WORD}]++(?:\.++[{_WORD}]++)*+",
    ),  # OAuth access token; service accounts' have dots inside
    ("1//", f"[{_WORD}]{{20,}}+"),  # OAuth refresh token
    ("1%2[Ff]%2[Ff]", f"[{_WORD}]{{20,}}+"),  # the same in a URL or form
    ("auth_tokens/", f"[{_WORD}]++"),  # ephemeral token
    ("GOCSPX-", f"[{_WORD}]{{12,}}+"),  # OAuth client secret
)
# One pass over the bytes for each byte that prefixes share: `re` finds a single byte at 3 GB/s, whole prefixes at half
# of that, alternatives at a tenth.
_ANCHORS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rb"z(?<=AIz)a",
        rb"\.(?:(?<=AQ\.)|(?<=ya29\.))",
        rb"/(?:(?<=1/)/|(?<=auth_tokens/))",
        rb"%(?<=1%)2[Ff]%2[Ff]",
        rb"-(?:----BEGIN |(?<=GOCSPX-))",
    )
)
_PREFIX: Final = re.compile("|".join((*(prefix for prefix, _ in _RULES), "-----BEGIN ")))
_LETTER: Final = "u00(?:2[d-fD-F]|3[0-9]|[4-7][0-9A-Fa-f])"
HIDING: Final = re.compile(rf"\\(?:/|{_LETTER})")
"""A JSON escape that spells a character which could be part of a secret (``-./``, digits, letters, ``_``)."""
_HIDING_BYTES: Final = re.compile(HIDING.pattern.encode())
# What PHP wrote is full of escaped slashes; one is of interest only where a secret has its slash.
_HIDING_MORE: Final = re.compile(rf"\\{_LETTER}|(?:1/?|auth_tokens)\\+/".encode())


def _bounded(prefix: str, rest: str) -> str:
    """The prefix at a word's beginning; it comes first in the pattern, which lets `re` search for it literally."""
    ends = "".join(f"|(?<={escape}{prefix})" for escape in _ESCAPE_ENDS)
    return f"{prefix}(?:(?<![0-9A-Za-z]{prefix}){ends}){rest}"


_PEM_KIND: Final = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# A private key to its end line, or, cut off, as far as lines of base64 go. Nothing inside it holds five dashes, so the
# search for the end stops at the next begin line and stays linear.
_PRIVATE_KEY: Final = (
    rf"-----BEGIN {_PEM_KIND}(?:(?:[^-]++|-(?!----))*+-----END {_PEM_KIND}"
    r"|(?:(?:\s|\\[nr])*+[0-9A-Za-z+/]{16,}+={0,2})++)"
)
_SHAPES: Final = (*(_bounded(prefix, rest) for prefix, rest in _RULES), _PRIVATE_KEY)


class Shapes:
    """The known shapes and a user's own patterns (Python regular expressions, searched in text).

    Raises:
        SetupError: a pattern is no regular expression, or matches the empty text.
    """

    def __init__(self, extra_patterns: Sequence[str] = ()) -> None:
        self._bytes = [re.compile(shape.encode()) for shape in _SHAPES]
        self.extra = [_compiled(pattern) for pattern in extra_patterns]
        self._all = [*(re.compile(shape) for shape in _SHAPES), *self.extra]
        self.tag = hashlib.sha256(repr((_SHAPES, tuple(extra_patterns))).encode()).hexdigest()[:8]

    def spans(self, text: str) -> list[Span]:
        """Where secrets are in a text, merged and in order."""
        patterns = self.extra if _PREFIX.search(text) is None else self._all
        found = [
            match.span()
            for pattern in patterns
            for match in pattern.finditer(text)
            if match.end() > match.start()
        ]
        return merged(found) if found else []

    def replaced(self, text: str) -> tuple[str, int]:
        """A text with every secret replaced by `MARKER`, and how many there were."""
        spans = self.spans(text)
        for start, end in reversed(spans):
            text = f"{text[:start]}{MARKER}{text[end:]}"
        return text, len(spans)

    def may_be_in(self, data: bytes) -> bool:
        """Whether one of the known shapes stands in the bytes as it is; says nothing of the user's patterns."""
        return any(anchor.search(data) for anchor in _ANCHORS) and any(
            shape.search(data) for shape in self._bytes
        )


def hides_characters(data: bytes) -> bool:
    """Whether JSON escapes spell characters that need none, which could hide a secret from `may_be_in`."""
    match = _HIDING_BYTES.search(data)
    if match is None:
        return False
    return match.group() != rb"\/" or _HIDING_MORE.search(data) is not None


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same ground in spans that do not overlap, in order; spans that only touch stay apart."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SetupError(f"secret pattern {pattern!r} is not a regular expression: {error}") from error
    if compiled.match(""):
        raise SetupError(f"secret pattern {pattern!r} matches the empty text")
    return compiled
