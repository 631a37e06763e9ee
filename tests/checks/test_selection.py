"""Choosing violations: what stays, with which severity, and how many were left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gemtape.cassettes.models import Violation
from gemtape.checks.baseline import fingerprint
from gemtape.checks.finding import Severity
from gemtape.checks.selection import Selection

ERROR = Violation("missing-signature", "error", 2, "request", "/contents/1/parts/0", "call f has none")
WARNING = Violation("leaked-error", "warning", 3, "request", "/contents/2/parts/0", "a trace")
INFO = Violation("missing-id", "info", 3, "request", "/contents/2/parts/0", "no id")
FOUND = [ERROR, WARNING, INFO]


def _rules(selection: Selection, cassette: str = "tapes/refunds/happy.db") -> tuple[list[str], int]:
    kept, suppressed = selection.apply(FOUND, cassette)
    return [item.rule for item in kept], suppressed


def test_without_a_choice_everything_stays():
    assert Selection().apply(iter(FOUND)) == (FOUND, 0)


@pytest.mark.parametrize(
    ("selection", "rules"),
    [
        (Selection(select=frozenset({"leaked-error"})), ["leaked-error"]),
        (Selection(ignore=frozenset({"leaked-error"})), ["missing-signature", "missing-id"]),
        (
            Selection(select=frozenset({"leaked-error", "missing-id"}), ignore=frozenset({"missing-id"})),
            ["leaked-error"],
        ),
    ],
    ids=["select", "ignore", "both"],
)
def test_rules_are_chosen_and_left_out(selection: Selection, rules: list[str]):
    assert _rules(selection) == (rules, len(FOUND) - len(rules))


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("tapes/refunds/happy.db", True),
        ("refunds/happy.db", True),
        ("refunds/*", True),
        ("happy.db", True),
        ("happy", True),
        ("hap*", True),
        ("*", True),
        ("*.db", True),
        ("funds/*", False),
        ("sad.db", False),
        ("refunds", False),
    ],
)
@pytest.mark.parametrize(
    "cassette", ["tapes/refunds/happy.db", "tapes\\refunds\\happy.db", "tapes/refunds/happy"]
)
def test_rules_are_ignored_in_cassettes_that_fit_a_pattern(cassette: str, pattern: str, fits: bool):
    selection = Selection(
        per_cassette_ignore={pattern: frozenset({"missing-signature"}), "x": frozenset({"y"})}
    )

    assert _rules(selection, cassette)[1] == int(fits)
    assert selection.tells("missing-signature", cassette) is not fits
    assert selection.tells("leaked-error", cassette)


def test_severities_are_changed_and_nothing_else():
    selection = Selection(severity={"missing-signature": Severity.INFO, "missing-id": Severity.ERROR})

    kept, suppressed = selection.apply(FOUND, "a.db")
    assert kept == [replace(ERROR, severity="info"), WARNING, replace(INFO, severity="error")]
    assert suppressed == 0


def test_what_is_in_the_baseline_is_suppressed_at_every_place_and_in_its_cassette_only():
    selection = Selection(baseline=frozenset({fingerprint(ERROR, "tapes/happy.db")}))
    again = replace(ERROR, exchange=9, pointer="/contents/5/parts/1")

    assert selection.apply([ERROR, again, WARNING], "tapes/happy.db") == ([WARNING], 2)
    assert selection.apply([ERROR], "tapes/other.db") == ([ERROR], 0)


def test_another_severity_does_not_take_a_violation_out_of_the_baseline():
    known = frozenset({fingerprint(ERROR, "a.db")})

    assert Selection(severity={ERROR.rule: Severity.INFO}, baseline=known).apply([ERROR], "a.db") == ([], 1)
