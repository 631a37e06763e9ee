"""What a run must not pass with: each request without an answer, and each violation once."""

from __future__ import annotations

import pytest

from gemtape.cassettes.models import Violation
from gemtape.checks import complaints as module
from gemtape.checks.complaints import Complaints
from gemtape.checks.finding import Severity


def violation(severity: Severity = Severity.ERROR, message: str = "gone") -> Violation:
    return Violation("missing-signature", severity, 1, "request", "/contents/1", message, "m", 200)


def told(severity: str, what: str, message: str = "gone", more: str = "") -> str:
    return f"{severity}  missing-signature at /contents/1 of {what}: {message}{more}"


def test_nothing_fails_where_nothing_was_wrong():
    complaints = Complaints()

    assert list(complaints.paragraphs()) == []
    assert not complaints.fails(Severity.INFO)


def test_requests_without_an_answer_come_first_and_fail_whatever_the_severity():
    complaints = Complaints()
    complaints.violations([violation()], "request 1")
    complaints.unanswered("miss  request 2", "not recorded")

    assert list(complaints.paragraphs()) == ["miss  request 2: not recorded", told("error", "request 1")]
    assert list(complaints.paragraphs(None)) == ["miss  request 2: not recorded"]
    assert complaints.fails(Severity.ERROR)
    assert not complaints.fails(None)


def test_the_same_violation_is_told_once_with_how_often_it_came_back():
    complaints = Complaints()
    for number in (1, 2, 3):
        complaints.violations([violation()], f"request {number}")
    complaints.violations([violation()], "request 4", "another session")

    assert complaints.count(Severity.ERROR) == 2
    assert list(complaints.paragraphs()) == [
        told("error", "request 1", more=" (again in 2 more)"),
        told("error", "request 4"),
    ]


@pytest.mark.parametrize(
    ("threshold", "severities"),
    [
        (Severity.ERROR, ["error"]),
        (Severity.WARNING, ["error", "warning"]),
        (Severity.INFO, ["error", "warning", "info"]),
        (None, []),
    ],
)
def test_severity_and_worse(threshold: Severity | None, severities: list[str]):
    complaints = Complaints()
    for severity in Severity:
        complaints.violations([violation(severity, severity)], "request 1")

    assert set(complaints.paragraphs(threshold)) == {told(word, "request 1", word) for word in severities}


def test_severity_that_nothing_reaches_fails_nothing():
    complaints = Complaints()
    complaints.violations([violation(Severity.WARNING)], "request 1")

    assert complaints.fails(Severity.WARNING)
    assert not complaints.fails(Severity.ERROR)


def test_long_lists_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_MOST", 2)
    complaints = Complaints()
    for number in range(5):
        complaints.unanswered(f"miss  request {number}", "not recorded")

    assert list(complaints.paragraphs())[2:] == ["and 3 more requests that got no recorded answer"]
