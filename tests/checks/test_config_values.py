"""What the readers of single keys take and refuse; whole files are tried in the tests of the configuration."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.errors import ConfigError
from gemtape.checks.config_values import READERS, check_rules, hint
from gemtape.checks.settings import Order


@pytest.mark.parametrize(
    ("key", "value", "read"),
    [
        ("pin", "contract.json", "contract.json"),
        ("order", [{"call": "f", "after": "g", "same": ["id"]}], (Order("f", "g", ("id",)),)),
        ("filters", ["uuid"], ("uuid",)),
        ("strict", False, False),
    ],
)
def test_values_are_read(key: str, value: Any, read: Any):
    assert READERS[key](value) == read


@pytest.mark.parametrize("key", READERS)
def test_no_key_takes_a_number(key: str):
    with pytest.raises(ConfigError):
        READERS[key](3)


def test_rules_have_to_exist():
    assert check_rules(["missing-id"]) == ("missing-id",)
    with pytest.raises(ConfigError, match="there is no rule 'missing_id'; did you mean 'missing-id'"):
        check_rules(["missing_id"])


def test_a_hint_names_the_nearest_or_all():
    assert hint("selects", ["select", "ignore"]) == "; did you mean 'select'?"
    assert hint("colour", ["select", "ignore"]) == "; there are select, ignore"
    assert hint("colour", ["select"], "; look it up") == "; look it up"
