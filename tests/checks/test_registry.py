from __future__ import annotations

from gemtape.checks.registry import RULES, rule_named

# The order of the table in the documentation of rules: signatures, pairing, the model's turns, structure, declarations
# and configuration, what goes wrong around a tool, pins, and what the API answered.
FIRST = (
    "missing-signature",
    "altered-signature",
    "moved-signature",
    "foreign-signature",
    "dropped-signature",
    "bypassed-signature",
)


def test_each_rule_has_a_name_of_its_own():
    names = [rule.name for rule in RULES]

    assert len(set(names)) == len(names)
    assert tuple(names[:6]) == FIRST


def test_a_rule_is_found_by_its_name():
    assert all(rule_named(rule.name) is rule for rule in RULES)
    assert rule_named("no-such-rule") is None
    assert rule_named("missing_signature") is None


def test_every_rule_looks_at_something():
    assert all(rule.on_run or rule.on_request or rule.on_answer for rule in RULES)
