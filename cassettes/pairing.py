"""Which response answers which call: by id where both have one, else by name, among equal names by position."""

from __future__ import annotations

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
    by_id: dict[str, list[int]] = {}
    for index, call in enumerate(calls):
        if call.id is not None:
            by_id.setdefault(call.id, []).append(index)
    for at, response in enumerate(responses):
        matches = by_id.get(response.id, []) if response.id is not None else []
        if matches:
            call_index = matches.pop(0)
            result[at] = call_index
            free.pop(call_index, None)
    by_name: dict[str | None, list[int]] = {}
    for index in free:
        by_name.setdefault(calls[index].name, []).append(index)
    for at, response in enumerate(responses):
        if result[at] is None and by_name.get(response.name):
            result[at] = by_name[response.name].pop(0)
    return result
