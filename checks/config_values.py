"""What the keys of the configuration may be set to: a reader for each, which refuses what its key cannot have."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, Final

from ..cassettes.errors import ConfigError
from ..cassettes.lookup import Repeat
from ..cassettes.matching import FILTERS
from .finding import Severity
from .registry import RULES
from .settings import Order

_LISTED: Final = "; `gemtape rules` lists them"


def check_rules(names: Any) -> tuple[str, ...]:
    """The names of rules.

    Raises:
        ConfigError: one is no text, or no rule has it.
    """
    known = [rule.name for rule in RULES]
    found = _texts(names)
    for name in found:
        if name not in known:
            raise ConfigError(f"there is no rule {name!r}{hint(name, known, _LISTED)}")
    return found


def hint(name: str, known: Any, far: str = "") -> str:
    """The known name that an unknown one is likely to mean; else `far`, or all that are known."""
    near = get_close_matches(name.lower().replace("_", "-"), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else far or f"; there are {', '.join(known)}"


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ConfigError("a list of texts is needed")
    return tuple(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError("a text is needed")
    return value


def _pointers(value: Any) -> tuple[str, ...]:
    for pointer in _texts(value):
        if not pointer.startswith("/"):
            raise ConfigError(f"{pointer!r} is no JSON Pointer: it has to begin with a slash")
    return tuple(value)


def _patterns(value: Any) -> tuple[str, ...]:
    for pattern in _texts(value):
        try:
            matches_all = re.compile(pattern).match("") is not None
        except re.error as error:
            raise ConfigError(f"{pattern!r} is no regular expression: {error}") from error
        if matches_all:
            raise ConfigError(f"{pattern!r} matches the empty text")
    return tuple(value)


def _one_of(*names: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in names:
            raise ConfigError(f"{value!r} is none of {', '.join(names)}")
        return value

    return read


def _severities(value: Any) -> dict[str, Severity]:
    table = _mapping(value, "rules to severities")
    check_rules(list(table))
    read = _one_of(*Severity)
    return {rule: Severity(read(severity)) for rule, severity in table.items()}


def _ignores(value: Any) -> dict[str, tuple[str, ...]]:
    return {name: check_rules(rules) for name, rules in _mapping(value, "cassettes to rules").items()}


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"a table from {what} is needed")
    return value


def _orders(value: Any) -> tuple[Order, ...]:
    if not isinstance(value, list):
        raise ConfigError("a list of tables is needed")
    return tuple(map(_order, value))


def _order(value: Any) -> Order:
    table = _mapping(value, "call, after and same")
    known = [item.name for item in fields(Order)]
    for key in table:
        if key not in known:
            raise ConfigError(f"{key!r} is no key of an order{hint(key, known)}")
    if "call" not in table or "after" not in table:
        raise ConfigError("an order needs call and after")
    return Order(_text(table["call"]), _text(table["after"]), _texts(table.get("same", [])))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError("true or false is needed")
    return value


READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "select": check_rules,
    "ignore": check_rules,
    "severity": _severities,
    "per-cassette-ignore": _ignores,
    "baseline": _text,
    "pin": _text,
    "match-ignore": _pointers,
    "match-patterns": _patterns,
    "filters": lambda value: tuple(map(_one_of(*FILTERS), _texts(value))),
    "secrets": _patterns,
    "side-effects": _texts,
    "order": _orders,
    "error-results": _pointers,
    "repeat": lambda value: Repeat(_one_of(*Repeat)(value)),
    "strict": _flag,
}
"""Makes of what TOML holds for a key what the configuration has; raises ConfigError where that cannot be."""
