"""The user's configuration: ``[tool.gemtape]`` in pyproject.toml, or gemtape.toml, found by walking up from a folder.

Every key is checked when it is read: an unknown one is an error that names the nearest known one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from ..cassettes.errors import ConfigError
from ..cassettes.lookup import Repeat
from ..cassettes.matching import FILTERS, Matching
from .baseline import read_baseline
from .finding import Severity
from .registry import RULES
from .selection import Selection
from .settings import Order, Settings

FILE: Final = "gemtape.toml"
PROJECT: Final = "pyproject.toml"
_BARE: Final = f"; in {FILE} the keys stand by themselves, without [tool.gemtape]"
_LISTED: Final = "; `gemtape rules` lists them"


@dataclass(frozen=True, slots=True)
class Config:
    """What a user configured; every field has the name of its key. Paths are absolute.

    `source` is the file it was read from, None where there is none.
    """

    source: Path | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_cassette_ignore: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    baseline: Path | None = None
    match_ignore: tuple[str, ...] = ()
    match_patterns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    side_effects: tuple[str, ...] = ()
    order: tuple[Order, ...] = ()
    error_results: tuple[str, ...] = ()
    repeat: Repeat | None = None
    strict: bool | None = None

    @property
    def settings(self) -> Settings:
        """The part that the rules need."""
        return Settings(self.side_effects, self.order, self.error_results, self.secrets)

    @property
    def matching(self) -> Matching:
        """What does not count when a request is compared with a recorded one."""
        return Matching(self.match_ignore, self.match_patterns, self.filters)

    def selection(
        self, select: Sequence[str] = (), ignore: Sequence[str] = (), baseline: Path | None = None
    ) -> Selection:
        """The choice of violations, with what a command line adds: other rules, more to ignore, another baseline.

        Raises:
            ConfigError: a rule does not exist, or the baseline cannot be read.
        """
        path = baseline or self.baseline
        return Selection(
            select=frozenset(check_rules(list(select)) or self.select),
            ignore=frozenset((*self.ignore, *check_rules(list(ignore)))),
            severity=self.severity,
            per_cassette_ignore={name: frozenset(rules) for name, rules in self.per_cassette_ignore.items()},
            baseline=read_baseline(path) if path else frozenset(),
        )


def load_config(start: Path | None = None) -> Config:
    """The configuration that holds for a folder (the current one by default); an empty one where there is none.

    Raises:
        ConfigError: the file cannot be read, or says something that it cannot say.
    """
    folder = (start or Path.cwd()).resolve()
    for place in (folder, *folder.parents):
        for name in (FILE, PROJECT):
            path = place / name
            table = _table(path) if path.is_file() else None
            if table is not None:
                return parse_config(table, path)
    return Config()


def parse_config(table: Mapping[str, Any], source: Path) -> Config:
    """A configuration from its parsed table; `source` is the file that errors name and relative paths start from.

    Raises:
        ConfigError: an unknown key, or a value that the key cannot have.
    """
    values: dict[str, Any] = {"source": source}
    for key, value in table.items():
        reader = _READERS.get(key)
        if reader is None:
            hint = _hint(key, _READERS, _BARE if key == "tool" else "")
            raise ConfigError(f"{source}: {key!r} is no key of gemtape{hint}")
        try:
            values[key.replace("-", "_")] = reader(value)
        except ConfigError as error:
            raise ConfigError(f"{source}: {key}: {error}") from error
    if values.get("baseline"):
        values["baseline"] = source.parent / values["baseline"]
    return Config(**values)


def check_rules(names: Any) -> tuple[str, ...]:
    """The names of rules.

    Raises:
        ConfigError: one is no text, or no rule has it.
    """
    known = [rule.name for rule in RULES]
    found = _texts(names)
    for name in found:
        if name not in known:
            raise ConfigError(f"there is no rule {name!r}{_hint(name, known, _LISTED)}")
    return found


def _table(path: Path) -> dict[str, Any] | None:
    """The table of a file; None where a pyproject.toml has none."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.name == PROJECT and "gemtape" not in text:
            return None
        parsed = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    if path.name == FILE:
        return parsed
    tool = parsed.get("tool")
    table = tool.get("gemtape") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.gemtape] is no table")
    return table


def _hint(name: str, known: Any, far: str = "") -> str:
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
            raise ConfigError(f"{key!r} is no key of an order{_hint(key, known)}")
    if "call" not in table or "after" not in table:
        raise ConfigError("an order needs call and after")
    return Order(_text(table["call"]), _text(table["after"]), _texts(table.get("same", [])))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError("true or false is needed")
    return value


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "select": check_rules,
    "ignore": check_rules,
    "severity": _severities,
    "per-cassette-ignore": _ignores,
    "baseline": _text,
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
