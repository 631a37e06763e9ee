"""The calls that a drill proposes in place of a recorded one: the valid call, and six that no dispatcher should run as they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple

from .arguments import Signature, signature
from .faults import Fault, called
from .finding import Place
from .schemas import declared_schema

_EXTRA: Final = "tenant"
_EXTRA_VALUE: Final = "acme"
_NO_VALUE: Final = "unspecified"
_SUFFIX: Final = "_v2"
"""What a model adds to a name that it half remembers."""
_BEYOND: Final = 2
"""A number out of range is this many times the limit, so that no rounding brings it back."""

_HUGE: Final = 2.0**63
"""What not every JSON library can write as a number."""
_MOST_TRIED: Final = 50
"""Ways to make a kind of malformed call that are looked at."""
_LIMITS: Final = (("maximum", 1), ("exclusiveMaximum", 1), ("minimum", -1), ("exclusiveMinimum", -1))
_BRANCHES: Final = ("anyOf", "allOf")
_ABSENT: Final = object()

Choice = tuple[Place, dict[str, Any]]
"""The place of the argument that is wrong, and all arguments with it."""


class _Spot(NamedTuple):
    """A place in the arguments, a schema for it, and what was recorded there."""

    place: Place
    schema: dict[str, Any]
    value: Any


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


_FAULTS: Final = {
    Proposal.BAD_ENUM: {Fault.ENUM},
    Proposal.STRING_NUMBER: {Fault.COERCIBLE, Fault.TYPE, Fault.ENUM},
    Proposal.MISSING_REQUIRED: {Fault.MISSING},
    Proposal.OUT_OF_RANGE: {Fault.RANGE},
    Proposal.UNDECLARED_ARGUMENT: {Fault.EXTRA},
}
"""What has to be wrong with a call for it to be of a kind: alternatives may allow what one of them forbids."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A call to propose; `argument` says where it is wrong (``days``, ``range.from``), empty where no argument is."""

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
    if not isinstance(args, dict) or not fits(takes, args):
        return []
    found = [Proposed(Proposal.VALID, name, args)]
    for proposal, choices in _malformed(declaration, args):
        fitting = (
            Proposed(proposal, name, changed, called(place))
            for place, changed in islice(choices, _MOST_TRIED)
            if takes is None or _FAULTS[proposal].intersection(_classes(takes, changed))
        )
        found.extend(item for item in [next(fitting, None)] if item)
    found.append(Proposed(Proposal.UNDECLARED_FUNCTION, _fresh(name + _SUFFIX, declared), args))
    return found


def fits(takes: Signature | None, args: Any) -> bool:
    """Whether no validator has a reason to reject arguments; one that is merely not declared is none."""
    return takes is None or all(
        fault.fault is Fault.EXTRA and not fault.forbidden for fault in takes.faults(args)
    )


def _classes(takes: Signature, args: dict[str, Any]) -> set[Fault]:
    return {fault.fault for fault in takes.faults(args)}


def _malformed(
    declaration: dict[str, Any], args: dict[str, Any]
) -> Iterator[tuple[Proposal, Iterator[Choice]]]:
    """Each kind of malformed call with the ways to make one: what was recorded comes first, and what lies less deep."""
    written = declared_schema(declaration)
    spots = list(_spots(written.schema, args)) if written else []
    spots.sort(key=lambda spot: (spot.value is _ABSENT, len(spot.place)))
    yield Proposal.BAD_ENUM, _outside_enum(spots, args)
    yield Proposal.STRING_NUMBER, _spelled_as_text(spots, args)
    yield Proposal.MISSING_REQUIRED, _without_required(spots, args)
    yield Proposal.OUT_OF_RANGE, _out_of_range(spots, args)
    named = {str(spot.place[0]) for spot in spots if spot.place}
    extra = _fresh(_EXTRA, frozenset({*named, *args}))
    yield Proposal.UNDECLARED_ARGUMENT, iter([((extra,), {**args, extra: _EXTRA_VALUE})])


def _spots(schema: Any, args: dict[str, Any]) -> Iterator[_Spot]:
    """Every value that a schema speaks of, and every one that it names and that is absent; of lists the first items."""
    pending: deque[tuple[Any, Place, Any]] = deque([(schema, (), args)])
    while pending:
        schema, place, value = pending.popleft()
        if not isinstance(schema, dict):
            continue
        yield _Spot(place, schema, value)
        pending.extend((branch, place, value) for key in _BRANCHES for branch in schema.get(key, ()))
        if isinstance(value, dict):
            pending.extend(
                (child, (*place, key), value.get(key, _ABSENT))
                for key, child in schema.get("properties", {}).items()
            )
        elif isinstance(value, list):
            leading = schema.get("prefixItems", ())
            pending.extend(
                (child, (*place, at), item)
                for at, (child, item) in enumerate(zip(leading, value, strict=False))
            )
            pending.extend(
                (schema.get("items"), (*place, at), value[at])
                for at in range(len(leading), min(len(leading) + 1, len(value)))
            )


def _outside_enum(spots: Iterable[_Spot], args: dict[str, Any]) -> Iterator[Choice]:
    for spot in spots:
        values = spot.schema.get("enum", []) if spot.place else []
        numbers = [value for value in values if _is_number(value)]
        texts = [value for value in values if isinstance(value, str)]
        if numbers and ("string" not in spot.schema.get("type", ("string",)) or not texts):
            yield spot.place, _put(args, spot.place, max(numbers) + 1)
        elif texts:
            yield spot.place, _put(args, spot.place, _fresh(_NO_VALUE, frozenset(map(str, values))))


def _spelled_as_text(spots: Iterable[_Spot], args: dict[str, Any]) -> Iterator[Choice]:
    return ((spot.place, _put(args, spot.place, str(spot.value))) for spot in spots if _is_number(spot.value))


def _without_required(spots: Iterable[_Spot], args: dict[str, Any]) -> Iterator[Choice]:
    for spot in spots:
        for key in spot.schema.get("required", ()) if isinstance(spot.value, dict) else ():
            if key in spot.value:
                less = {name: value for name, value in spot.value.items() if name != key}
                yield (*spot.place, key), _put(args, spot.place, less)


def _out_of_range(spots: Iterable[_Spot], args: dict[str, Any]) -> Iterator[Choice]:
    for spot in spots:
        for limit, sign in _LIMITS:
            bound: Any = spot.schema.get(limit)
            if spot.place and _is_number(bound):
                beyond = bound * _BEYOND if bound * sign > 0 else bound + sign * _BEYOND
                if abs(beyond) < _HUGE:
                    yield spot.place, _put(args, spot.place, beyond)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _put(value: Any, place: Place, item: Any) -> Any:
    """A value with another one at a place in it; what lies beside the way is shared."""
    if not place:
        return item
    key, *rest = place
    changed: Any = list(value) if isinstance(value, list) else dict(value)
    changed[key] = _put(changed.get(key) if isinstance(changed, dict) else changed[key], tuple(rest), item)
    return changed


def _fresh(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name += "_"
    return name
