"""What is asked for comes first, then the configuration, then the default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.lookup import Repeat
from gemtape.cassettes.matching import Matching
from gemtape.cassettes.redaction import Redactor
from gemtape.checks.config import Config, parse_config
from gemtape.replay.configured import configured


@pytest.mark.parametrize(
    ("config", "given", "repeat"),
    [
        (Config(), {}, Repeat.LAST),
        (Config(), {"default": Repeat.ONCE}, Repeat.ONCE),
        (Config(repeat=Repeat.CYCLE), {"default": Repeat.ONCE}, Repeat.CYCLE),
        (Config(repeat=Repeat.CYCLE), {"repeat": Repeat.LAST}, Repeat.LAST),
    ],
)
def test_repeat(config: Config, given: dict[str, Any], repeat: Repeat):
    assert configured(config, **given).repeat is repeat


@pytest.mark.parametrize(
    ("config", "given", "lenient"),
    [
        (Config(), {}, False),
        (Config(strict=True), {}, False),
        (Config(strict=False), {}, True),
        (Config(strict=False), {"lenient": False}, False),
        (Config(strict=True), {"lenient": True}, True),
    ],
)
def test_lenient(config: Config, given: dict[str, Any], lenient: bool):
    assert configured(config, **given).lenient is lenient


def test_what_is_ignored_in_matching_is_that_of_the_configuration():
    table = {"match-ignore": ["/labels"], "match-patterns": ["run-[0-9]+"], "filters": ["uuid"]}

    assert configured(parse_config(table, Path("gemtape.toml"))).matching == Matching(
        ("/labels",), ("run-[0-9]+",), ("uuid",)
    )
    assert configured(Config()).matching == Matching()


def test_rules_and_secrets_are_those_of_the_configuration():
    table = {"ignore": ["missing-id"], "secrets": ["shop-[0-9]+"], "side-effects": ["refund"]}
    options = configured(parse_config(table, Path("gemtape.toml")))

    assert not options.selection.tells("missing-id")
    assert options.settings.side_effects == ("refund",)
    assert options.redactor.tag() == Redactor(["shop-[0-9]+"]).tag() != Redactor().tag()
