"""What of a recording can be drilled: the answers with calls whose declarations say what a valid call is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...cassettes.entry import Entry
from ...checks.chat import as_generate, is_judged
from ...checks.declared import declarations, issued_calls
from ...checks.proposals import Proposed, proposals


@dataclass(frozen=True)
class Target:
    """One recorded call, and what may be proposed in its place.

    `position` is that of its exchange among those that generate, from 0; `part` the index of its part in the answer,
    `call` its index among the calls there.
    """

    exchange: int
    position: int
    part: int
    call: int
    function: str
    proposals: tuple[Proposed, ...]


def generating(entries: Iterable[Entry]) -> list[Entry]:
    """The exchanges of a recording that a drill plays by their position."""
    return [entry for entry in entries if is_judged(entry)]


def targets(played: Sequence[Entry]) -> list[Target]:
    """Every call that can be drilled, in recorded order."""
    found: list[Target] = []
    for position, entry in enumerate(played):
        if entry.status != 200 or (entry.response is not None and entry.response.cut):
            continue
        declared = declarations(as_generate(entry).layout.tools)
        for index, (part, call) in enumerate(issued_calls(entry.answer)):
            name = call.get("name")
            for declaration in declared.get(name, ())[:1] if isinstance(name, str) else ():
                made = proposals(declaration, call.get("args", {}), frozenset(declared))
                if made:
                    found.append(Target(entry.number, position, part, index, str(name), tuple(made)))
    return found
