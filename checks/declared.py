"""The functions that a request declares, by name, and what is wrong with a call to one of them.

Worked out once for each set of tools: what is known hangs on its last tool.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ..cassettes.turns import Turn
from .arguments import signature
from .faults import ArgumentFault

_DECLARED = "declared"


def declarations(tools: Turn) -> dict[str, list[dict[str, Any]]]:
    """Every declaration in normal form by the name of its function; a name declared twice has two."""
    known = tools.notes.get(_DECLARED)
    if known is None:
        known = tools.notes[_DECLARED] = _by_name(tools)
    return known


def call_faults(tools: Turn, call: dict[str, Any]) -> list[ArgumentFault]:
    """What is wrong with the arguments of a function call; nothing where its function is not declared.

    Args:
        tools: The last tool of the request that the call answers.
        call: The functionCall in normal form.
    """
    name = call.get("name")
    best: list[ArgumentFault] | None = None
    for declaration in declarations(tools).get(name, ()) if isinstance(name, str) else ():
        takes = signature(declaration)
        faults = takes.faults(call.get("args", {})) if takes else []
        if best is None or len(faults) < len(best):
            best = faults
    return best or []


def _by_name(tools: Turn) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for turn in tools.line():
        tool = turn.normal
        declared = tool.get("functionDeclarations") if isinstance(tool, dict) else None
        for declaration in declared if isinstance(declared, list) else ():
            if isinstance(declaration, dict) and isinstance(declaration.get("name"), str):
                found[declaration["name"]].append(declaration)
    return dict(found)
