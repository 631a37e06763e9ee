"""Violations that are known and accepted for now, by fingerprints that outlive further recording.

A fingerprint is made of the rule, the cassette's name and folder (`refunds/happy`), the kind of place (indices left out) and the gist of the message
(numbers and quoted ids left out). So a baseline still holds when exchanges are added in front or behind, and when the
same fault comes back with every later request of its conversation.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from ..cassettes.errors import ConfigError
from ..cassettes.models import Violation

_VERSION: Final = 1
_INDEX: Final = re.compile(r"/\d+(?=/|\Z)")
_QUOTED: Final = re.compile(r"'[^']*\d[^']*'|\"[^\"]*\d[^\"]*\"")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


def fingerprint(violation: Violation, cassette: str) -> str:
    """What a violation of a cassette (name or path) is known by."""
    known = _identity(violation, cassette)
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def to_baseline(violations: Iterable[tuple[str, Violation]]) -> str:
    """The text of a baseline file that holds these violations, each with its cassette.

    It is sorted and says what each fingerprint stands for, so that its changes can be read.
    """
    known = {fingerprint(item, cassette): _identity(item, cassette) for cassette, item in violations}
    ordered = dict(sorted(known.items(), key=lambda pair: (*map(str, pair[1].values()), pair[0])))
    return json.dumps({"gemtape-baseline": _VERSION, "known": ordered}, indent=2, ensure_ascii=False) + "\n"


def read_baseline(path: Path) -> frozenset[str]:
    """The fingerprints of a baseline file.

    Raises:
        ConfigError: it is missing, or no baseline.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"baseline {path} cannot be read: {error}") from error
    if not isinstance(value, dict) or not isinstance(value.get("known"), dict):
        raise ConfigError(f"{path} is no baseline of gemtape")
    if value.get("gemtape-baseline") != _VERSION:
        raise ConfigError(f"{path} is a baseline of another version; write it anew")
    return frozenset(value["known"])


def _identity(violation: Violation, cassette: str) -> dict[str, Any]:
    path = Path(cassette.replace("\\", "/")).absolute()
    return {
        "cassette": f"{path.parent.name}/{path.name.removesuffix('.db')}",
        "rule": violation.rule,
        "at": violation.at,
        "place": _INDEX.sub("/*", violation.pointer),
        "gist": _NUMBER.sub("#", _QUOTED.sub("'…'", violation.message)),
    }
