"""All rules, in the order in which they are listed and asked."""

from __future__ import annotations

from typing import Final

from .rule import Rule
from .rules import (
    dropped_model_turn,
    mismatched_id,
    mismatched_name,
    missing_signature,
    orphan_response,
    unanswered_call,
)

RULES: Final[tuple[Rule, ...]] = (
    missing_signature.RULE,
    unanswered_call.RULE,
    orphan_response.RULE,
    mismatched_id.RULE,
    mismatched_name.RULE,
    dropped_model_turn.RULE,
)


def rule_named(name: str) -> Rule | None:
    """The rule with this name, None where there is none."""
    return next((rule for rule in RULES if rule.name == name), None)
