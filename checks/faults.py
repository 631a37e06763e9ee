"""What is wrong with one argument: the classes of faults, and how a validator's errors become them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from .finding import Place

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.0{0,18})?\Z")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?\Z")
_BOOLEANS: Final = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off"), False),
}
_SHOWN: Final = 40
"""Characters of a value that a message shows."""
_LISTED: Final = 8
"""Allowed values that a message shows."""


class Fault(StrEnum):
    """What is wrong with an argument."""

    MISSING = "missing"
    """A required argument is not there."""
    COERCIBLE = "coercible-type"
    """Of another type than declared, but one that a coercing validator takes: ``"3"`` for 3."""
    TYPE = "wrong-type"
    """Of another type than declared, and nothing makes it fit."""
    ENUM = "outside-enum"
    """None of the values that are allowed."""
    RANGE = "outside-range"
    """Too small, too large, too short, too long, or not of the declared pattern."""
    EXTRA = "undeclared-argument"
    """The schema does not name it."""
    FUNCTION = "undeclared-function"
    """No declaration has this name, so that there are no arguments to speak of."""


@dataclass(frozen=True, slots=True)
class ArgumentFault:
    """One fault. `place` leads from the arguments down to the value; `message` says what is wrong with it.

    `forbidden` marks an extra argument that the schema rules out, instead of just not naming it. `coerced` holds the
    value that a coercing validator puts there; it is empty where such a validator takes the argument away.
    """

    fault: Fault
    place: Place
    message: str
    forbidden: bool = False
    coerced: tuple[Any, ...] = ()


def explain(schema: Any, errors: Iterable[ValidationError]) -> list[ArgumentFault]:
    """The faults behind a validator's errors.

    Args:
        schema: The schema that was checked against, without references.
        errors: The errors that checking gave.
    """
    found = [fault for error in errors for fault in _classed(schema, error)]
    mistyped = {fault.place for fault in found if fault.fault in _TYPE_FAULTS}
    # A value of the wrong type may miss its enumeration too: that is one fault, not two.
    return [fault for fault in found if fault.fault in _TYPE_FAULTS or fault.place not in mistyped]


_TYPE_FAULTS: Final = (Fault.TYPE, Fault.COERCIBLE)


def _classed(schema: Any, error: ValidationError) -> Iterator[ArgumentFault]:
    place: Place = tuple(error.instance_path)
    details: dict[str, Any] = dict(error.kind.as_dict())
    value = f"{called(place)} is {_shown(error.instance)}"
    match error.kind.name:
        case "required":
            missing = (*place, str(details["property"]))
            yield ArgumentFault(Fault.MISSING, missing, f"{called(missing)} is required and missing")
        case "additionalProperties":
            for extra in details["unexpected"]:
                message = f"{called((*place, extra))} is not declared, and the schema allows nothing else"
                yield ArgumentFault(Fault.EXTRA, (*place, extra), message, forbidden=True)
        case "falseSchema":
            message = f"{called(place)} is ruled out by the schema"
            yield ArgumentFault(Fault.EXTRA, place, message, forbidden=True)
        case "type":
            yield _mistyped(schema, error, [error])
        case "anyOf":
            yield from _none_of(schema, error, details["context"])
        case "enum":
            yield ArgumentFault(Fault.ENUM, place, f"{value}; allowed: {_listed(details['options'])}")
        case kind:
            limit = next((item for item in details.values() if not isinstance(item, list)), None)
            yield ArgumentFault(Fault.RANGE, place, f"{value}; declared: {kind} {_shown(limit)}")


def _none_of(
    schema: Any, error: ValidationError, branches: Sequence[Sequence[ValidationError]]
) -> Iterator[ArgumentFault]:
    """The faults of the alternative that was most likely meant: of the value's type, with the fewest faults."""
    mistyped = [[item for item in branch if _same_place_type(error, item)] for branch in branches]
    fitting = [branch for branch, wrong in zip(branches, mistyped, strict=True) if branch and not wrong]
    if fitting:
        for item in min(fitting, key=len):
            yield from _classed(schema, item)
    else:
        yield _mistyped(schema, error, [item for wrong in mistyped for item in wrong])


