"""The rules and their pages: all listed, all complete, and every example true."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.checks.judge import Judge
from gemtape.checks.page import HEADINGS, parse_page
from gemtape.checks.registry import RULES, rule_named
from gemtape.checks.rule import Rule
from tests.checks.helpers import entries, loud
from tests.checks.pages import parse_example

FOLDER = Path(__file__).parents[2] / "checks" / "rules"
EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def _violations(rule: Rule, heading: str):
    example = parse_example(parse_page(rule.page).sections[heading])
    judge = Judge(settings=example.settings)
    return [item for entry in entries(example.exchanges) for item in judge.judge(entry)]


def test_each_file_of_rules_is_in_the_registry_once():
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}

    assert sorted(rule.name for rule in RULES) == sorted(name.replace("_", "-") for name in files)


def test_a_rule_is_found_by_its_name():
    assert [rule_named(rule.name) for rule in RULES] == list(RULES)
    assert rule_named("no-such-rule") is None


@EACH_RULE
def test_a_page_has_the_headings_in_order(rule: Rule):
    page = parse_page(rule.page)

    assert tuple(page.sections) == HEADINGS
    assert all(page.sections.values())
    assert page.summary.endswith(".")
    assert page.severities


@EACH_RULE
def test_a_rule_fires_on_its_bad_example(rule: Rule):
    violations = _violations(rule, "Bad")

    assert rule.name in [item.rule for item in violations]
    assert {item.severity for item in violations if item.rule == rule.name} <= set(
        parse_page(rule.page).severities
    )


@EACH_RULE
def test_nothing_objects_to_a_good_example(rule: Rule):
    assert loud(_violations(rule, "Good")) == []
