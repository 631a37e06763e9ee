"""What a rule says: one finding at one place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is, in ascending order of concern: info, warning, error."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Scope(StrEnum):
    """For how long a finding in a history counts."""

    ALWAYS = "always"
    CURRENT_TURN = "current-turn"
    """Only while the place lies in the current turn: the API does not look at older turns."""
    ONCE = "once"
    """Only in the first request that holds the place: what the client did then, not what the API reads now."""
    RETURN = "return"
    """While the place lies in the current turn, and in the first request that holds it."""
    CONVERSATION = "conversation"
    """Once a conversation, whichever request shows it first; told again only in other words."""


Place = tuple[str | int, ...]
"""Keys and indices from the top of the generateContent request (or of the answer) down to a value."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of one rule.

    `rejection` is the message with which the API is known to answer 400 to this, empty where it is not known to.
    `suspect` marks a finding that becomes an error if the API did refuse the request and nothing else explains it, and
    `kept_back` one that is said only then;
    `presumed` an error that is only an info if the API took the request, since then it knows better.
    """

    rule: str
    severity: Severity
    place: Place
    message: str
    at: str = "request"
    scope: Scope = Scope.ALWAYS
    rejection: str = ""
    suspect: bool = False
    kept_back: bool = False
    presumed: bool = False


def pointer(place: Place, prefix: Place = ()) -> str:
    """The JSON Pointer (RFC 6901) of a place."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in (*prefix, *place))


def content_place(content: int, part: int | None = None, *rest: str | int) -> Place:
    """The place of a content (index from 0), or of a part in it and on."""
    return ("contents", content) if part is None else ("contents", content, "parts", part, *rest)


def answer_place(part: int, *rest: str | int) -> Place:
    """The place of a part of an answer's content, streamed pieces folded, and on."""
    return ("candidates", 0, "content", "parts", part, *rest)
