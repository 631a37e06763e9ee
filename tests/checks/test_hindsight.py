from __future__ import annotations

import pytest

from gemtape.checks.finding import Finding, Severity
from gemtape.checks.hindsight import in_hindsight, less_certain


def finding(severity: str = "warning", **more: object) -> Finding:
    return Finding("some-rule", Severity(severity), ("contents", 0), "told", **more)


def severities(findings: list[Finding], status: int) -> list[str]:
    return [str(item.severity) for item in in_hindsight(findings, status)]


@pytest.mark.parametrize(
    ("severity", "expected"), [("error", "warning"), ("warning", "info"), ("info", "info")]
)
def test_what_is_less_certain_is_a_step_less_severe_and_refused_by_nobody_for_sure(
    severity: str, expected: str
):
    found = less_certain(finding(severity, rejection="no"))

    assert (found.severity, found.rejection, found.suspect) == (expected, "", True)


@pytest.mark.parametrize("status", [0, 200, 429, 500])
def test_what_is_suspect_stays_what_it_is_unless_the_api_refused(status: int):
    assert severities([finding(suspect=True), finding("info", suspect=True)], status) == ["warning", "info"]


def test_a_refusal_makes_errors_of_what_is_suspect():
    assert severities([finding(suspect=True), finding()], 400) == ["error", "warning"]


def test_a_refusal_that_is_explained_leaves_it_alone():
    assert severities([finding("error", rejection="no"), finding(suspect=True)], 400) == ["error", "warning"]


def test_an_answer_takes_back_what_was_only_presumed():
    (found,) = in_hindsight([finding("error", presumed=True, rejection="no")], 200)

    assert (found.severity, found.rejection) == ("info", "")
    assert severities([finding("error", presumed=True, rejection="no")], 0) == ["error"]


@pytest.mark.parametrize(("status", "expected"), [(0, []), (200, []), (503, []), (400, ["error"])])
def test_what_is_kept_back_is_said_only_to_explain_a_refusal(status: int, expected: list):
    assert severities([finding("info", suspect=True, kept_back=True)], status) == expected


def test_what_is_kept_back_stays_back_where_a_refusal_is_explained():
    found = [finding("error", rejection="no"), finding("info", suspect=True, kept_back=True)]

    assert severities(found, 400) == ["error"]
