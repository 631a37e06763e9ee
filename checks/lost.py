"""Which recorded answers a request should hold between its own contents, and does not.

An answer counts as lost where the client's contents go on from it. Two things may look the same and are not: somebody
else's answer to the same words (a title generator, a router, a moderation model), and an older answer that a summary,
a shorter window or a new chat replaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..cassettes.pairing import named
from ..cassettes.turns import Turn
from .asker import Asker
from .clientside import client_digest, digests_inside, parts_since_model, sent_at
from .conversation import Run, step_before
from .finding import Place, content_place
from .ledger import Ledger, Record
from .linking import CLOCK, went_on
from .returned import Returned

_PLAINLY_RETOLD: Final = 20
"""Characters from which a text is taken as retold wherever it occurs."""


@dataclass(frozen=True)
class Lost:
    """A recorded answer that should stand at a place, and does not."""

    place: Place
    record: Record


def lost_in(ledger: Ledger, run: Run, asker: Asker, previous: Returned | None) -> Iterator[Lost]:
    """The answers that should stand within a user run; `previous` is the newest answer in front of it."""
    found = False
    for index, turn in enumerate(run.contents):
        following = run.contents[index:]
        if index > 0 and turn.parent is not None:
            record = _lost_between(ledger, turn.parent, following, asker)
            if record:
                found = True
                yield Lost(content_place(turn.depth - 1), record)
        before = parts_since_model(turn.parent) if turn.parent else 0
        for at, digest in enumerate(digests_inside(turn), 1):
            asked = ledger.asked_with(digest, before + at)
            record = _known_to_go_on(ledger, _ended(asked, turn), following)
            if record:
                found = True
                yield Lost(content_place(turn.depth - 1, at), record)
    if not found:
        yield from _lost_before_responses(ledger, run, previous)


def _lost_between(ledger: Ledger, turn: Turn, following: Sequence[Turn], asker: Asker) -> Record | None:
    """The answer that is missing behind a content."""
    asked = ledger.asked_with(client_digest(turn), parts_since_model(turn))
    records = _ended(asked, following[0])
    if any(ledger.came_back(record) for record in records):
        return _known_to_go_on(ledger, records, following)
    own = [record for record in records if record.asker.is_like(asker) or _is_answered(record, following[0])]
    mine = max(
        own, key=lambda record: (record.asker.likeness(asker), record.ended_at, record.number), default=None
    )
    if mine is None or not mine.returns or _is_retold(mine, following):
        return None
    return mine


def _ended(records: list[Record], turn: Turn) -> list[Record]:
    """The exchanges that had ended when a content was first sent."""
    now = sent_at(turn) + CLOCK
    return [record for record in records if record.ended_at <= now]


def _known_to_go_on(ledger: Ledger, records: list[Record], following: Sequence[Turn]) -> Record | None:
    """An answer that came back earlier, with the same client contents behind it as here."""
    back = [record for record in records if record.returns and ledger.came_back(record)]
    if not back:
        return None
    numbers = went_on(ledger, following)
    return next((record for record in reversed(back) if record.number in numbers), None)


def _lost_before_responses(ledger: Ledger, run: Run, previous: Returned | None) -> Iterator[Lost]:
    """The answer that issued the calls which the run answers by their ids, where no such call stands before it."""
    step = step_before(run)
    calls = {call.named.id for call in step.calls} if step else set()
    for response in run.responses:
        call_id = response.named.id
        if call_id is None or call_id in calls or response.at.content == 0:
            continue
        origins = ledger.ids(call_id)
        record = origins[0].record if len(origins) == 1 else None
        if record is None or not record.returns:
            continue
        if previous is None or not previous.holds(record):
            yield Lost(content_place(response.at.content), record)
            return


def _is_answered(record: Record, turn: Turn) -> bool:
    """Whether a content responds to calls of an answer, going by their names."""
    responses = [part.get("functionResponse") for part in turn.parts if isinstance(part, dict)]
    names = {named(response).name for response in responses if isinstance(response, dict)}
    return bool(names) and names <= {named(call).name for call in record.answer.calls}


def _is_retold(record: Record, following: Sequence[Turn]) -> bool:
    """Whether the client tells in its own words what an answer said: agents do so with another agent's turns."""
    told = "\n".join(
        part["text"]
        for turn in following
        for part in turn.parts
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    )
    return bool(told) and all(_tells(told, part) for part in record.parts if not part.get("thought"))


def _tells(told: str, part: dict[str, Any]) -> bool:
    call = part.get("functionCall")
    if isinstance(call, dict):
        args = call.get("args")
        values = [call.get("name"), *(args.values() if isinstance(args, dict) else ())]
        return all(value in told for value in values if isinstance(value, str))
    text = part.get("text")
    if not isinstance(text, str) or not text.strip():
        return True
    if len(text.strip()) >= _PLAINLY_RETOLD:
        return text.strip() in told
    return re.search(r":\s*" + re.escape(text.strip()) + r"\s*$", told, re.MULTILINE) is not None
