"""What a dispatcher could let through to a function: arguments as they are, coerced, or only those that fit."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from .arguments import signature
from .faults import ArgumentFault, Fault
from .finding import Place

_ROUNDS: Final = 20
"""How often arguments are looked at again after a change: each look tells of some faults only."""


_SHOWN: Final = 200
"""Characters of a call that are shown."""


class Validation(StrEnum):
    """What stands between the model's proposal and the function."""

    NONE = "none"
    """Nothing: the function gets what came."""
    COERCE = "coerce"
    """Types are made to fit where they can be, undeclared arguments are dropped, all else is rejected."""
    STRICT = "strict"
    """What does not fit exactly is rejected, undeclared arguments included."""


@dataclass(frozen=True, slots=True)
class Validated:
    """What came of a validation: the arguments that the function gets, or why it gets none."""

    args: Any
    rejected: tuple[ArgumentFault, ...] = ()

    @property
    def error(self) -> str:
        """What an error result would say; empty where the call was let through."""
        return "; ".join(fault.message for fault in self.rejected)


def validate(declaration: dict[str, Any], args: Any, validation: Validation) -> Validated:
    """What a validator of one kind makes of the arguments of a call.

    Args:
        declaration: the FunctionDeclaration in normal form.
        args: what the model proposed; it stays as it is.
        validation: the kind of validator.
    """
    takes = signature(declaration)
    if validation is Validation.NONE or takes is None:
        return Validated(args)
    faults = takes.faults(args)
    if validation is Validation.STRICT or not faults:
        return Validated(args, tuple(faults))
    args = copy.deepcopy(args)
    for _ in range(_ROUNDS):
        refused = tuple(fault for fault in faults if not _can_mend(fault))
        if refused or not faults:
            return Validated(args, refused)
        for place, fault in {fault.place: fault for fault in faults}.items():
            _mend(args, place, fault.coerced)
        faults = takes.faults(args)
    return Validated(args, tuple(faults))


def _can_mend(fault: ArgumentFault) -> bool:
    return fault.fault in (Fault.COERCIBLE, Fault.EXTRA) and bool(fault.place)


def _mend(args: Any, place: Place, coerced: Sequence[Any]) -> None:
    """Put the coerced value where it belongs; without one, take away what stands there."""
    *way, last = place
    for step in way:
        args = args[step]
    if coerced:
        args[last] = coerced[0]
    else:
        del args[last]


def written_call(name: str, args: Any) -> str:
    """A call as people write it, cut where it is long."""
    return _cut(f"{name}({written_args(args)})")


def written_args(args: Any) -> str:
    """Arguments as people write them, cut where they are long."""
    if not isinstance(args, dict):
        return _cut(json.dumps(args, ensure_ascii=False))
    return _cut(", ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in args.items()))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
