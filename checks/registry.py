"""All rules, in the order in which they are listed and asked."""

from __future__ import annotations

from typing import Final

from .rule import Rule
from .rules import (
    conflicting_config,
    dropped_model_turn,
    duplicate_declaration,
    duplicate_id,
    empty_content,
    endless_any,
    failed_finish,
    invalid_arguments,
    invalid_declaration,
    leaked_error,
    leaked_secret,
    malformed_part,
    mismatched_id,
    mismatched_name,
    misplaced_part,
    missing_id,
    missing_signature,
    mixed_response,
    orphan_response,
    out_of_order_call,
    oversized_result,
    premature_response,
    rejected_request,
    reordered_responses,
    repeated_side_effect,
    split_responses,
    trailing_model_turn,
    unanswered_call,
    undeclared_call,
    unusable_allowed_names,
    unvalidated_call,
    wrong_role,
    wrong_start,
)

RULES: Final[tuple[Rule, ...]] = (
    missing_signature.RULE,
    unanswered_call.RULE,
    orphan_response.RULE,
    split_responses.RULE,
    mismatched_id.RULE,
    missing_id.RULE,
    duplicate_id.RULE,
    mismatched_name.RULE,
    reordered_responses.RULE,
    mixed_response.RULE,
    dropped_model_turn.RULE,
    misplaced_part.RULE,
    wrong_role.RULE,
    wrong_start.RULE,
    trailing_model_turn.RULE,
    empty_content.RULE,
    malformed_part.RULE,
    duplicate_declaration.RULE,
    invalid_declaration.RULE,
    unusable_allowed_names.RULE,
    conflicting_config.RULE,
    endless_any.RULE,
    premature_response.RULE,
    out_of_order_call.RULE,
    undeclared_call.RULE,
    invalid_arguments.RULE,
    unvalidated_call.RULE,
    oversized_result.RULE,
    leaked_error.RULE,
    leaked_secret.RULE,
    repeated_side_effect.RULE,
    rejected_request.RULE,
    failed_finish.RULE,
)


def rule_named(name: str) -> Rule | None:
    """The rule with this name, None where there is none."""
    return next((rule for rule in RULES if rule.name == name), None)
