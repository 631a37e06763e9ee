"""The calls that a drill proposes in place of a recorded one: the valid call, and six that no dispatcher should run as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from .arguments import Signature, signature
from .faults import Fault
from .schemas import declared_schema

_EXTRA: Final = "tenant"
_EXTRA_VALUE: Final = "acme"
_NO_VALUE: Final = "unspecified"
_SUFFIX: Final = "_v2"
"""What a model adds to a name that it half remembers."""
_BEYOND: Final = 2
"""A number out of range is this many times the limit, so that no rounding brings it back."""

Choice = tuple[str, dict[str, Any]]
"""The name of the argument that is wrong, and all arguments with it."""


class Proposal(StrEnum):
    """What is wrong with a proposed call."""

    VALID = "valid"
    BAD_ENUM = "bad-enum"
    STRING_NUMBER = "string-number"
    MISSING_REQUIRED = "missing-required"
    OUT_OF_RANGE = "out-of-range"
    UNDECLARED_ARGUMENT = "undeclared-argument"
    UNDECLARED_FUNCTION = "undeclared-function"


HARMLESS: Final = frozenset({Proposal.VALID, Proposal.UNDECLARED_ARGUMENT})
"""Proposals that do no harm where they run: what a function does not ask for, it does not read."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A call to propose; `argument` names the one that is wrong, empty where it is none."""

    proposal: Proposal
    name: str
    args: dict[str, Any]
    argument: str = ""


def proposals(
    declaration: dict[str, Any], args: Any, declared: frozenset[str] = frozenset()
) -> list[Proposed]:
    """The proposals that the schema of a function allows, the valid call first.

    Args:
        declaration: the FunctionDeclaration in normal form.
        args: the recorded arguments.
        declared: the names of all declared functions, which an undeclared one must not have.

    Returns:
        At most one of each kind; nothing where the recorded arguments do not fit themselves: there is no valid call to
        compare with.
    """
    name = str(declaration.get("name", ""))
    takes = signature(declaration)
    if not isinstance(args, dict) or _is_wrong(takes, args):
        return []
    found = [Proposed(Proposal.VALID, name, args)]
    for proposal, choices in _malformed(declaration, args):
        fitting = (
            Proposed(proposal, name, changed, key)
            for key, changed in choices
            if proposal in HARMLESS or _is_wrong(takes, changed)
        )
        found.extend(item for item in [next(fitting, None)] if item)
    found.append(Proposed(Proposal.UNDECLARED_FUNCTION, _fresh(name + _SUFFIX, declared), args))
    return found


def _malformed(
    declaration: dict[str, Any], args: dict[str, Any]
) -> Iterator[tuple[Proposal, Iterator[Choice]]]:
    """Each kind of malformed call with the ways to make one, those for arguments that were recorded first."""
    written = declared_schema(declaration)
    schema = written.schema if written else {}
    properties = {
        key: value for key, value in schema.get("properties", {}).items() if isinstance(value, dict)
    }
    ordered = dict(sorted(properties.items(), key=lambda item: item[0] not in args))
    yield Proposal.BAD_ENUM, _outside_enum(ordered, args)
    yield Proposal.STRING_NUMBER, _spelled_as_text(args)
    yield Proposal.MISSING_REQUIRED, _without_required(schema.get("required", ()), args)
    yield Proposal.OUT_OF_RANGE, _out_of_range(ordered, args)
    extra = _fresh(_EXTRA, frozenset({*properties, *args}))
    yield Proposal.UNDECLARED_ARGUMENT, iter([(extra, {**args, extra: _EXTRA_VALUE})])


def _outside_enum(properties: dict[str, dict[str, Any]], args: dict[str, Any]) -> Iterator[Choice]:
    for key, schema in properties.items():
        values = schema.get("enum")
        if isinstance(values, list) and any(isinstance(value, str) for value in values):
            yield key, {**args, key: _fresh(_NO_VALUE, frozenset(map(str, values)))}


def _spelled_as_text(args: dict[str, Any]) -> Iterator[Choice]:
    for key, value in args.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield key, {**args, key: str(value)}


def _without_required(required: Any, args: dict[str, Any]) -> Iterator[Choice]:
    for key in required:
        if key in args:
            yield key, {name: value for name, value in args.items() if name != key}


def _out_of_range(properties: dict[str, dict[str, Any]], args: dict[str, Any]) -> Iterator[Choice]:
    for key, schema in properties.items():
        for limit, sign in (
            ("maximum", 1),
            ("exclusiveMaximum", 1),
            ("minimum", -1),
            ("exclusiveMinimum", -1),
        ):
            bound = schema.get(limit)
            if isinstance(bound, int | float):
                yield key, {**args, key: bound * _BEYOND if bound * sign > 0 else bound + sign * _BEYOND}


def _is_wrong(takes: Signature | None, args: dict[str, Any]) -> bool:
    """Whether a validator has a reason to reject; an argument that is merely not declared is none."""
    return takes is not None and any(
        fault.fault is not Fault.EXTRA or fault.forbidden for fault in takes.faults(args)
    )


def _fresh(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name += "_"
    return name
