"""Declarations in their other spelling."""

from __future__ import annotations

from typing import Any


def lowered(declaration: dict[str, Any]) -> dict[str, Any]:
    """The same declaration with its parameters as JSON Schema: types in lower case, null as a type, numbers as numbers."""
    rest = {key: value for key, value in declaration.items() if key != "parameters"}
    return {**rest, "parametersJsonSchema": _lowered(declaration["parameters"])}


def _lowered(value: Any) -> Any:
    if isinstance(value, list):
        return [_lowered(item) for item in value]
    if not isinstance(value, dict):
        return value
    known = {key: _lowered(item) for key, item in value.items() if key != "nullable"}
    if isinstance(value.get("type"), str):
        kind = value["type"].lower()
        known["type"] = [kind, "null"] if value.get("nullable") else kind
    if "minLength" in known:
        known["minLength"] = int(known["minLength"])
    return known
