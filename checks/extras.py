"""Arguments that a schema does not name: nothing rules them out, and no function takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .faults import ArgumentFault, Fault, called
from .finding import Place

_COMBINING: Final = ("anyOf", "allOf")
_NAMING: Final = frozenset({"properties", "additionalProperties", "items", "prefixItems"})
"""Keywords that say what is declared below."""


def extra_arguments(schema: Any, args: Any, place: Place = ()) -> Iterator[ArgumentFault]:
    """Arguments that the schema neither names nor rules out, also inside nested objects and lists.

    Where alternatives other than null decide what is named, nothing is said; nor where a nested object names nothing at
    all, which is how free-form ones are declared.
    """
    schema = _unwrapped(schema)
    if not isinstance(schema, dict):
        return
    named = schema.get("properties")
    if place and not named:
        named = None
    if isinstance(args, dict) and isinstance(named, dict):
        for key, value in args.items():
            if key in named:
                yield from extra_arguments(named[key], value, (*place, key))
            elif "additionalProperties" not in schema:
                yield ArgumentFault(Fault.EXTRA, (*place, key), f"{called((*place, key))} is not declared")
    elif isinstance(args, list):
        for index, value in enumerate(args):
            yield from extra_arguments(schema.get("items"), value, (*place, index))


def _unwrapped(schema: Any) -> Any:
    """The schema behind those that just allow null beside it, or hold it as their only part; None where several count."""
    while isinstance(schema, dict) and schema.keys() & set(_COMBINING):
        inner = [
            part
            for key in _COMBINING
            for part in schema.get(key, ())
            if key == "allOf" or part != {"type": ["null"]}
        ]
        schema = inner[0] if len(inner) == 1 and not schema.keys() & _NAMING else None
    return schema
