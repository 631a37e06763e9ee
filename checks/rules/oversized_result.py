"""A function's result is far larger than a model can use.

What it finds
    A functionResponse whose ``response`` is over 64 KB as JSON, has a list of over 1,000 items, or is nested over 16 deep;
    JSON within a text counts as what it spells. Media in ``parts`` does not count.

Why it matters
    The whole result is sent again with every later request of the conversation: it is paid for each time, pushes older
    turns out of the window, and the few values that matter drown in it.

Bad
    request [
        {"role": "user", "parts": [{"text": "Which path?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_path", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_path", "response":
            {"next": {"next": {"next": {"next": {"next": {"next": {"next": {"next": {"next":
            {"next": {"next": {"next": {"next": {"next": {"next": {"next": {"next": "here"}}}}}}}}}}}}}}}}}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Which path?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_path", "args": {}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_path", "response": {"steps": 17, "end": "here"}}}]}
    ]

How it happens, and how to mend it
    The tool returns a database row, a page or an object graph as it is. Return the fields that the model needs, page long
    lists, and say how many there are.

Severity
    warning.

Source
    Limits of our own; the API only limits the request as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...cassettes.canonical import stored_form
from ..finding import Finding, Scope, Severity, content_place
from ..results import unpacked
from ..rule import Rule, RunContext

NAME = "oversized-result"
_MOST_BYTES: Final = 64 * 1024
_MOST_ITEMS: Final = 1000
_MOST_LEVELS: Final = 16


def check(context: RunContext) -> Iterator[Finding]:
    """Results that are too big, too long or too deep."""
    for response in context.run.responses:
        value = response.value.get("response")
        why = list(_excesses(value))
        if why:
            yield Finding(
                NAME,
                Severity.WARNING,
                content_place(response.at.content, response.at.part),
                f"the result of {response.named.name or '(unnamed)'} {' and '.join(why)}",
                scope=Scope.ONCE,
            )


def _excesses(value: Any) -> Iterator[str]:
    size = len(stored_form(value))
    if size > _MOST_BYTES:
        yield f"is {size // 1024:,} KB long"
    items, levels = _extent(value)
    if items > _MOST_ITEMS:
        yield f"has a list of {items:,} items"
    if levels > _MOST_LEVELS:
        yield f"is nested {levels} deep"


def _extent(value: Any) -> tuple[int, int]:
    """The length of the longest list, and how deep objects and lists are nested."""
    longest = deepest = 0
    pending = [(value, 1)]
    while pending:
        item, level = pending.pop()
        if isinstance(item, dict):
            children = list(item.values())
        elif isinstance(item, list):
            children = item
            longest = max(longest, len(item))
        elif isinstance(item, str) and (inner := unpacked(item, _MOST_BYTES)) is not item:
            pending.append((inner, level))
            continue
        else:
            continue
        deepest = max(deepest, level)
        pending.extend((child, level + 1) for child in children)
    return longest, deepest


RULE = Rule(NAME, __doc__ or "", on_run=check)
