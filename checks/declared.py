"""The functions that a request declares, by name, the calls that an answer issues, and what is wrong with them.

Worked out once for each set of tools: what is known hangs on its last tool.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from ..cassettes.folding import Answer
from ..cassettes.turns import Turn
from .arguments import signature
from .faults import ArgumentFault

_DECLARED: Final = "declarations"


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
    return _best(tools, call)[1]


def declaration_of(tools: Turn, call: dict[str, Any]) -> dict[str, Any] | None:
    """The declaration of the function that is called, None where it is not declared; of several the one that fits best.

    Args:
        tools: The last tool of the request that the call answers.
        call: The functionCall in normal form.
    """
    return _best(tools, call)[0]


def issued_calls(answer: Answer) -> Iterator[tuple[int, dict[str, Any]]]:
    """The function calls of an answer in normal form, each with the index of its part."""
    for index, part in enumerate(answer.parts):
        call = (
            part.get("functionCall") if isinstance(part, dict) and part.get("thought") is not True else None
        )
        if isinstance(call, dict):
            yield index, call


def _best(tools: Turn, call: dict[str, Any]) -> tuple[dict[str, Any] | None, list[ArgumentFault]]:
    name = call.get("name")
    declared = declarations(tools).get(name, ()) if isinstance(name, str) else ()
    checked = ((item, signature(item)) for item in declared)
    found = ((item, takes.faults(call.get("args", {})) if takes else []) for item, takes in checked)
    return min(found, key=lambda pair: len(pair[1]), default=(None, []))


def _by_name(tools: Turn) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for turn in tools.line():
        tool = turn.normal
        declared = tool.get("functionDeclarations") if isinstance(tool, dict) else None
        for declaration in declared if isinstance(declared, list) else ():
            if isinstance(declaration, dict) and isinstance(declaration.get("name"), str):
                found[declaration["name"]].append(declaration)
    return dict(found)
