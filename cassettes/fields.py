"""How the shape of a JSON object is written down: messages, their fields, and how each value is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final


class Kind(Enum):
    """How a value is read."""

    PLAIN = auto()
    """A scalar, or a value with nothing to respell in it."""
    OPAQUE = auto()
    """User data."""
    BYTES = auto()
    """Base64, compared decoded."""
    INT64 = auto()
    """An integer that JSON may spell as a string."""
    ROLE = auto()
    """Compared in lower case."""
    ID = auto()
    """A call id: volatile, left out of the match form."""
    SIGNATURE = auto()
    """A thought signature: base64, left out of the match form."""
    SESSION = auto()
    """Names a session, a project or a single request: left out of the match form."""
    MESSAGE = auto()
    """An object with a schema of its own."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its kind, its message where it has one, whether it repeats.

    `present` marks members of a oneof, where an empty object still says something (``googleSearch: {}``).
    """

    kind: Kind
    message: Message | None = None
    repeated: bool = False
    mapped: bool = False
    present: bool = False


@dataclass(eq=False, slots=True)
class Message:
    """An object of the API and its fields by canonical name."""

    name: str
    fields: dict[str, Field] = field(default_factory=dict)

    def canonical(self, key: str) -> str:
        """The canonical spelling of a key of this message; an unknown key stays as it is."""
        if key in self.fields or "_" not in key:
            return key
        camel = _SNAKE.sub(lambda match: match.group(1).upper(), key)
        return camel if camel in self.fields else key


_SNAKE: Final = re.compile(r"_([a-z0-9])")

PLAIN: Final = Field(Kind.PLAIN)
PLAIN_LIST: Final = Field(Kind.PLAIN, repeated=True)
OPAQUE: Final = Field(Kind.OPAQUE)
BYTES: Final = Field(Kind.BYTES)
INT64: Final = Field(Kind.INT64)
ROLE: Final = Field(Kind.ROLE)
ID: Final = Field(Kind.ID)
SIGNATURE: Final = Field(Kind.SIGNATURE)
SESSION: Final = Field(Kind.SESSION)
PRESENT_PLAIN: Final = Field(Kind.PLAIN, present=True)
PRESENT_OPAQUE: Final = Field(Kind.OPAQUE, present=True)


def one(message: Message, *, present: bool = False) -> Field:
    """A single message."""
    return Field(Kind.MESSAGE, message, present=present)


def many(message: Message) -> Field:
    """A list of messages; a single object stands for a list of one."""
    return Field(Kind.MESSAGE, message, repeated=True)


def plain(*names: str) -> dict[str, Field]:
    """Scalar fields."""
    return dict.fromkeys(names, PLAIN)


def opaque(*names: str) -> dict[str, Field]:
    """Fields that hold user data."""
    return dict.fromkeys(names, OPAQUE)
