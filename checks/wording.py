"""What a declaration says as it is written: to people and models, and in keywords that calls are not checked against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

SCHEMAS: Final = {
    "": ("parameters", "parametersJsonSchema"),
    "the response": ("response", "responseJsonSchema"),
}
"""How people call the schemas of a declaration, and where it holds each, in both spellings. No argument is called so."""
_WORDS: Final = frozenset({"description", "title", "example", "examples", "default", "format"})
_UNCHECKED: Final = frozenset(
    {
        *("uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"),
        *("patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies"),
        *("not", "if", "then", "else", "unevaluatedProperties"),
    }
)
_SAYING_NOTHING: Final = (
    ("format", "enum"),
    ("uniqueItems", False),
    ("propertyNames", {"type": "string"}),
    ("unevaluatedProperties", True),
    ("unevaluatedItems", True),
)


def texts(declaration: dict[str, Any]) -> dict[str, Any]:
    """What people and models read of a declaration, by where it stands."""
    found = {"description": declaration["description"]} if "description" in declaration else {}
    return {**found, **_written(declaration, _WORDS)}


def unchecked(declaration: dict[str, Any]) -> dict[str, Any]:
    """Keywords that rule calls out and that are not checked, by where they stand."""
    return _written(declaration, _UNCHECKED)


def at(place: str) -> str:
    """How a place in the arguments is called."""
    return place or "the arguments"


def _written(declaration: dict[str, Any], keywords: frozenset[str]) -> dict[str, Any]:
    return {
        where: value
        for name, keys in SCHEMAS.items()
        for key in keys
        for where, value in _below(declaration.get(key), name, keywords)
    }


def _below(schema: Any, place: str, keywords: frozenset[str]) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _below(item, f"{place}.{index}".lstrip("."), keywords)
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            for name, child in value.items():
                yield from _below(child, f"{place}.{name}".lstrip("."), keywords)
        elif key in keywords:
            if (key, value) not in _SAYING_NOTHING:
                yield f"{key} of {at(place)}", value
        elif isinstance(value, dict | list) and key not in ("enum", "required", "propertyOrdering"):
            inner = f"{place}.{key}".lstrip(".") if key != "items" else f"{place}[]"
            yield from _below(value, inner, keywords)
