"""The report as text for a terminal: by cassette and exchange, what repeats said once."""

from __future__ import annotations

from collections import defaultdict
from textwrap import wrap

from ...cassettes.models import Violation
from ..finding import Severity
from .model import CassetteReport, Report

_WIDTH = 100
_INDENT = " " * 6


def to_text(report: Report) -> str:
    """The report as lines of text, with a line end."""
    lines: list[str] = []
    for cassette in report.cassettes:
        lines += _cassette(cassette)
    return "\n".join([*map(_printable, lines), _summary(report)]) + "\n"


def _cassette(cassette: CassetteReport) -> list[str]:
    counts = f"{_plural(cassette.exchanges, 'exchange')}, {_plural(cassette.conversations, 'conversation')}"
    lines = [f"{cassette.path}: {counts}", ""]
    again: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for item in cassette.violations:
        again[item.rule, item.pointer, item.message].append(item.exchange)
    shown: dict[int, list[Violation]] = defaultdict(list)
    for item in cassette.violations:
        if again[item.rule, item.pointer, item.message][0] == item.exchange:
            shown[item.exchange].append(item)
    for number, violations in shown.items():
        status = violations[0].status
        lines.append(f"  exchange {number}  {cassette.calls.get(number, '')}  {status or 'no answer'}")
        for item in violations:
            repeats = again[item.rule, item.pointer, item.message][1:]
            lines += _violation(item, repeats)
        lines.append("")
    return lines


def _violation(item: Violation, repeats: list[int]) -> list[str]:
    where = item.pointer if item.at == "request" else f"answer {item.pointer}"
    lines = [f"    {item.severity:<8} {item.rule}  {where}"]
    message = item.message
    if repeats:
        message += f" (again in exchange {_numbers(repeats)})"
    lines += wrap(_printable(message), _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return lines


def _numbers(numbers: list[int]) -> str:
    """``3, 4, 7``; long lists are cut."""
    shown = ", ".join(map(str, numbers[:5]))
    return f"{shown} and {len(numbers) - 5} more" if len(numbers) > 5 else shown


def _printable(text: str) -> str:
    """Recorded text may hold anything; control characters must not reach the terminal."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _summary(report: Report) -> str:
    counts = ", ".join(
        _plural(report.count(severity), str(severity)) for severity in reversed(list(Severity))
    )
    suppressed = f", {report.suppressed} suppressed" if report.suppressed else ""
    worst = max(
        (item for cassette in report.cassettes for item in cassette.violations),
        key=lambda item: list(Severity).index(Severity(item.severity)),
        default=None,
    )
    advice = f"\n`gemtape rules {worst.rule}` explains a rule." if worst else ""
    return f"{counts}{suppressed}{advice}"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 or word == "info" else f"{count} {word}s"
