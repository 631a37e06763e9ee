"""A part, or the arguments or the result in it, has the wrong JSON type.

What it finds
    functionCall.args or functionResponse.response that is no object, and parts whose text is no text or whose call,
    response or file is no object.

Why it matters
    The API answers 400, and a result that is wrapped some other way than before confuses the model.

Bad
    request [
        {"role": "user", "parts": [{"text": "Repositories of team ice?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "list_repos", "args": {"team": "ice"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "list_repos", "response": ["floe", "berg"]}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Repositories of team ice?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "list_repos", "args": {"team": "ice"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "list_repos",
            "response": {"output": ["floe", "berg"]}}}]}
    ]

How it happens, and how to mend it
    A tool returns a list or plain text and the client passes it on as it is; arguments stay the JSON text that another API
    uses; a language without typed maps writes an empty object as []. Put results under output, and send args as an object.

Severity
    error.

Source
    Public reports; the API reference: both fields are of type Struct.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...cassettes.schema import CONTENT, PART
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "malformed-part"
_STRUCTS = {
    "functionCall": "args",
    "functionResponse": "response",
    "toolCall": "args",
    "toolResponse": "response",
}
_TYPES = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
}


def check(context: RunContext) -> Iterator[Finding]:
    """Values of the wrong type, read from the contents as sent: the normal form has no empty lists."""
    for turn in context.run.contents:
        content = turn.piece.value if turn.piece is not None and turn.message is CONTENT else None
        parts = content.get("parts") if isinstance(content, dict) else None
        for index, part in enumerate(parts if isinstance(parts, list) else [parts]):
            for path, told in _faults(part):
                yield Finding(NAME, Severity.ERROR, content_place(turn.depth - 1, index, *path), told)


def _faults(part: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where in a part the type is wrong, and how."""
    if part is None:
        return
    if not isinstance(part, dict):
        yield (), f"part is {_type(part)}, not an object"
        return
    for key, value in part.items():
        name = PART.canonical(key)
        field = PART.fields.get(name)
        if value is None or field is None:
            continue
        if name == "text" and not isinstance(value, str):
            yield (name,), f"text is {_type(value)}"
        elif field.message is None:
            continue
        elif not isinstance(value, dict):
            yield (name,), f"{name} is {_type(value)}, not an object"
        elif name in _STRUCTS:
            struct = value.get(_STRUCTS[name])
            if struct is not None and not isinstance(struct, dict):
                of = value.get("name") or value.get("toolType") or value.get("tool_type") or "(unnamed)"
                yield (
                    (name, _STRUCTS[name]),
                    f"{_STRUCTS[name]} of {name} {of} is {_type(struct)}, not an object",
                )


def _type(value: Any) -> str:
    return _TYPES.get(type(value), type(value).__name__)


RULE = Rule(NAME, __doc__ or "", on_run=check)
