"""Which of the functions that matter to the configuration ran, where in a history, and with which arguments.

A call ran when its response came back and is no error result. Only functions that the settings name are kept, so a
conversation costs nothing where none are.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..cassettes.canonical import stored_form
from ..cassettes.turns import Turn
from .conversation import Call, Response, Run, step_before
from .results import is_error_result
from .settings import Settings


@dataclass(frozen=True, eq=False)
class Execution:
    """A call that ran: the user run that brought its result, and the conversation it belongs to (0: unknown)."""

    run: Run
    call: Call
    response: Response
    conversation: int


class Executions:
    """The executed calls of one cassette that the settings ask for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._wanted: dict[str, set[tuple[str, ...] | None]] = defaultdict(set)
        for name in settings.side_effects:
            self._wanted[name].add(None)
        for order in settings.order:
            self._wanted[order.after].add(order.same)
        self._found: dict[bytes, list[Execution]] = defaultdict(list)
        self._noted: set[tuple[Turn, int]] = set()

    def note(self, run: Run, conversation: int) -> None:
        """Take note of what ran, as a user run shows; showing it again changes nothing."""
        if not self._wanted:
            return
        for call, response in executed(run, self._settings):
            if call.name not in self._wanted:
                continue
            place = (run.contents[response.at.content - run.start], response.at.part)
            if place in self._noted:
                continue
            self._noted.add(place)
            execution = Execution(run, call, response, conversation)
            for same in self._wanted[call.name]:
                self._found[execution_key(call, same)].append(execution)

    def before(self, run: Run, key: bytes) -> Execution | None:
        """The latest execution in the history in front of a run."""
        return next((item for item in reversed(self._found.get(key, ())) if _precedes(item.run, run)), None)

    def elsewhere(self, run: Run, key: bytes) -> Iterator[Execution]:
        """The executions that are not in the history up to the end of a run."""
        return (
            item
            for item in self._found.get(key, ())
            if item.run.first is not run.first and not _precedes(item.run, run)
        )


def executed(run: Run, settings: Settings) -> Iterator[tuple[Call, Response]]:
    """The calls whose results a user run brings, without those that failed or were refused."""
    step = step_before(run)
    if step is None:
        return
    for response, index in zip(step.responses, step.answered, strict=True):
        if index is not None and not is_error_result(response.value.get("response"), settings.error_results):
            yield step.calls[index], response


def execution_key(call: Call, same: tuple[str, ...] | None = None, name: str = "") -> bytes:
    """What two executions have in common: the name, and all arguments or those that `same` lists.

    `name` stands for the name of a call, to find another function that got the same arguments.
    """
    args: Any = call.args
    if same is not None:
        args = [args.get(key) if isinstance(args, dict) else None for key in same]
    return hashlib.sha256(stored_form([name or call.name, args])).digest()


def _precedes(earlier: Run, run: Run) -> bool:
    """Whether a run lies in the history in front of another."""
    step = run.before
    while step is not None and step.start > earlier.start:
        step = step.before
    return step is not None and step.first is earlier.first
