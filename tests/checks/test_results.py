"""Which results say that a function failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.checks.results import is_error_result

FAILED = [
    {"error": "no such city"},
    {"errors": [{"code": 3}]},
    {"exception": {"type": "KeyError"}},
    {"isError": True, "content": []},
    {"is_error": 1},
    {"status": "error"},
    {"status": "FAILED"},
    {"state": "rejected"},
    {"state": " Denied "},
    {"status": "invalid"},
    {"ok": False},
    {"success": False},
]
FINE: list[Any] = [
    {},
    {"error": ""},
    {"error": None, "errors": [], "exception": {}, "isError": False},
    {"status": "done"},
    {"status": 400},
    {"state": "Maharashtra"},
    {"ok": True},
    {"success": 0},
    {"success": None},
    {"celsius": 31},
    {"message": "an error is nowhere"},
    {"data": {"error": "nested where nobody looks"}},
]


@pytest.mark.parametrize("response", FAILED, ids=str)
@pytest.mark.parametrize("wrapper", ["", "result", "output"])
def test_error_results(response: Any, wrapper: str):
    assert is_error_result({wrapper: response} if wrapper else response)


@pytest.mark.parametrize("response", FINE, ids=str)
@pytest.mark.parametrize("wrapper", ["", "result", "output"])
def test_other_results(response: Any, wrapper: str):
    assert not is_error_result({wrapper: response} if wrapper else response)


@pytest.mark.parametrize("response", FAILED, ids=str)
def test_json_in_a_text_counts_as_what_it_spells(response: Any):
    assert is_error_result({"result": json.dumps(response)})
    assert not is_error_result({"text": json.dumps(response)})


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Error: city is required", True),
        ("  error : no", True),
        ("Exception: boom", True),
        ("Errors are listed below", False),
        ("31 degrees, no error: all is well", False),
        ('{"error": ', False),
        ("{" * 100_000, False),
        ("\ud800", False),
    ],
)
def test_texts_under_the_wrappers(text: str, failed: bool):
    assert is_error_result({"output": text}) is failed


@pytest.mark.parametrize(
    ("pointer", "failed"),
    [
        ("/outcome/failed", True),
        ("/outcome/reasons/1", True),
        ("/a~1b", True),
        ("/outcome/reasons/0", False),
        ("/outcome/reasons/9", False),
        ("/outcome/reasons/x", False),
        ("/nowhere/at/all", False),
        ("/text/0", False),
    ],
)
def test_configured_pointers(pointer: str, failed: bool):
    response = {"outcome": {"failed": True, "reasons": ["", "late"]}, "a/b": 1, "text": "abc"}

    assert is_error_result(response, [pointer]) is failed
    assert not is_error_result(response)


@pytest.mark.parametrize("response", [None, 3, "Error", [], [{"error": "x"}], True])
def test_a_response_that_is_no_object_is_no_error_result(response: Any):
    assert not is_error_result(response, ["/error"])
