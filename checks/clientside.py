"""The client's own contents of a history: their digest, and when they were first sent.

Prompts and function responses say what a request goes on from, since they never rely on model contents being intact.
How they are cut into contents does not matter: neighbouring contents of one role may be merged.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from ..cassettes.canonical import stored_form
from ..cassettes.matchform import match_content
from ..cassettes.turns import Turn
from .conversation import client_content

_CLIENT: Final = "client"
_SENT: Final = "sent"
_SPOKEN: Final = "spoken"


def client_digest(turn: Turn) -> bytes:
    """The digest of all parts of the client's contents up to a turn, in match form."""
    return _digests(turn)[-1]


def digests_inside(turn: Turn) -> list[bytes]:
    """The digests up to each part of a client content but its last."""
    return _digests(turn)[:-1]


def parts_since_model(turn: Turn) -> int:
    """How many parts of the client there are up to a turn since the model spoke last.

    Digests leave out where the model spoke, so that a lost answer changes none; this tells apart what then looks alike.
    """
    missing: list[Turn] = []
    count = 0
    for step in turn.back():
        known = step.notes.get(_SPOKEN)
        if known is not None:
            count = known
            break
        missing.append(step)
    for step in reversed(missing):
        count = count + len(_client_parts(step)) if client_content(step) else 0
        step.notes[_SPOKEN] = count
    return count


def stands_alike(first: Turn, second: Turn) -> bool:
    """Whether the last client content is the same up to both turns."""
    return _last_client_form(first) == _last_client_form(second)


def note_sent(history: Turn, at: float) -> None:
    """Note on the contents of a history when they were first sent (unix time in seconds)."""
    for turn in history.back():
        known = turn.notes.get(_SENT)
        if known is not None and known <= at:
            break
        turn.notes[_SENT] = at


def sent_at(turn: Turn) -> float:
    """When a content was first sent with the history before it; in the far future where nobody noted it."""
    return turn.notes.get(_SENT, float("inf"))


def _digests(turn: Turn) -> list[bytes]:
    missing: list[Turn] = []
    digest = b""
    for step in turn.back():
        known = step.notes.get(_CLIENT)
        if known is not None:
            digest = known[-1]
            break
        missing.append(step)
    for step in reversed(missing):
        digests = [digest]
        for part in _client_parts(step):
            digests.append(hashlib.sha256(digests[-1] + stored_form(part)).digest())
        digest = digests[-1]
        step.notes[_CLIENT] = digests[1:] or digests
    return turn.notes.get(_CLIENT, [digest])


def _client_parts(turn: Turn) -> list[Any]:
    if not client_content(turn):
        return []
    form = match_content(turn)
    parts = form.get("parts") if isinstance(form, dict) else None
    return parts if isinstance(parts, list) else [form]


def _last_client_form(turn: Turn) -> list[Any]:
    return next((_client_parts(step) for step in turn.back() if client_content(step)), [])
