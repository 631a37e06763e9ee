"""The report as JSON: a public interface, pinned by tests."""

from __future__ import annotations

from typing import Any

import orjson

from ...cassettes.models import Violation
from ...cassettes.version import VERSION
from ..finding import Severity
from .model import Report


def to_json(report: Report) -> str:
    """The report as one JSON object, indented, with a line end."""
    value = {
        "gemtape": VERSION,
        "cassettes": [
            {"path": item.path, "exchanges": item.exchanges, "conversations": item.conversations}
            for item in report.cassettes
        ],
        "violations": [
            _violation(item.path, found) for item in report.cassettes for found in item.violations
        ],
        "summary": {
            **{str(severity): report.count(severity) for severity in reversed(list(Severity))},
            "suppressed": report.suppressed,
        },
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"


def _violation(path: str, found: Violation) -> dict[str, Any]:
    return {
        "cassette": path,
        "exchange": found.exchange,
        "rule": found.rule,
        "severity": found.severity,
        "at": found.at,
        "pointer": found.pointer,
        "message": found.message,
        "model": found.model,
        "status": found.status,
    }
