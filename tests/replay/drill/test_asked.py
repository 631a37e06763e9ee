"""What a request says of its calls."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.replay.drill.asked import calling, responses
from tests.checks.helpers import entries
from tests.factories import call, calls, exchange, result, results, user


def _entry(contents: list[Any], **more: Any) -> Any:
    (entry,) = entries([exchange(contents, **more)])
    return entry


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (None, ("", [])),
        ({"functionCallingConfig": {"mode": "any", "allowedFunctionNames": ["f"]}}, ("ANY", ["f"])),
        ({"function_calling_config": {"mode": "NONE"}}, ("NONE", [])),
        ({"functionCallingConfig": "?"}, ("", [])),
    ],
)
def test_the_mode_and_the_allowed_functions(config: Any, told: tuple[str, list[str]]):
    more = {"toolConfig": config} if config is not None else {}

    assert calling(_entry([user("?")], **more)) == told


@pytest.mark.parametrize(
    ("known", "index", "found"),
    [("b", 0, [2]), ("gone", 0, [1]), (None, 1, [2]), (None, 2, [])],
    ids=["by id", "by place where the id is gone", "by place", "none"],
)
def test_the_responses_to_a_call(known: str | None, index: int, found: list[int]):
    entry = _entry(
        [
            user("?"),
            calls(call("f", id="a"), call("f", id="b")),
            results(result("f", {"t": 1}, id="a"), result("f", {"t": 2}, id="b")),
        ]
    )

    assert [item.value["response"]["t"] for item in responses(entry, known, index)] == found


def test_without_a_call_there_are_no_responses():
    assert responses(_entry([user("?")]), None, 0) == []
