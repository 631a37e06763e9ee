"""The user's configuration: ``[tool.gemtape]`` in pyproject.toml, or gemtape.toml, found by walking up from a folder.

Every key is checked when it is read: an unknown one is an error that names the nearest known one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..cassettes.errors import ConfigError
from ..cassettes.lookup import Repeat
from ..cassettes.matching import Matching
from .baseline import read_baseline
from .config_values import READERS, check_rules, hint
from .finding import Severity
from .selection import Selection
from .settings import Order, Settings

FILE: Final = "gemtape.toml"
PROJECT: Final = "pyproject.toml"
_BARE: Final = f"; in {FILE} the keys stand by themselves, without [tool.gemtape]"
_FILES: Final = ("baseline", "pin")
"""Keys whose values are paths, relative to the configuration."""


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
    pin: Path | None = None
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
        """The part that the rules need; the pin is read each time that it is asked for.

        Raises:
            PinError: the configured pin cannot be read.
        """
        pin = None
        if self.pin:
            # It takes msgspec, whose import would cost every replay's start.
            from .pins import read_pin  # noqa: PLC0415

            pin = read_pin(self.pin)
        return Settings(self.side_effects, self.order, self.error_results, self.secrets, pin)

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
        reader = READERS.get(key)
        if reader is None:
            likely = hint(key, READERS, _BARE if key == "tool" else "")
            raise ConfigError(f"{source}: {key!r} is no key of gemtape{likely}")
        try:
            values[key.replace("-", "_")] = reader(value)
        except ConfigError as error:
            raise ConfigError(f"{source}: {key}: {error}") from error
    for key in _FILES:
        if key in values:
            values[key] = source.parent / values[key]
    return Config(**values)


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
