"""Which response answers which call: by id where both have one, else by name, among equal names by position."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, NamedTuple


class Named(NamedTuple):
    """A call or a response as pairing sees it; id and name are None where absent or not text."""

    id: str | None
    name: str | None


def named(value: Any) -> Named:
    """Read a functionCall, functionResponse, or the like."""
    if not isinstance(value, dict):
        return Named(None, None)
    call_id, name = value.get("id"), value.get("name")
    return Named(
        call_id if isinstance(call_id, str) and call_id else None, name if isinstance(name, str) else None
    )


def pair(calls: Sequence[Named], responses: Sequence[Named]) -> list[int | None]:
    """For each response the index of the call it answers, or None; no call is given out twice."""
    result: list[int | None] = [None] * len(responses)
    free = dict.fromkeys(range(len(calls)))
    by_id: defaultdict[str, deque[int]] = defaultdict(deque)
    for index, call in enumerate(calls):
        if call.id is not None:
            by_id[call.id].append(index)
    for at, response in enumerate(responses):
        if response.id is not None and by_id[response.id]:
            index = result[at] = by_id[response.id].popleft()
            del free[index]
    by_name: defaultdict[str | None, deque[int]] = defaultdict(deque)
    for index in free:
        by_name[calls[index].name].append(index)
    for at, response in enumerate(responses):
        if result[at] is None and by_name[response.name]:
            result[at] = by_name[response.name].popleft()
    return result
