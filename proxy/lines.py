"""What the terminal shows: one line an exchange, and log lines, with no secret in them and nothing that a terminal obeys."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from ..cassettes.entry import Entry
from ..cassettes.models import Failure, Violation
from ..cassettes.shapes import MARKER, Shapes

_SHOWN: Final = 60
FAILURES: Final = {
    Failure.REFUSED: "no connection",
    Failure.RESET: "broken off",
    Failure.TIMEOUT: "timed out",
    Failure.CLIENT_GONE: "the client left",
}
"""How an exchange broke off, in few words."""
_SEVERITIES: Final = ("error", "warning", "info")
_SHAPES: Final = Shapes()
# mitmproxy quotes requests that it could not read, as Python spells bytes, and a key of any shape may stand in them.
_NAMED: Final = (
    re.compile(
        r"([?&;]\$?(?:api_?key|key|access_token|oauth_token|token|upload_id)=)[^&;\s'\"\\]+", re.IGNORECASE
    ),
    re.compile(r"((?:x-goog-api-key|authorization|cookie)['\"]?[:,]\s*b?['\"]?)[^'\"\\\r\n]+", re.IGNORECASE),
)


def exchange_line(name: str, entry: Entry, violations: Iterable[Violation], first_byte_ms: int) -> str:
    """One exchange: number, model, action, status, time to first byte, total, calls, violations.

    Args:
        name: the cassette's name in a folder; empty where there is only one.
        entry: the exchange as stored; number 0 where it was left out.
        violations: what the checks found in it.
        first_byte_ms: milliseconds until the answer began; 0 where none came.
    """
    words = [
        f"{name}#{entry.number or '-'}",
        entry.model,
        entry.route.action or f"{entry.method} {entry.path}",
    ]
    words.append(str(entry.status or "no answer"))
    if entry.failure:
        words.append(FAILURES[entry.failure])
    if entry.status:
        words.append(f"first byte {_duration(first_byte_ms)}")
    words.append(f"total {_duration(entry.duration_ms)}")
    words += _calls(entry)
    return "  ".join([*(printable(word) for word in words if word), *_found(violations)])


def replay_line(name: str, entry: Entry, violations: Iterable[Violation], note: str) -> str:
    """A request that was answered from the cassette: the exchange, model, action, status, calls, violations.

    Args:
        name: the cassette's name in a folder; empty where there is only one.
        entry: the exchange that answered.
        violations: what the checks found in the request.
        note: what else there is to say in one sentence; may be empty.
    """
    words = [
        f"replayed {name}#{entry.number}",
        entry.model,
        entry.route.action or f"{entry.method} {entry.path}",
        str(entry.status or "no answer"),
        *_calls(entry),
    ]
    said = [harmless(without_secrets(note))] if note else []
    return "  ".join([*(printable(word) for word in words if word), *_found(violations), *said])


def printable(text: str) -> str:
    """Text without control characters (a terminal would obey them), cut to a length that fits a line."""
    shown = harmless(text)
    if len(shown) > _SHOWN:
        # A key that the cut goes through would no longer be known for one.
        shown = without_secrets(shown)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def harmless(text: str) -> str:
    """Text without control characters, whole."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def without_secrets(text: str) -> str:
    """Text from a log or an error, with what is or looks like a secret replaced."""
    for pattern in _NAMED:
        text = pattern.sub(rf"\g<1>{MARKER}", text)
    return _SHAPES.replaced(text)[0]


class LogToLines(logging.Handler):
    """Shows what mitmproxy and the addon log; without a handler of its own an error would be shown nowhere."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record, its traceback included."""
        lines = without_secrets(self.format(record)).splitlines()
        self._say("\n".join(map(harmless, lines)))


def _calls(entry: Entry) -> list[str]:
    """``["2 calls (f, g)"]``."""
    names = [str(call.get("name", "?")) for call in entry.answer.calls]
    return [f"{len(names)} {'call' if len(names) == 1 else 'calls'} ({', '.join(names)})"] if names else []


def _found(violations: Iterable[Violation]) -> list[str]:
    """``["2 errors: missing-signature, unanswered-call", "1 info: missing-id"]``."""
    rules: dict[str, Counter[str]] = {}
    for violation in violations:
        rules.setdefault(violation.severity, Counter())[violation.rule] += 1
    groups = []
    for severity in _SEVERITIES:
        if severity in rules:
            count = rules[severity].total()
            plural = "s" if count > 1 and severity != "info" else ""
            groups.append(f"{count} {severity}{plural}: {', '.join(rules[severity])}")
    return groups


def _duration(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
