"""A rule's page taken apart: its first line, and the text under each heading."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent
from typing import Final

from .finding import Severity

HEADINGS: Final = (
    "What it finds",
    "Why it matters",
    "Bad",
    "Good",
    "How it happens, and how to mend it",
    "Severity",
    "Source",
)
"""The headings of every page, in this order."""
EXAMPLES: Final = ("Bad", "Good")
"""The headings whose text is an example: requests and answers, which a test judges."""

_SEVERITY: Final = re.compile(rf"\b(?:{'|'.join(Severity)})\b")


@dataclass(frozen=True)
class Page:
    """A page: `sections` holds the text under each heading, without its indentation, in the page's order."""

    summary: str
    sections: dict[str, str]

    @property
    def severities(self) -> tuple[Severity, ...]:
        """The severities that the page names, the usual one first."""
        found = _SEVERITY.findall(self.sections.get("Severity", ""))
        return tuple(map(Severity, dict.fromkeys(found)))


@lru_cache(maxsize=128)
def parse_page(text: str) -> Page:
    """Take a page apart: headings begin their line, what is under them is indented."""
    summary, _, rest = text.strip().partition("\n")
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in rest.splitlines():
        if line.strip() and not line[0].isspace():
            lines = sections.setdefault(line.strip(), [])
        else:
            lines.append(line)
    return Page(summary, {heading: dedent("\n".join(body)).strip() for heading, body in sections.items()})
