"""The lint cases: each expected finding at its place, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.models import Violation
from gemtape.checks.judge import Judge
from gemtape.checks.registry import RULES
from tests.cases import CASES, CATEGORIES, NEVER_COUNTED, case_exchanges, category_of, load_case
from tests.checks.helpers import entries

FILES = sorted(CASES.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_case_is_judged_as_it_says(path: Path):
    case = load_case(path)
    expected = case.get("expect", [])

    judge = Judge()
    found = [item for entry in entries(case_exchanges(case)) for item in judge.judge(entry)]

    missed = [
        item
        for item in expected
        if not any(_is(violation, item) and violation.severity == item["severity"] for violation in found)
    ]
    unexpected = [
        (violation.exchange - 1, violation.rule, violation.severity, violation.pointer)
        for violation in found
        if violation.severity != "info"
        and violation.rule not in NEVER_COUNTED
        and not any(_is(violation, item) for item in [*expected, *case.get("tolerate", [])])
    ]
    assert missed == []
    assert unexpected == []


def test_the_cases_are_there():
    assert len(FILES) > 50
    assert {case.get("expect_none", False) for case in map(load_case, FILES)} == {True, False}


def test_every_rule_has_one_category_or_is_never_counted():
    names = [rule.name for rule in RULES]
    counted = [name for rules in CATEGORIES.values() for name in rules]

    assert [name for name in names if (counted.count(name) + (name in NEVER_COUNTED)) != 1] == []


@pytest.mark.parametrize(
    ("where", "pointer", "met"),
    [
        ("contents[2].parts[0]", "/contents/2/parts/0", True),
        ("contents[2].parts[0]", "/contents/2", True),
        ("contents[2]", "/contents/2/parts/0/functionResponse/id", True),
        ("contents[2]", "/request/contents/2", True),
        ("tools", "/tools", True),
        ("contents[2]", "/contents/20", False),
        ("contents[2].parts[0]", "/contents/2/parts/1", False),
        ("contents[2].parts[0]", "", False),
        ("toolConfig", "/tools", False),
    ],
)
def test_a_place_is_met_by_an_equal_higher_or_deeper_pointer(where: str, pointer: str, met: bool):
    assert _meets(where, pointer) is met


def _is(violation: Violation, item: dict[str, Any]) -> bool:
    categories = [item["category"], *item.get("alt_categories", [])]
    return (
        violation.exchange - 1 == item["exchange"]
        and category_of(violation.rule) in categories
        and _meets(item["where"], violation.pointer)
    )


def _meets(where: str, pointer: str) -> bool:
    wanted = re.findall(r"\w+", where)
    keys = pointer.split("/")[1:]
    if keys[:1] == ["request"]:
        keys = keys[1:]
    common = min(len(wanted), len(keys))
    return common > 0 and wanted[:common] == keys[:common]
