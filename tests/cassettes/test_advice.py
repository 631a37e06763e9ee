"""Errors in Google's shape, and who gets which advice."""

from __future__ import annotations

import json

import pytest

from gemtape.cassettes.advice import canonical_status, error_body


def test_error_has_what_every_sdk_asks_for():
    assert json.loads(error_body(412, "déjà vu")) == {
        "error": {"code": 412, "message": "déjà vu", "status": "FAILED_PRECONDITION"}
    }


def test_details_are_passed_on():
    detail = {"@type": "type.googleapis.com/google.rpc.Help"}

    assert json.loads(error_body(400, "x", [detail]))["error"]["details"] == [detail]


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (404, "NOT_FOUND"),
        (405, "INVALID_ARGUMENT"),
        (431, "INVALID_ARGUMENT"),
        (502, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
    ],
)
def test_every_status_has_a_name(status: int, name: str):
    assert canonical_status(status) == name
