"""``gemtape rules`` as a user runs it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from gemtape.checks.page import HEADINGS
from gemtape.checks.registry import RULES
from gemtape.checks.rule import Rule
from gemtape.cli.main import gemtape

_WIDEST = 130
"""Characters of a line of a page: the lint's line length, and some grace for the examples."""


def _run(*arguments: str):
    return CliRunner().invoke(gemtape, ["rules", *arguments])


def test_the_list_has_a_line_for_each_rule_in_order():
    outcome = _run()

    lines = [line.split(maxsplit=2) for line in outcome.stdout.splitlines()]
    assert outcome.exit_code == 0
    assert [name for name, _, _ in lines] == [rule.name for rule in RULES]
    assert {severity for _, severity, _ in lines} <= {"error", "warning", "info"}
    assert [summary for _, _, summary in lines] == [rule.summary for rule in RULES]


def test_a_name_prints_the_page():
    outcome = _run("split-responses")

    lines = outcome.stdout.splitlines()
    assert outcome.exit_code == 0
    assert lines[0] == "split-responses: The responses to one batch of calls stand in several contents."
    assert [line for line in lines if line in HEADINGS] == list(HEADINGS)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_page_is_text_for_a_terminal(rule: Rule):
    """No markup of docstrings, and no line that ran on when a sentence was put in."""
    page = _run(rule.name).stdout

    assert "``" not in page
    assert [line for line in page.splitlines() if len(line) > _WIDEST] == []


def test_underscores_and_capitals_are_forgiven():
    assert _run("Split_Responses").stdout == _run("split-responses").stdout


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("split-response", "did you mean split-responses?"),
        ("missing-sig", "did you mean missing-signature?"),
        ("zzzzzz", "gemtape rules lists them"),
    ],
)
def test_an_unknown_name_is_one_line_with_a_near_one(name: str, advice: str):
    outcome = _run(name)

    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr == f"gemtape: there is no rule '{name}'; {advice}\n"
