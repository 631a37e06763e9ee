"""The API's words for what it refuses, and the rules that they speak of."""

from __future__ import annotations

import pytest

from gemtape.cassettes.routes import Surface
from gemtape.checks import apierrors
from gemtape.checks.refusals import concerns_account, rules_spoken_of
from gemtape.checks.target import Target

GEMINI = Target(Surface.GEMINI_API, "gemini-3-pro-preview", (3, 0))
VERTEX = Target(Surface.VERTEX, "gemini-3-pro-preview", (3, 0))


@pytest.mark.parametrize("target", [GEMINI, VERTEX], ids=["gemini", "vertex"])
@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("missing-signature", lambda target: apierrors.missing_signature(target, "f", 1)),
        ("wrong-role", lambda _: apierrors.invalid_role("system")),
        ("wrong-role", lambda _: apierrors.invalid_role("function")),
        ("trailing-model-turn", apierrors.trailing_model_turn),
        ("empty-content", apierrors.no_contents),
        ("empty-content", lambda target: apierrors.no_parts(target, 0)),
        ("empty-content", lambda target: apierrors.no_data(target, 0, 1)),
        ("malformed-part", lambda target: apierrors.unknown_field(target, "contents[0]", "id")),
        ("invalid-declaration", lambda target: apierrors.invalid_function_name(target, 0, 0)),
        ("duplicate-declaration", lambda _: apierrors.duplicate_declaration("f")),
        ("mismatched-name", lambda target: apierrors.empty_response_name(target, 0, 1)),
        ("unanswered-call", lambda _: apierrors.COUNT),
        ("wrong-start", lambda _: apierrors.CALL_ORDER),
        ("orphan-response", lambda _: apierrors.RESPONSE_ORDER),
        ("unusable-allowed-names", lambda _: apierrors.SUBSET),
        ("conflicting-config", lambda _: apierrors.CACHED),
        ("conflicting-config", lambda _: apierrors.BUILT_IN),
        ("conflicting-config", lambda _: apierrors.BUILT_IN_BEFORE_3),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_our_own_wordings_speak_of_their_rules(rule: str, message, target: Target):
    assert rules_spoken_of(message(target))[0] == rule


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ("Corrupted thought signature.", "altered-signature"),
        (
            "Unable to submit request because Thought signature is not valid.. Learn more: x",
            "altered-signature",
        ),
        ("Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES)", "altered-signature"),
        (
            "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
            "mismatched-name",
        ),
    ],
)
def test_reported_wordings(message: str, rule: str):
    assert rules_spoken_of(message)[0] == rule


@pytest.mark.parametrize(
    "message", ["", "The model is overloaded.", "Cannot fetch content from the provided URL."]
)
def test_other_words_speak_of_no_rule(message: str):
    assert rules_spoken_of(message) == ()


def test_refusals_of_the_account():
    assert concerns_account("API key not valid. Please pass a valid API key.")
    assert concerns_account("User location is not supported for the API use.")
    assert not concerns_account(apierrors.COUNT)