def _same_place_type(error: ValidationError, item: ValidationError) -> bool:
    return item.kind.name == "type" and item.instance_path == error.instance_path


def _mistyped(schema: Any, error: ValidationError, wrong: Sequence[ValidationError]) -> ArgumentFault:
    """The fault of a value of the wrong type; `wrong` holds a type error for each alternative."""
    place: Place = tuple(error.instance_path)
    types = list(dict.fromkeys(name for item in wrong for name in item.kind.as_dict()["types"]))
    message = f"{called(place)} is {_typed(error.instance)}; declared: {' or '.join(types)}"
    if error.instance is None and _may_be_missing(schema, error):
        return ArgumentFault(Fault.COERCIBLE, place, f"{message} (many readers take null for not given)")
    alternatives = [_at(schema, item.schema_path[:-1]) for item in wrong]
    for candidate in _coerced(error.instance, types):
        if any(_fits(alternative, candidate) for alternative in alternatives):
            message += f" (a coercing validator takes it as {_shown(candidate)})"
            return ArgumentFault(Fault.COERCIBLE, place, message, coerced=(candidate,))
    return ArgumentFault(Fault.TYPE, place, message)


def _may_be_missing(schema: Any, error: ValidationError) -> bool:
    """Whether the value is a property that is not required."""
    path = list(error.schema_path)
    if "properties" not in path:
        return False
    at = len(path) - 1 - path[::-1].index("properties")
    if at + 1 >= len(path) or {"items", "prefixItems", "additionalProperties"} & set(path[at + 2 :]):
        return False
    return path[at + 1] not in _at(schema, path[:at]).get("required", ())


def _coerced(value: Any, types: Sequence[str]) -> Iterator[Any]:
    """What coercing validators make of a value, for the types that are declared."""
    text = value.strip() if isinstance(value, str) else None
    if "integer" in types or "number" in types:
        if text is not None and _INTEGER.match(text):
            yield int(float(text)) if "." in text else int(text)
        elif text is not None and _NUMBER.match(text):
            yield float(text)
        elif isinstance(value, bool):
            yield int(value)
    if "boolean" in types:
        if text is not None and text.lower() in _BOOLEANS:
            yield _BOOLEANS[text.lower()]
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and value in (0, 1):
            yield bool(value)
    if "string" in types and isinstance(value, (bool, int, float)):
        yield str(value).lower() if isinstance(value, bool) else str(value)


def _fits(schema: Any, value: Any) -> bool:
    from jsonschema_rs import Draft202012Validator  # noqa: PLC0415 - where errors are, it is loaded

    try:
        return Draft202012Validator(schema).is_valid(value)
    except ValueError:  # a pattern that only a backtracking engine reads
        return True


def _at(schema: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        schema = schema[step]
    return schema


def called(place: Place) -> str:
    """How people write the place of an argument: ``days``, ``range.from``, ``items[0]``."""
    name = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
    return _cut(name) or "args"


def _typed(value: Any) -> str:
    match value:
        case None:
            return "null"
        case dict():
            return "an object"
        case list():
            return "a list"
        case bool():
            return f"the boolean {_shown(value)}"
        case str():
            return f"the string {_shown(value)}"
    return f"the number {_shown(value)}"


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "an object"
        case list():
            return f"a list of {len(value)}"
        case str():
            return f'"{_cut(value)}"'
    return _cut(str(value))


def _listed(values: Sequence[Any]) -> str:
    shown = ", ".join(map(_shown, values[:_LISTED]))
    return f"{shown} and {len(values) - _LISTED} more" if len(values) > _LISTED else shown


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
