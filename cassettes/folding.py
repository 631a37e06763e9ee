"""An answer folded: the events of a stream as the one content that a client would put into its history.

Parts are concatenated over events in order; neighbouring texts are joined only where neither is signed and both or
neither are thoughts (a signature belongs to the very part it arrived on). Runs of streamed arguments become one call.
The first candidate is the answer; the others are there for the client to choose from. The answer to a chat completion is
kept as the message that it is, and read as the content that the message stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby
from typing import Any, Final

from .chat import content_of
from .chatstream import choices_of, finish_of, is_chat, messages_of, usage_of
from .events import parse_events
from .models import Response
from .normal import normalise_content
from .partial_args import fold_partial_calls, is_partial

_TEXT: Final = frozenset({"text", "thought"})
"""The keys of a part that is plain text; a signature among them forbids joining."""


@dataclass(frozen=True)
class Answer:
    """What an answer says.

    `content` is the folded content of the first candidate as sent (None where there is none), `contents` what the events
    held of it; `error` the error object of a failed answer, also one inside a stream. `others` are the folded contents of
    further candidates. With `chat`, contents are chat messages, and pieces of them deltas.
    """

    content: Any = None
    contents: tuple[Any, ...] = ()
    finish_reason: str = ""
    finish_message: str = ""
    model_version: str = ""
    block_reason: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    others: tuple[Any, ...] = ()
    chat: bool = False

    @cached_property
    def normal(self) -> Any:
        """The folded content in normal form, None where there is none."""
        return None if self.content is None else self._normal(self.content)

    @property
    def variants(self) -> list[Any]:
        """The folded contents of all candidates in normal form, the first in front."""
        return [self.normal, *map(self._normal, self.others)]

    def _normal(self, content: Any) -> Any:
        return normalise_content(content_of(content, "model") if self.chat else content, "model")

    @property
    def pieces(self) -> int:
        """How many events held something of the content; clients may keep what came together as one content."""
        held = ("content", "tool_calls") if self.chat else ("parts",)
        return sum(any(content.get(key) for key in held) for content in self.contents)

    @property
    def parts(self) -> list[Any]:
        """The folded parts in normal form."""
        parts = self.normal.get("parts") if isinstance(self.normal, dict) else None
        return parts if isinstance(parts, list) else []

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The function calls, in order."""
        found = (part.get("functionCall") for part in self.parts if isinstance(part, dict))
        return [call for call in found if isinstance(call, dict)]


def fold_answer(response: Response | None) -> Answer:
    """Fold a recorded answer; an unreadable or missing one folds to an empty answer."""
    if response is None:
        return Answer()
    return fold_events(parse_events(response.body, response.header("content-type")))


def fold_events(events: Iterable[Any]) -> Answer:
    """Fold the JSON values of an answer's events."""
    contents: list[dict[str, Any]] = []
    others: dict[int, list[dict[str, Any]]] = {}
    seen: dict[str, Any] = {}
    unwrapped = [event for event in map(_unwrapped, events) if isinstance(event, dict)]
    if any(map(is_chat, unwrapped)):
        return _chat_answer(unwrapped)
    for event in unwrapped:
        candidate, *further = _candidates(event)
        seen.update(_said(event, candidate))
        if isinstance(candidate.get("content"), dict):
            contents.append(candidate["content"])
        for at, other in enumerate(further, 1):
            if isinstance(other.get("content"), dict):
                others.setdefault(_index(other) or at, []).append(other["content"])
    return Answer(
        content=_folded(contents),
        contents=tuple(contents),
        others=tuple(_folded(others[index]) for index in sorted(others)),
        **seen,
    )


def _chat_answer(events: list[dict[str, Any]]) -> Answer:
    messages = messages_of(events)
    seen: dict[str, Any] = {}
    for event in events:
        first = next((choice for choice in choices_of(event) if not _index(choice)), {})
        model = event.get("model")
        said = {
            "error": event.get("error") if isinstance(event.get("error"), dict) else None,
            "model_version": model.rpartition("/")[2] if isinstance(model, str) else "",
            "usage": usage_of(event),
            "finish_reason": finish_of(first),
        }
        seen.update({name: value for name, value in said.items() if value})
    return Answer(
        content=messages[0] if messages else None,
        contents=tuple(chain.from_iterable(map(_spoken, events))),
        others=tuple(messages[1:]),
        chat=True,
        **seen,
    )


def _spoken(event: dict[str, Any]) -> list[dict[str, Any]]:
    """What an event holds of the first choice."""
    first = [choice for choice in choices_of(event) if not _index(choice)][:1]
    found = (choice.get("message", choice.get("delta")) for choice in first)
    return [item for item in found if isinstance(item, dict)]


def _said(event: dict[str, Any], candidate: dict[str, Any]) -> dict[str, Any]:
    """What an event says besides contents, by the names of `Answer`; of the whole answer, the last word counts."""
    feedback = event.get("promptFeedback")
    said = (
        ("error", event.get("error"), dict),
        ("model_version", event.get("modelVersion"), str),
        ("usage", event.get("usageMetadata"), dict),
        ("block_reason", feedback.get("blockReason") if isinstance(feedback, dict) else None, str),
        ("finish_reason", candidate.get("finishReason"), str),
        ("finish_message", candidate.get("finishMessage"), str),
    )
    return {name: value for name, value, kind in said if isinstance(value, kind)}


def _unwrapped(event: Any) -> Any:
    """Code Assist puts the answer under ``response``; errors of array streams come in a list of one."""
    if isinstance(event, list) and len(event) == 1:
        event = event[0]
    if isinstance(event, dict) and isinstance(event.get("response"), dict) and "candidates" not in event:
        return event["response"]
    return event


def _candidates(event: dict[str, Any]) -> list[dict[str, Any]]:
    """The candidates of an event, the first in front: an empty one where the event says nothing of it."""
    candidates = event.get("candidates")
    objects = [item for item in candidates if isinstance(item, dict)] if isinstance(candidates, list) else []
    first = next((item for item in objects if not _index(item)), {})
    return [first, *(item for item in objects if item is not first)]


def _index(candidate: dict[str, Any]) -> int:
    index = candidate.get("index")
    return index if isinstance(index, int) else 0


def _folded(contents: list[dict[str, Any]]) -> Any:
    if not contents:
        return None
    if len(contents) == 1 and not _has_partial_calls(contents[0]):
        return contents[0]
    parts: list[Any] = []
    for is_text, group in groupby(chain.from_iterable(map(_parts, contents)), _text_kind):
        run = list(group)
        parts.extend([_joined(run)] if is_text else run)
    return {"parts": fold_partial_calls(parts), "role": contents[0].get("role", "model")}


def _parts(content: dict[str, Any]) -> list[Any]:
    parts = content.get("parts")
    return parts if isinstance(parts, list) else []


def _text_kind(part: Any) -> str:
    """What texts may be joined under; empty for a part that stands for itself."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str) or not part.keys() <= _TEXT:
        return ""
    return "thought" if part.get("thought") else "text"


def _joined(texts: list[dict[str, Any]]) -> dict[str, Any]:
    return {**texts[0], "text": "".join(part["text"] for part in texts)}


def _has_partial_calls(content: dict[str, Any]) -> bool:
    calls = (part.get("functionCall") for part in _parts(content) if isinstance(part, dict))
    return any(isinstance(call, dict) and is_partial(call) for call in calls)
