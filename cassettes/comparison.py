"""How a request differs from a recorded one: every differing place, with both values, in match form.

Two requests without a difference have one match key, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from .canonical import huge_integers
from .difference import Contents, Difference, Kind
from .endpoints import request_message
from .entry import Entry
from .matchform import history_digest, ignored, match_content, match_instruction, match_query, match_settings
from .matching import EVERYTHING, Matching
from .rawform import match_bytes, match_place
from .turns import Piece
from .values import ABSENT, Path, differing, dotted, pointer

MOST: Final = 10
"""Differences that are listed; what differs more often is another request altogether."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a request differs from a recorded one: at most `MOST` places.

    `common` counts the contents that are equal from the start, `equal` those from both ends.
    """

    common: int
    equal: int
    differences: tuple[Difference, ...]


def compare(recorded: Entry, got: Entry, matching: Matching = EVERYTHING) -> Comparison:
    """Compare a request with a recorded one; no difference means that they have one match key."""
    contents = Contents(recorded, got, matching)
    differences = islice(_differences(recorded, got, contents, matching), MOST)
    return Comparison(contents.common, contents.equal, tuple(differences))


def _differences(recorded: Entry, got: Entry, contents: Contents, matching: Matching) -> Iterator[Difference]:
    for name, kind in _HEAD.items():
        pair = _head(recorded)[name], _head(got)[name]
        if pair[0] != pair[1]:
            yield Difference(kind, f"/{name}", *pair, where=f"the {name} differs")
    for path, *values in differing(_query(recorded.query), _query(got.query), ("query",)):
        yield Difference(Kind.QUERY, pointer(path), *values, where=f"the query differs at {path[1]}")
    steps = match_place(recorded), match_place(got)
    if steps[0] != steps[1]:
        yield Difference(Kind.ROUTE, "/upload", *steps, where="the step of the upload differs")
    if recorded.layout.envelope is None or got.layout.envelope is None:
        yield from _bodies(recorded, got)
        return
    yield from contents.differences()
    base: Path = ("request",) if got.layout.wrapped else ()
    for start, kind, values in _rest(recorded, got, matching):
        for place in differing(*values, (*base, *start)):
            path, *pair = _narrowed(*place) if kind is Kind.CONFIG else place
            where = f"the request differs at {dotted(path[len(base) :]) or 'the top'}"
            yield Difference(kind, pointer(path), *pair, where=where)
    # Two integers that JSON parsers round to one number differ in no value that could be compared.
    old, new = [ABSENT if side.raw_body is None else huge_integers(side.raw_body) for side in (recorded, got)]
    for _, *pair in differing(old, new):
        yield Difference(Kind.BODY, "", *pair, where="an integer beyond 64 bits differs")


_HEAD: Final = {"method": Kind.ROUTE, "action": Kind.ROUTE, "model": Kind.MODEL, "resource": Kind.ROUTE}


def _head(entry: Entry) -> dict[str, str]:
    """The route; a resource that names the model is said once, as the model."""
    model, resource = entry.model, entry.route.resource
    if model and resource.endswith("/" + model):
        resource = resource.removesuffix(model)
    return {"method": entry.method, "action": entry.route.action, "model": model, "resource": resource}


def _query(query: str) -> dict[str, str | list[str]]:
    """The parameters that count, by name; a list where one is given more than once."""
    values: dict[str, list[str]] = {}
    for name, value in match_query(query):
        values.setdefault(name, []).append(value)
    return {name: given[0] if len(given) == 1 else given for name, given in values.items()}


def _bodies(recorded: Entry, got: Entry) -> Iterator[Difference]:
    if match_bytes(recorded) != match_bytes(got):
        yield Difference(Kind.BODY, "", recorded.body(), got.body(), where="the body differs")


def _rest(recorded: Entry, got: Entry, matching: Matching) -> Iterator[tuple[Path, Kind, tuple[Any, Any]]]:
    """Instruction, tools and settings in match form, and where they stand."""
    old, new = recorded.layout, got.layout
    if (old.instruction and old.instruction.digest) != (new.instruction and new.instruction.digest):
        values = [_instruction(side.instruction, matching) for side in (old, new)]
        yield ("systemInstruction",), Kind.INSTRUCTION, (values[0], values[1])
    counts = not ignored(old.tools, matching)
    if counts and history_digest(old.tools, matching) != history_digest(new.tools, matching):
        tools = [
            [match_content(turn, matching) for turn in side.tools.line()] or ABSENT for side in (old, new)
        ]
        yield ("tools",), Kind.TOOL, (tools[0], tools[1])
    settings = [
        match_settings(side.layout, request_message(side.route), matching) for side in (recorded, got)
    ]
    yield (), Kind.CONFIG, (settings[0], settings[1])


def _instruction(piece: Piece | None, matching: Matching) -> Any:
    form = match_instruction(piece, matching) if piece else None
    return ABSENT if form is None else form


def _narrowed(path: Path, recorded: Any, got: Any) -> tuple[Path, Any, Any]:
    """A setting that only one side has, without the objects that hold nothing else: an empty one says nothing."""
    there = got if recorded is ABSENT else recorded
    while (recorded is ABSENT or got is ABSENT) and isinstance(there, dict) and len(there) == 1:
        ((key, there),) = there.items()
        path = (*path, key)
        recorded, got = (ABSENT, there) if recorded is ABSENT else (there, ABSENT)
    return path, recorded, got
