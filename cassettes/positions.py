"""Where secrets are looked for in the API's JSON, and where never: decided by a value's place in the schema.

Bytes fields and call ids are never scanned, since replay needs them as issued and random text may look like anything;
some fields are secret whatever they hold. Keys inside arguments, results and other user data mean nothing here: a
``data`` or ``id`` in there is scanned like any text. Requests and answers of every surface share one root, because
their field names do not clash.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from typing import Any, Final

from .schema import CONTENT, OPAQUE, Field, Kind, Message, many, one


class Rule(Enum):
    """What becomes of a string."""

    SCANNED = auto()
    PROTECTED = auto()
    SECRET = auto()


Position = Message | Rule
"""A place in the schema: a message whose fields are known, or the rule for what stands there."""

_SECRET: Final = Field(Kind.PLAIN)  # told apart by identity: the schema has no kind for it
_ID: Final = Field(Kind.ID)
_BYTES: Final = Field(Kind.BYTES)
_SIGNATURE: Final = Field(Kind.SIGNATURE)
_PROTECTED_KINDS: Final = frozenset({Kind.ID, Kind.BYTES, Kind.SIGNATURE})

TOKEN_FIELDS: Final = frozenset({"client_secret", "refresh_token", "access_token", "id_token", "assertion"})
"""Fields of a token endpoint's requests and answers that are secret."""
_SECRET_ANYWHERE: Final = TOKEN_FIELDS | {"signing_secret", "new_signing_secret", "auth_token"}
SECRET_NAMES: Final = _SECRET_ANYWHERE | {"headers"}
"""The names of all fields that are secret somewhere in a body, credentials for agents aside."""

_EXTRA: Final = Message("ExtraContent", {"google": one(Message("Google", {"thought_signature": _SIGNATURE}))})
_CHAT_CALL: Final = Message("ChatToolCall", {"id": _ID, "extra_content": one(_EXTRA)})
_AUDIO: Final = Message("InputAudio", {"data": _BYTES})
_CHAT_MESSAGE: Final = Message(
    "ChatMessage",
    {
        "content": many(Message("ChatPart", {"input_audio": one(_AUDIO)})),
        "tool_calls": many(_CHAT_CALL),
        "tool_call_id": _ID,
        "extra_content": one(_EXTRA),
        "audio": one(_AUDIO),
    },
)
_CHOICE: Final = Message("Choice", {"message": one(_CHAT_MESSAGE), "delta": one(_CHAT_MESSAGE)})
_MCP: Final = Message("McpServer", {"headers": _SECRET})
_MCP.fields["streamableHttpTransport"] = one(_MCP)
# The Interactions API lists MCP servers among the tools, as {"type": "mcp_server", "headers": {…}}.
_TOOL: Final = Message("Tool", {"mcpServers": many(_MCP), "headers": _SECRET})
# One entry of an interaction: a step, a content, or a delta of one. Ids there are those of calls.
_STEP: Final = Message("Step", {"id": _ID, "call_id": _ID, "data": _BYTES, "signature": _SIGNATURE})
_STEP.fields.update({name: many(_STEP) for name in ("content", "summary")})
_PREDICTED: Final = Message("Prediction", {"bytesBase64Encoded": _BYTES, "encodedVideo": _BYTES})
_PREDICTED.fields.update(
    {
        name: many(_PREDICTED)
        for name in ("image", "video", "audio", "lastFrame", "mask", "referenceImages", "referenceImage")
    }
)
_VIDEOS: Final = Message("GenerateVideoResponse", {"generatedSamples": many(_PREDICTED)})
# An entry of an OpenAI-compatible list: an image, or an embedding as that client asks for it.
_LISTED: Final = Message("Listed", {"b64_json": _BYTES, "embedding": _BYTES})

ROOT: Final = Message(
    "Body",
    {
        "contents": many(CONTENT),
        "content": one(CONTENT),
        "systemInstruction": one(CONTENT),
        "candidates": many(Message("Candidate", {"content": one(CONTENT)})),
        "tools": many(_TOOL),
        "messages": many(_CHAT_MESSAGE),
        "choices": many(_CHOICE),
        **{name: many(_STEP) for name in ("input", "outputs", "steps", "step", "delta")},
        **{name: many(_PREDICTED) for name in ("instances", "predictions", "videos")},
        "generateVideoResponse": one(_VIDEOS),
        "data": many(_LISTED),
        **dict.fromkeys(sorted(_SECRET_ANYWHERE), _SECRET),
    },
)
# What wraps a body of the same kind: Code Assist, countTokens, batches and their operations, streamed interactions.
ROOT.fields.update(
    {
        name: many(ROOT)
        for name in (
            *("request", "response", "generateContentRequest", "interaction"),
            *("batch", "inputConfig", "requests", "metadata", "output", "inlinedResponses"),
        )
    }
)


_CREDENTIAL: Final = Message("Credential", {**ROOT.fields, **dict.fromkeys(("token", "value"), _SECRET)})
"""What is given into safekeeping for agents: a bearer token, or an environment variable's value."""
_CREDENTIALS: Final = re.compile(r"/credentials(?:/|\Z)")


def root_of(path: str) -> Message:
    """What the body of a request to this path holds."""
    return _CREDENTIAL if _CREDENTIALS.search(path) else ROOT


@lru_cache(maxsize=4096)
def enter(position: Position, key: str) -> Position:
    """The place of a member of an object; remembered, since the API has few keys and bodies repeat them."""
    if position is Rule.SECRET:
        return Rule.SECRET
    if not isinstance(position, Message):
        return Rule.SCANNED
    field = position.fields.get(position.canonical(key), OPAQUE)
    if field is _SECRET:
        return Rule.SECRET
    if field.message is not None:
        return field.message
    return Rule.PROTECTED if field.kind in _PROTECTED_KINDS else Rule.SCANNED


def within(position: Position) -> Position:
    """The place inside a container that stands at `position`; bytes and ids are strings, so no container is one."""
    return Rule.SCANNED if position is Rule.PROTECTED else position


def rule_of(position: Position) -> Rule:
    """The rule for a string that stands at `position`."""
    return Rule.SCANNED if isinstance(position, Message) else position


def _ways_to_secrets() -> dict[Message, frozenset[str]]:
    """For each message below which a secret field can be: the members to follow, in both spellings."""
    messages = [ROOT, _CREDENTIAL]
    for message in messages:
        below = [field.message for field in message.fields.values()]
        messages += [inner for inner in dict.fromkeys(below) if inner is not None and inner not in messages]
    ways: dict[Message, frozenset[str]] = {}
    for _ in messages:  # each round reaches one level further up
        for message in messages:
            names = [
                name for name, field in message.fields.items() if field is _SECRET or field.message in ways
            ]
            if names:
                ways[message] = frozenset(names).union(_UPPER.sub(r"_\g<0>", name).lower() for name in names)
    return ways


_UPPER: Final = re.compile("[A-Z]")
_WAYS: Final = _ways_to_secrets()


def holds_secret_field(value: Any, position: Position = ROOT) -> bool:
    """Whether a field that is always secret is there; looks only where one can be."""
    if isinstance(value, list):
        return any(holds_secret_field(item, position) for item in value)
    if not isinstance(position, Message):
        return position is Rule.SECRET and bool(value)
    if not isinstance(value, dict):
        return False
    return any(holds_secret_field(value[key], enter(position, key)) for key in value.keys() & _WAYS[position])
