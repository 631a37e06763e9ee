"""Credentials in results."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.leaked_secret import NAME
from tests.checks.helpers import found, judge, loud
from tests.factories import SIGNATURE, call, calls, result, results, user

ASK = user("Who is user 7?")
CALL = calls(call("find", signature=SIGNATURE))
RESPONSE = "/contents/2/parts/0/functionResponse/response"
# Put together at run time, so that no scanner of repositories takes them for real.
SHAPED = {
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "GitHub": "ghp_" + "a1B2" * 9,
    "GitHub new": "github_pat_" + "a1B2" * 9,
    "GitLab": "glpat-" + "a1B2" * 5,
    "Slack": "xoxb-" + "123456789012-abc",
    "Stripe": "sk_live_" + "a1B2" * 5,
    "API key": "sk-proj-" + "a1B2" * 10,
    "Google": "AIza" + "a1B2c" * 7,
    "npm": "npm_" + "a1B2" * 9,
    "JWT": "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkw" + ".dBjftJeZ4CVPmB92K27u",
    "PEM": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "bearer": "Bearer " + "a1b2c3d4e5f6a7b8c9",
    "URL": "postgres://app:" + "hunter2@db.local/shop",
}


def _violations(response: Any, **example: Any):
    return judge([ASK, CALL, results(result("find", response))], **example)


@pytest.mark.parametrize("value", SHAPED.values(), ids=SHAPED)
def test_values_shaped_like_keys_and_tokens(value: str):
    violations = _violations({"rows": [{"note": f"use {value} for it"}]})

    assert found(violations, NAME) == [("warning", f"{RESPONSE}/rows/0/note")]
    assert value not in violations[0].message


@pytest.mark.parametrize(
    "field",
    [
        *(
            "password",
            "passwd",
            "user_password",
            "passwordHash",
            "api_key",
            "x-api-key",
            "apiKey",
            "client_secret",
        ),
        *(
            "accessToken",
            "refresh_token",
            "AWS_SECRET_ACCESS_KEY",
            "private_key",
            "connectionString",
            "Set-Cookie",
        ),
    ],
)
def test_fields_named_like_credentials(field: str):
    violations = _violations({"user": {field: "hunter2hunter2"}})

    assert found(violations, NAME) == [("warning", f"{RESPONSE}/user/{field}")]
    assert "hunter2" not in violations[0].message
    assert field in violations[0].message


@pytest.mark.parametrize(
    "value",
    [
        "",
        "***",
        "••••••",
        "xxxx",
        "[hidden]",
        "<redacted>",
        "sk-****1234",
        "true",
        "none",
        "x y",
        "string",
        "${API_KEY}",
        "{{ secret }}",
        "YOUR_API_KEY",
        "https://example.com/reset",
        "/account/reset",
        3,
        True,
        None,
        {},
    ],
)
def test_masks_and_flags_are_no_credentials(value: Any):
    assert loud(_violations({"password": value})) == []


@pytest.mark.parametrize(
    ("response", "place"),
    [
        ({"result": '{"user": {"password": "hunter2hunter2"}}'}, "/result"),
        ({"content": [{"type": "text", "text": '[{"api_key": "hunter2hunter2"}]'}]}, "/content/0/text"),
    ],
    ids=str,
)
def test_json_in_a_text_is_looked_into(response: dict, place: str):
    violations = _violations(response)

    assert found(violations, NAME) == [("warning", f"{RESPONSE}{place}")]
    assert "more like it" not in violations[0].message


def test_a_text_that_is_json_and_holds_a_token_counts_once():
    (violation,) = _violations({"result": f'{{"note": "{SHAPED["AWS"]}"}}'})

    assert "more like it" not in violation.message


def test_what_the_recorder_replaced_was_one():
    assert found(_violations({"api_key": "REDACTED"}), NAME)
    assert not found(_violations({"note": "the name is REDACTED"}), NAME)


@pytest.mark.parametrize(
    "response",
    [
        {"nextPageToken": "CAUQAA1234567890", "tokens": 31, "token": "hello"},
        {"secret_santa": "Asha", "passwordPolicy": "twelve letters", "has_password": "yes"},
        {"url": "https://example.com:8080/a?b=c@d", "mail": "mailto:asha@example.com"},
        {"text": "Basic internationalization, bearer of news, sk-learn, ghp_ and xoxo"},
        {"authorization": "approved", "pwd": "/srv/asha"},
        {"image": "iVBORw0KGgo" * 50},
    ],
    ids=str,
)
def test_other_fields_and_words_are_fine(response: dict):
    assert loud(_violations(response)) == []


def test_one_finding_a_result_counts_the_rest():
    violations = _violations(
        {"a": {"password": "hunter2x"}, "b": {"password": "hunter2y"}, "c": SHAPED["AWS"]}
    )

    assert found(violations, NAME) == [("warning", f"{RESPONSE}/a/password")]
    assert violations[0].message.endswith("and 2 more like it")


def test_configured_patterns():
    response = {"note": "use acme-abcdef"}

    assert loud(_violations(response)) == []
    assert found(_violations(response, config='secrets = ["acme-[a-z]{6}"]'), NAME) == [
        ("warning", f"{RESPONSE}/note")
    ]
