"""The pin: what crosses the boundary between model and functions, as a team once agreed to it.

It holds every declared function (as declared, in normal form), the sets of functions that were declared together, and
the closed set of fields of each function's results. A field is a JSON Pointer into the result; ``*`` stands for any
item of a list, and for any key of an object that serves as a table. JSON that a result holds as text counts as what it
spells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from ..cassettes.canonical import stored_form
from ..cassettes.errors import PinError

Type = Literal["null", "boolean", "number", "string", "array", "object"]
VERSION: Final = 1
"""The version of the file's form."""
ANY: Final = "*"
"""The key that stands for any."""
_CONFLICT: Final = re.compile(rb"^(?:<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)


class ResultField(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A field of a function's results; an optional one may be missing where its parent is there."""

    types: tuple[Type, ...]
    optional: bool = False

    def __post_init__(self) -> None:
        if not self.types:
            raise ValueError("a field needs a type at least")


class PinnedFunction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, dict=True):
    """One function: its declarations (several where agents declare it differently), and the fields of its results.

    `results` is None where no result was seen.
    """

    declarations: tuple[dict[str, Any], ...]
    results: dict[str, ResultField] | None = None

    def __post_init__(self) -> None:
        for place in self.results or ():
            if place and not place.startswith("/"):
                raise ValueError(f"{place!r} is no JSON Pointer: it has to begin with a slash")
        try:
            for declaration in self.declarations:
                stored_form(declaration)
        except TypeError as error:
            raise ValueError(f"a declaration cannot be compared: {error}") from error

    @cached_property
    def children(self) -> dict[str, dict[str, ResultField]]:
        """The fields of each place in the results, by key; the top is the empty place."""
        found: dict[str, dict[str, ResultField]] = defaultdict(dict)
        for place, field in (self.results or {}).items():
            if place:
                parent, _, key = place.rpartition("/")
                found[parent][key] = field
        return found


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was agreed to; `toolsets` are the sets of functions that requests declare together, each sorted."""

    gemtape: str
    pin: Literal[1] = 1
    toolsets: tuple[tuple[str, ...], ...] = ()
    functions: dict[str, PinnedFunction] = msgspec.field(default_factory=dict)


class _Versioned(msgspec.Struct):
    pin: int = VERSION


def nearest_set(toolsets: Iterable[tuple[str, ...]], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """The set of functions that shares most with these; None where none shares any."""
    best = max(
        toolsets,
        key=lambda one: (len(set(one) & set(names)), -len(set(one) ^ set(names))),
        default=(),
    )
    return best if set(best) & set(names) else None


def read_pin(path: Path) -> Pin:
    """Read a pin from its file.

    Raises:
        PinError: there is none, or it is no pin.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise PinError(f"there is no pin {path}; `gemtape pin CASSETTE... -o FILE` makes one") from error
    except OSError as error:
        raise PinError(f"{path}: {error.strerror}") from error
    try:
        version = msgspec.json.decode(data, type=_Versioned).pin
        if version != VERSION:
            raise PinError(f"{path} is a pin of version {version}; this gemtape reads version {VERSION}")
        return msgspec.json.decode(data, type=Pin)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if _CONFLICT.search(data):
            raise PinError(f"{path} holds an unsolved merge conflict") from error
        raise PinError(f"{path} is no pin: {error}") from error


def written_pin(pin: Pin) -> bytes:
    """The text of a pin as it is committed: indented and in a constant order, so that a change is a small difference."""
    return msgspec.json.format(msgspec.json.encode(pin, order="deterministic"), indent=2) + b"\n"
