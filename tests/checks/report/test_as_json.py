"""The JSON report is a public interface: its keys and their order are pinned here."""

from __future__ import annotations

import json

from gemtape.cassettes.models import Violation
from gemtape.cassettes.version import VERSION
from gemtape.checks.report.as_json import to_json
from gemtape.checks.report.model import CassetteReport, Report

FOUND = Violation(
    "missing-signature", "error", 2, "request", "/contents/1/parts/0", "lost", "gemini-3-pro", 400
)


def test_the_whole_document():
    report = Report((CassetteReport("tapes/run.db", 3, 1, (FOUND,), suppressed=4),))

    assert json.loads(to_json(report)) == {
        "gemtape": VERSION,
        "cassettes": [{"path": "tapes/run.db", "exchanges": 3, "conversations": 1}],
        "violations": [
            {
                "cassette": "tapes/run.db",
                "exchange": 2,
                "rule": "missing-signature",
                "severity": "error",
                "at": "request",
                "pointer": "/contents/1/parts/0",
                "message": "lost",
                "model": "gemini-3-pro",
                "status": 400,
            }
        ],
        "summary": {"error": 1, "warning": 0, "info": 0, "suppressed": 4},
    }


def test_keys_come_in_the_documented_order_and_the_text_ends_with_a_line_end():
    text = to_json(Report((CassetteReport("run.db", 0, 0, ()),)))

    assert list(json.loads(text)) == ["gemtape", "cassettes", "violations", "summary"]
    assert list(json.loads(text)["summary"]) == ["error", "warning", "info", "suppressed"]
    assert text.endswith("}\n")
