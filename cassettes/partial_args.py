"""Streamed arguments: a run of partial function calls folded into the one call that it spells out.

A run opens with a call that has ``willContinue: true`` and goes on through calls without a name until one no longer
continues (protocol: ``streamFunctionCallArguments``). Fragments of one path append; paths are the JSONPath subset that
the API uses: ``$.a.b[0]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['([^']*)'\]")
_MAX_INDEX = 10_000
_VALUES = ("stringValue", "numberValue", "boolValue")


def fold_partial_calls(parts: Sequence[Any]) -> list[Any]:
    """The parts with every run of partial calls folded into its first part; other parts stay as they are."""
    folded: list[Any] = []
    open_part: dict[str, Any] | None = None
    for part in parts:
        call = part.get("functionCall") if isinstance(part, dict) else None
        if not isinstance(call, dict):
            folded.append(part)
            continue
        if open_part is not None and not call.get("name"):
            _extend(open_part["functionCall"], call)
            if not call.get("willContinue"):
                open_part = None
            continue
        open_part = None
        if call.get("willContinue") or "partialArgs" in call:
            first = {key: value for key, value in call.items() if key not in ("partialArgs", "willContinue")}
            whole = {**part, "functionCall": first}
            _extend(first, call)
            folded.append(whole)
            if call.get("willContinue"):
                open_part = whole
        else:
            folded.append(part)
    return folded


def _extend(call: dict[str, Any], piece: dict[str, Any]) -> None:
    fragments = piece.get("partialArgs")
    if not isinstance(fragments, list):
        return
    args = call.setdefault("args", {})
    if not isinstance(args, dict):
        return
    for fragment in fragments:
        if isinstance(fragment, dict) and isinstance(fragment.get("jsonPath"), str):
            _put(args, fragment["jsonPath"], fragment)


def _put(args: dict[str, Any], path: str, fragment: dict[str, Any]) -> None:
    keys = [name or quoted if not index else int(index) for name, index, quoted in _STEP.findall(path)]
    if not keys or any(isinstance(key, int) and key > _MAX_INDEX for key in keys):
        return
    target: Any = args
    for key, following in pairwise(keys):
        target = _child(target, key, [] if isinstance(following, int) else {})
        if target is None:
            return
    value = next((fragment[name] for name in _VALUES if name in fragment), None)
    before = _child(target, keys[-1], "" if isinstance(value, str) else None)
    if isinstance(before, str) and isinstance(value, str):
        value = before + value
    _assign(target, keys[-1], value)


def _child(target: Any, key: str | int, default: Any) -> Any:
    if isinstance(target, list) and isinstance(key, int):
        while len(target) <= key:
            target.append(None)
        if target[key] is None:
            target[key] = default
        return target[key]
    if isinstance(target, dict) and isinstance(key, str):
        return target.setdefault(key, default)
    return None


def _assign(target: Any, key: str | int, value: Any) -> None:
    fits = isinstance(target, list) if isinstance(key, int) else isinstance(target, dict)
    if fits:
        target[key] = value
