"""The checks of a cassette that is being recorded: told of what is in it already, with the user's choice of rules."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from ..cassettes.entry import Entry
from ..cassettes.models import Violation
from ..cassettes.store import Cassette
from ..cassettes.version import VERSION
from .config import Config
from .judge import Judge
from .registry import RULES
from .strict import Strict


def checked_by() -> str:
    """What stored violations were found with: the version of gemtape, and a hash of its rules."""
    rules = "\n".join(f"{rule.name}\n{rule.page}" for rule in RULES)
    return f"{VERSION} {hashlib.sha256(rules.encode()).hexdigest()[:12]}"


def judges(config: Config) -> Callable[[Cassette], Callable[[Entry], Iterable[Violation]]]:
    """What makes the judge of a cassette that exchanges are about to be added to.

    Raises:
        ConfigError: the configured baseline cannot be read.
        PinError: the configured pin cannot be read.
    """
    selection, settings = config.selection(), config.settings

    def judge_of(cassette: Cassette) -> Callable[[Entry], Iterable[Violation]]:
        judge = Judge(settings=settings)
        for entry in cassette.entries():
            judge.judge(entry)
        name = str(cassette.path)
        return lambda entry: selection.apply(judge.judge(entry), name)[0]

    return judge_of


def strict_for(config: Config) -> Callable[[Path], Strict]:
    """What makes the judge that answers in the API's stead, of the cassette at a path.

    Raises:
        ConfigError: the configured baseline cannot be read.
        PinError: the configured pin cannot be read.
    """
    selection, settings = config.selection(), config.settings
    return lambda path: Strict(str(path), selection, settings)
