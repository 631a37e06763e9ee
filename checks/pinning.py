"""Making a pin of what was recorded, and accepting into a pin what recordings hold now.

The exchanges are followed as the rules see them, so that every surface counts alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..cassettes.canonical import stored_form
from ..cassettes.entry import Entry
from ..cassettes.version import VERSION
from .drift import changes, distance
from .executions import executed
from .finding import Finding
from .judge import Judge
from .pins import Pin, PinnedFunction, nearest_set
from .resultfields import Fields, merged
from .rule import RequestContext, Rule, RunContext
from .settings import Settings

_Declaration = dict[str, Any]


class Pinning:
    """Collects what crosses the boundary in one cassette after the other."""

    def __init__(self, settings: Settings | None = None) -> None:
        """`settings` say what an error result is: those are no part of the contract."""
        self._settings = settings or Settings()
        self._declared: defaultdict[str, dict[bytes, dict[str, Any]]] = defaultdict(dict)
        self._results: defaultdict[str, Fields] = defaultdict(Fields)
        self._toolsets: dict[tuple[str, ...], None] = {}

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in the exchanges of a cassette, in recorded order."""
        collector = Rule("pin", "", on_run=self._note_run, on_request=self._note_request)
        judge = Judge((collector,), settings=self._settings)
        for entry in entries:
            judge.judge(entry)

    def pin(self) -> Pin:
        """The pin of everything that was taken in."""
        functions = {
            name: PinnedFunction(
                tuple(form for _, form in sorted(self._declared.get(name, {}).items())),
                self._results[name].fields() if name in self._results else None,
            )
            for name in sorted(self._declared.keys() | self._results.keys())
        }
        return Pin(VERSION, toolsets=tuple(sorted(self._toolsets)), functions=functions)

    def _note_request(self, context: RequestContext) -> Iterator[Finding]:
        names = context.declared_names
        for _, _, declaration in context.declarations:
            self._declared[str(declaration.get("name", ""))][stored_form(declaration)] = declaration
        if names:
            self._toolsets[names] = None
        return iter(())

    def _note_run(self, context: RunContext) -> Iterator[Finding]:
        for call, response in executed(context.run, context.settings):
            self._results[call.name or response.named.name or ""].add(response.value.get("response", {}))
        return iter(())


def updated(old: Pin, new: Pin) -> Pin:
    """A pin that accepts what was recorded now.

    What is declared now takes the place of the pinned declaration of that function that is nearest to it, and a set of
    functions that of the pinned set that is nearest to it: other agents have theirs. Fields of results are added, and
    those that were missing become optional.
    """
    toolsets = {names for names in old.toolsets if names in new.toolsets}
    left = [names for names in old.toolsets if names not in toolsets]
    for names in new.toolsets:
        if names not in toolsets:
            near = nearest_set(left, names)
            if near is not None:
                left.remove(near)
            toolsets.add(names)
    toolsets.update(left)
    alive = {name for names in toolsets for name in names} | new.functions.keys()
    functions = {
        name: _accepted(old.functions.get(name), new.functions.get(name))
        for name in sorted(old.functions.keys() | new.functions.keys())
        if name in alive or not old.functions[name].declarations
    }
    return Pin(VERSION, toolsets=tuple(sorted(toolsets)), functions=functions)


def _accepted(old: PinnedFunction | None, new: PinnedFunction | None) -> PinnedFunction:
    if old is None or new is None:
        return new or old or PinnedFunction(())
    return PinnedFunction(_variants(old.declarations, new.declarations), merged(old.results, new.results))


def _variants(old: Sequence[_Declaration], new: Sequence[_Declaration]) -> tuple[_Declaration, ...]:
    """The declarations of one function: those of now, and the pinned ones whose place none of them takes.

    One that says what a pinned one says stands for it. Each of the others stands for the nearest pinned one that is left,
    as a report compares them, the nearest pair first; where it has several spellings, they stand for that one together.
    """
    found = {(i, j): changes(one, now) for i, one in enumerate(old) for j, now in enumerate(new)}
    left, fresh = set(range(len(old))), set(range(len(new)))
    apart = {pair: distance(old[pair[0]], new[pair[1]], found[pair]) for pair in found}
    for i, j in sorted(found, key=apart.__getitem__):
        if not found[i, j]:
            left.discard(i)
            fresh.discard(j)
        elif i in left and j in fresh:
            left.remove(i)
            fresh -= {k for k in fresh if not changes(new[j], new[k])}
    return tuple(sorted((*(old[i] for i in left), *new), key=stored_form))
