"""Streamed arguments: a run of partial function calls folded into the one call that it spells out.

A run opens with a call that has ``willContinue: true`` and goes on through calls without a name until one no longer
continues (protocol: ``streamFunctionCallArguments``). Texts of one path are joined; paths are the JSONPath subset that
the API uses: ``$.a.b[0]``. Total, and in proportion to what came: a fragment that makes no sense is left out.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

_STEP: Final = re.compile(r"""\.([^.\[\]]+)|\[([0-9]{1,9})\]|\['([^']*)'\]|\["([^"]*)"\]""")
_MAX_STEPS: Final = 32
"""How deep a path may lead; the folded call has to stay writable as JSON."""
_MAX_GAP: Final = 64
"""How many elements a path may skip in a list; nulls stand for them until they come."""
_VALUES: Final = {"stringValue": str, "numberValue": (int, float), "boolValue": bool}

_Path = tuple[str | int, ...]


def fold_partial_calls(parts: Sequence[Any]) -> list[Any]:
    """The parts with every run of partial calls folded into its first part; other parts stay as they are."""
    folded: list[Any] = []
    runs: list[_Run] = []
    running = False
    for part in parts:
        call = part.get("functionCall") if isinstance(part, dict) else None
        if not isinstance(call, dict):
            folded.append(part)
            continue
        if not running or call.get("name"):
            if not is_partial(call):
                running = False
                folded.append(part)
                continue
            runs.append(_Run(call))
            folded.append({**part, "functionCall": runs[-1].call})
        runs[-1].extend(call)
        running = bool(call.get("willContinue"))
    for run in runs:
        run.finish()
    return folded


def is_partial(call: dict[str, Any]) -> bool:
    """Whether a function call is a piece of one that is streamed."""
    return bool(call.get("willContinue")) or "partialArgs" in call


class _Run:
    """A call whose arguments are coming in."""

    def __init__(self, call: dict[str, Any]) -> None:
        self.call = {key: value for key, value in call.items() if key not in ("partialArgs", "willContinue")}
        self._values: dict[_Path, Any] = {}  # a list stands for the pieces of a text

    def extend(self, piece: dict[str, Any]) -> None:
        fragments = piece.get("partialArgs")
        for fragment in fragments if isinstance(fragments, list) else []:
            if not isinstance(fragment, dict):
                continue
            path = _path_of(fragment.get("jsonPath"))
            for value in _values_of(fragment) if path else ():
                held = self._values.get(path)
                if isinstance(held, list) and isinstance(value, str):
                    held.append(value)
                else:
                    self._values[path] = [value] if isinstance(value, str) else value

    def finish(self) -> None:
        """Put the values where their paths lead."""
        if not self._values:
            return
        args = copy.deepcopy(self.call.get("args"))  # the event keeps its own
        self.call["args"] = args = args if isinstance(args, dict) else {}
        for path, value in self._values.items():
            _put(args, path, "".join(value) if isinstance(value, list) else value)


def _path_of(path: Any) -> _Path:
    """The keys and indices of a path; none where it leads nowhere."""
    if not isinstance(path, str):
        return ()
    steps = [
        int(index) if index else name or single or double
        for name, index, single, double in _STEP.findall(path)
    ]
    return tuple(steps) if len(steps) <= _MAX_STEPS else ()


def _values_of(fragment: dict[str, Any]) -> list[Any]:
    """The value of a fragment, if it has one."""
    found = [fragment[name] for name, types in _VALUES.items() if isinstance(fragment.get(name), types)]
    return found[:1] or ([None] if "nullValue" in fragment else [])


def _put(args: dict[str, Any], path: _Path, value: Any) -> None:
    target: Any = args
    for key, following in pairwise(path):
        if not _reaches(target, key):
            return
        inner = target[key] if isinstance(key, int) else target.get(key)
        if inner is None:
            inner = target[key] = [] if isinstance(following, int) else {}
        target = inner
    if _reaches(target, path[-1]):
        target[path[-1]] = value


def _reaches(target: Any, key: str | int) -> bool:
    """Whether a key fits its container; a list is filled up to an index that is near enough."""
    if isinstance(key, str):
        return isinstance(target, dict)
    if not isinstance(target, list) or key > len(target) + _MAX_GAP:
        return False
    target.extend([None] * (key + 1 - len(target)))
    return True
