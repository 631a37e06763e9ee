"""Which call each response answers, as the match form says it: by place and name, since ids are left out.

Parallel responses stand in the order of their calls. A response whose id names another call than its place does says
which one: without that, two results that were swapped would look the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from .pairing import Named, named, pair
from .turns import Turn

_LONGEST_STEP: Final = 64
"""Contents between calls and the last of their responses; beyond, ids are not looked at."""
_MARK: Final = "answers"


def in_call_order(parts: list[Any], turn: Turn) -> list[Any]:
    """The parts of a turn, in match form, with the functionResponses among them in the order of their calls.

    Those of no call come last.
    """
    slots = [index for index, part in enumerate(turn.parts) if _holds(part, "functionResponse")]
    if not slots:
        return parts
    calls, earlier = asked_before(turn)
    responses = [named(turn.parts[slot]["functionResponse"]) for slot in slots]
    answered = pair(calls, [*earlier, *responses])[len(earlier) :]
    order = sorted(range(len(slots)), key=lambda at: (answered[at] is None, answered[at] or 0, at))
    told = pair(_without_ids(calls), _without_ids([*earlier, *(responses[at] for at in order)]))
    ordered = list(parts)
    for slot, at, place in zip(slots, order, told[len(earlier) :], strict=True):
        ordered[slot] = _marked(parts[slots[at]], answered[at], place)
    return ordered


def marked_message(form: Any, turn: Turn) -> Any:
    """A chat message, in match form; a tool's says which call it answers where that is not the next one."""
    if turn.role != "tool":
        return form
    for between, step in enumerate(islice(turn.back(), 1, _LONGEST_STEP)):
        if step.role != "tool":
            calls = step.normal.get("tool_calls") if isinstance(step.normal, dict) else None
            ids = [named(call).id for call in calls] if isinstance(calls, list) else []
            own = turn.normal.get("tool_call_id")
            return _marked(form, ids.index(own) if own and own in ids else between, between)
    return form


def asked_before(turn: Turn) -> tuple[list[Named], list[Named]]:
    """The calls of the model contents right before a turn, and the responses between them and it, in order."""
    asking: list[Turn] = []
    between: list[Turn] = []
    for step in turn.back():
        if step is turn:
            continue
        if step.role == "model":
            asking.append(step)
        elif asking or len(between) == _LONGEST_STEP:
            break
        else:
            between.append(step)
    if not asking:
        return [], []
    return _all_named(asking, "functionCall"), _all_named(between, "functionResponse")


def _all_named(turns: Sequence[Turn], kind: str) -> list[Named]:
    return [named(part[kind]) for turn in reversed(turns) for part in turn.parts if _holds(part, kind)]


def _without_ids(items: Sequence[Named]) -> list[Named]:
    return [Named(None, item.name) for item in items]


def _marked(form: Any, call: int | None, place: int | None) -> Any:
    return form if call == place else {**form, _MARK: call}


def _holds(part: Any, name: str) -> bool:
    return isinstance(part, dict) and name in part
