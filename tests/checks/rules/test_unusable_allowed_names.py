"""Allowed function names that no declaration has, or that the mode does not use."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.apierrors import SUBSET
from gemtape.checks.rules.unusable_allowed_names import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import user

DECLARED = [
    {"functionDeclarations": [{"name": "book", "description": "d"}, {"name": "cancel", "description": "d"}]}
]
PLACE = "/toolConfig/functionCallingConfig/allowedFunctionNames"


def _body(allowed: Any, mode: Any = "ANY", tools: Any = DECLARED, **more: Any) -> dict[str, Any]:
    config = {"allowedFunctionNames": allowed} | ({} if mode is None else {"mode": mode})
    return {
        "contents": [user("A desk.")],
        "tools": tools,
        "toolConfig": {"functionCallingConfig": config},
        **more,
    }


@pytest.mark.parametrize("mode", ["ANY", "VALIDATED", "any", 2])
def test_declared_names_in_a_mode_that_uses_them(mode: Any):
    assert judge(_body(["book"], mode)) == []


@pytest.mark.parametrize("mode", ["AUTO", "NONE", "auto", 1, 3, None, "MODE_UNSPECIFIED"])
def test_modes_without_use_for_names(mode: Any):
    violations = judge(_body(["book"], mode))

    assert found(violations, NAME) == [("error", PLACE)]
    assert rejections(examine(_body(["book"], mode)), NAME) == [""]


def test_a_mode_that_nobody_knows_is_left_alone():
    assert judge(_body(["book"], "FORCED_LATER")) == []


@pytest.mark.parametrize(
    "more",
    [
        {"generationConfig": {"responseMimeType": "application/json"}},
        {"generationConfig": {"responseJsonSchema": {"type": "object"}}},
        {"tools": [*DECLARED, {"googleSearch": {}}]},
    ],
    ids=str,
)
def test_no_mode_may_mean_validated(more: dict):
    assert not found(judge({**_body(["book"], None), **more}), NAME)
    assert found(judge({**_body(["book"], "AUTO"), **more}), NAME) == [("error", PLACE)]


@pytest.mark.parametrize(
    ("allowed", "indices"),
    [(["books"], [0]), (["book", "Cancel", "x"], [1, 2]), ("books", [0]), ([7, None], [0, 1])],
    ids=str,
)
def test_undeclared_names(allowed: Any, indices: list[int]):
    violations = judge(_body(allowed))

    assert found(violations, NAME) == [("error", f"{PLACE}/{index}") for index in indices]
    assert rejections(examine(_body(allowed)), NAME) == [SUBSET] * len(indices)


@pytest.mark.parametrize("allowed", [[], None], ids=str)
@pytest.mark.parametrize("mode", ["ANY", "AUTO", None])
def test_an_empty_list_says_nothing(allowed: Any, mode: Any):
    assert loud(judge(_body(allowed, mode))) == []


def test_names_without_any_declaration_are_undeclared():
    assert found(judge(_body(["book"], tools=[{"googleSearch": {}}])), NAME) == [("error", f"{PLACE}/0")]


@pytest.mark.parametrize(
    "more",
    [{"tools": [*DECLARED, {"mcpServers": [{"name": "s"}]}]}, {"cachedContent": "cachedContents/a"}],
    ids=str,
)
def test_names_may_be_declared_where_the_request_does_not_show_it(more: dict):
    assert not found(judge({**_body(["from_elsewhere"]), **more}), NAME)


def test_snake_case_means_the_same():
    body = {
        "contents": [user("A desk.")],
        "tools": [{"function_declarations": [{"name": "book", "description": "d"}]}],
        "tool_config": {"function_calling_config": {"mode": "AUTO", "allowed_function_names": ["book"]}},
    }

    assert found(judge(body), NAME) == [("error", PLACE)]
