"""What the checks can only be told: which functions have side effects, in which order calls belong, what an error is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pins import Pin


@dataclass(frozen=True, slots=True)
class Order:
    """A call that may only run after another one has.

    `same` names arguments that have to be equal in both calls.
    """

    call: str
    after: str
    same: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user configured for the rules.

    `side_effects` names the functions that must not run twice with the same arguments; `error_results` are JSON Pointers
    into a function's response whose truthy value makes it an error result; `secrets` are regular expressions of further
    secrets. `pin` is what declarations and results are compared with, None: nothing.
    """

    side_effects: tuple[str, ...] = ()
    order: tuple[Order, ...] = ()
    error_results: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    pin: Pin | None = None
