"""Which arguments of a call do not fit the declared schema of its function.

Checking is bounded: schemas are written out without references, patterns run in a linear engine, and arguments that
would take too long to explain are only told apart from fitting ones, or let through.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import orjson

from ..cassettes.canonical import stored_form
from .extras import extra_arguments
from .faults import ArgumentFault, Fault, explain
from .schemas import DeclaredSchema, declared_schema

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

MOST_FAULTS: Final = 10
"""Faults of one call that are told."""
# Schemas times argument values: explaining costs 10 µs each at worst, checking 20 ns.
_MOST_TO_EXPLAIN: Final = 200_000
_MOST_TO_CHECK: Final = 20_000_000
_REGEX_BYTES: Final = 65_536


class Signature:
    """What one function takes, ready to check calls against."""

    def __init__(self, declared: DeclaredSchema) -> None:
        self._schema = declared.schema
        self._size = declared.size
        self._validator = _compiled(declared.schema)

    def faults(self, args: Any) -> list[ArgumentFault]:
        """What is wrong with the arguments of a call, at most `MOST_FAULTS`; nothing where they fit."""
        work = _count(args) * self._size
        if work > _MOST_TO_CHECK or self._validator is None:
            return []
        try:
            found = [] if self._validator.is_valid(args) else self._explain(self._validator, args, work)
        except ValueError:  # lone surrogates, or nested deeper than the validator goes
            return []
        found += islice(extra_arguments(self._schema, args), MOST_FAULTS)
        return found[:MOST_FAULTS]

    def _explain(self, validator: Draft202012Validator, args: Any, work: int) -> list[ArgumentFault]:
        if work > _MOST_TO_EXPLAIN:
            return [ArgumentFault(Fault.COERCIBLE, (), "the arguments do not fit the declared schema")]
        return explain(self._schema, islice(validator.iter_errors(args), 2 * MOST_FAULTS))


def signature(declaration: dict[str, Any]) -> Signature | None:
    """What a declared function takes; None where its declaration says nothing of arguments.

    Args:
        declaration: A FunctionDeclaration in normal form. Equal ones share one signature.
    """
    fields = {key: declaration[key] for key in ("parametersJsonSchema", "parameters") if key in declaration}
    return _signature(stored_form(fields)) if fields else None


@lru_cache(maxsize=256)
def _signature(form: bytes) -> Signature | None:
    declared = declared_schema(orjson.loads(form))
    return Signature(declared) if declared else None


def _compiled(schema: dict[str, Any]) -> Draft202012Validator | None:
    """A validator; without patterns where one is beyond a linear engine, None where nothing helps."""
    import jsonschema_rs  # noqa: PLC0415 - 40 ms, spent only where arguments are checked

    options = jsonschema_rs.RegexOptions(size_limit=_REGEX_BYTES)
    for candidate in (schema, _without_patterns(schema)):
        try:
            return jsonschema_rs.Draft202012Validator(candidate, pattern_options=options)
        except ValueError:
            continue
    return None


def _without_patterns(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: value if key == "enum" and isinstance(value, list) else _without_patterns(value)
            for key, value in schema.items()
            if not (key == "pattern" and isinstance(value, str))
        }
    return [_without_patterns(item) for item in schema] if isinstance(schema, list) else schema


def _count(value: Any) -> int:
    """How many values there are in a value."""
    count = 0
    pending = [value]
    while pending:
        item = pending.pop()
        count += 1
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return count
