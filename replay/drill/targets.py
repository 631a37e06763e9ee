"""What of a recording can be drilled: the answers with calls whose declarations say what a valid call is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...cassettes.entry import Entry
from ...checks.arguments import signature
from ...checks.chat import as_generate, is_judged
from ...checks.declared import declaration_of, declarations, issued_calls
from ...checks.proposals import Proposed, proposals


@dataclass(frozen=True)
class Target:
    """One recorded call, and what may be proposed in its place.

    `position` is that of its exchange among those that generate, from 0; `part` the index of its part in the answer,
    `call` its index among the calls there. `why` says why nothing may be proposed; empty where something may.
    """

    exchange: int
    position: int
    part: int
    call: int
    function: str
    proposals: tuple[Proposed, ...]
    why: str = ""


def generating(entries: Iterable[Entry]) -> list[Entry]:
    """The exchanges of a recording that a drill plays by their position."""
    return [entry for entry in entries if is_judged(entry)]


def targets(played: Sequence[Entry]) -> list[Target]:
    """Every recorded call, in order; one that cannot be drilled has no proposals, and says why."""
    found: list[Target] = []
    for position, entry in enumerate(played):
        if entry.status != 200 or (entry.response is not None and entry.response.cut):
            continue
        tools = as_generate(entry).layout.tools
        declared = declarations(tools)
        for index, (part, call) in enumerate(issued_calls(entry.answer)):
            name = call.get("name")
            declaration, args = declaration_of(tools, call), call.get("args", {})
            made = proposals(declaration, args, frozenset(declared)) if declaration is not None else []
            why = "" if made else _why_not(declaration, args)
            found.append(Target(entry.number, position, part, index, str(name), tuple(made), why))
    return found


def _why_not(declaration: dict[str, Any] | None, args: Any) -> str:
    if declaration is None:
        return "it is not declared"
    takes = signature(declaration)
    faults = takes.faults(args) if takes else []
    return f"its recorded arguments do not fit: {'; '.join(fault.message for fault in faults) or 'they are no object'}"
