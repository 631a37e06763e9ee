"""A chat completion as the generateContent request that it stands for, so that one set of rules reads both.

Each message becomes one content at its place in the history, once: what is known of it hangs on the message's turn.
Instructions (system, developer) are no contents. The exchange as it was sent stays at hand, since findings point at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import takewhile
from typing import Any, Final

from ..cassettes.chat import INSTRUCTING_ROLES, content_of, role_of, text_of
from ..cassettes.entry import Entry
from ..cassettes.layout import Layout
from ..cassettes.routes import CHAT
from ..cassettes.schema import CONTENT, OPENAI_MESSAGE, TOOL
from ..cassettes.turns import Piece, Turn
from .conversation import run_of

_INSTRUCTION: Final = "instruction"
_MOST_INSTRUCTIONS: Final = 64
_MODES: Final = {"auto": "AUTO", "required": "ANY", "any": "ANY", "none": "NONE"}
_PATHS: Final = (f"openai/{CHAT}", f"endpoints/openapi/{CHAT}")
_GOOGLE: Final = ("google", "models", "tunedModels", "projects", "endpoints")
"""What may stand in front of the name of one of Google's models; anything else is another publisher."""


@dataclass(frozen=True)
class ChatEntry(Entry):
    """A chat completion in the form of generateContent; `sent` is the exchange as it was."""

    sent: Entry = field(kw_only=True)

    @cached_property
    def messages(self) -> list[Turn]:
        """The messages that the contents stand for, in the same order."""
        return [turn for turn in self.sent.layout.history.line() if not _instructs(turn)]


def is_judged(entry: Entry) -> bool:
    """Whether an exchange is judged: of chat completions, Google's own models on Google's own paths.

    Vertex serves other publishers' models too, and gateways that speak this form keep signatures wherever they like.
    """
    if entry.route.action != CHAT:
        return entry.route.generates
    return entry.route.resource in _PATHS and _publisher(_settings(entry).get("model")) == "google"


def as_generate(entry: Entry) -> Entry:
    """An exchange in the form of generateContent: itself, unless it is a chat completion."""
    if entry.route.action != CHAT or isinstance(entry, ChatEntry) or entry.layout.envelope is None:
        return entry
    sent = _settings(entry)
    tools = _twin(entry.layout.tools, TOOL, _add_tool)
    is_chat = entry.layout.history.message is OPENAI_MESSAGE
    contents = _twin(entry.layout.history, CONTENT, _add_message) if is_chat else Turn(None, None, CONTENT)
    layout = Layout(
        envelope=Piece(_generate_settings(sent)),
        history=contents,
        contents_at=("contents",) if contents.depth else None,
        tools=tools,
        tools_at=("tools",) if tools.depth else None,
        instruction=entry.layout.history.notes.get(_INSTRUCTION),
        instruction_at=None,
    )
    known = {item.name: getattr(entry, item.name) for item in fields(Entry)}
    told = ChatEntry(**{**known, "layout": layout}, sent=entry)
    vars(told).update(route=entry.route, answer=entry.answer)
    return told


def _twin(head: Turn, kind: Any, add: Any) -> Turn:
    """The history in the form of generateContent; only turns that were never met are looked at."""
    missing = list(takewhile(lambda turn: turn.twin is None, head.back()))
    before = (missing[-1].parent or head) if missing else head
    twin = before.twin
    if twin is None:  # the empty history
        twin = before.twin = Turn(None, None, kind)
    for turn in reversed(missing):
        twin = turn.twin = add(twin, turn)
    return twin


def _add_message(before: Turn, turn: Turn) -> Turn:
    message: Any = turn.piece.value if turn.piece else None
    told = turn.parent.notes.get(_INSTRUCTION) if turn.parent else None
    instructs = _instructs(turn)
    if instructs and not before.depth:
        told = _with_instruction(told, message)
    if told is not None:
        turn.notes[_INSTRUCTION] = told
    if instructs:
        return before
    called = _called(before, message) if role_of(message) == "tool" else None
    return _child(before, turn, content_of(message, called=called))


def _with_instruction(told: Piece | None, message: dict[str, Any]) -> Piece:
    """The instruction, and that of one more message in front of the first prompt."""
    parts = told.value["parts"] if told else []
    if told is not None and len(parts) == _MOST_INSTRUCTIONS:
        return told
    return Piece({"parts": [*parts, {"text": text_of(message.get("content"))}]})


def _add_tool(before: Turn, turn: Turn) -> Turn:
    tool = turn.piece.value if turn.piece else None
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict):
        # Of a kind that is not written down: it may bring functions of its own.
        return _child(before, turn, {"mcpServers": [tool]})
    names = {"name": "name", "description": "description", "parameters": "parametersJsonSchema"}
    declared = {name: function[key] for key, name in names.items() if function.get(key) is not None}
    return _child(before, turn, {"functionDeclarations": [declared]})


def _child(before: Turn, turn: Turn, value: Any) -> Turn:
    """The turn that continues a history with what a turn stands for: behind equal ones that is equal."""
    digest = turn.piece.digest if turn.piece else b""
    return before.children.get(digest) or before.child(Piece(value, digest=digest))


def _instructs(turn: Turn) -> bool:
    return role_of(turn.piece.value if turn.piece else None) in INSTRUCTING_ROLES


def _called(before: Turn, message: dict[str, Any]) -> str | None:
    """The name of the function whose call a tool's message answers."""
    run = run_of(before)
    asking = run.before if run is not None and run.role == "user" else run
    answered = message.get("tool_call_id")
    calls = asking.calls if asking is not None and answered else []
    return next((call.named.name for call in calls if call.named.id == answered), None)


def _settings(entry: Entry) -> dict[str, Any]:
    value = entry.layout.envelope.value if entry.layout.envelope else None
    return value if isinstance(value, dict) else {}


def _generate_settings(sent: dict[str, Any]) -> dict[str, Any]:
    """What the rules read of the settings, by its names in generateContent."""
    found = {key: sent[key] for key in ("model", "functions") if key in sent}
    calling = dict(_calling(sent.get("tool_choice")))
    if calling:
        found["toolConfig"] = {"functionCallingConfig": calling}
    inner: Any = sent
    for key in ("extra_body", "google", "cached_content"):
        inner = inner.get(key) if isinstance(inner, dict) else None
    if inner:
        found["cachedContent"] = inner
    return found


def _calling(choice: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(choice, str) and choice in _MODES:
        yield "mode", _MODES[choice]
    function = choice.get("function") if isinstance(choice, dict) else None
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        yield "mode", "ANY"
        yield "allowedFunctionNames", [function["name"]]


def _publisher(model: Any) -> str:
    """Who made a model, by its name."""
    first, *rest = model.removeprefix("publishers/").split("/") if isinstance(model, str) else [""]
    return first if rest and first not in _GOOGLE else "google"
