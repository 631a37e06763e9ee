"""A recorded answer as it would have been, had the model ended it for another reason."""

from __future__ import annotations

from typing import Any, Final

from ..cassettes.answers import Answer
from ..cassettes.entry import Entry
from ..cassettes.routes import Surface
from .reshaping import candidate_of, events_of, in_form_of, inner_of, merged, parts_of, with_candidate

_MAX_TOKENS: Final = "MAX_TOKENS"
_MESSAGES: Final = {
    "MALFORMED_FUNCTION_CALL": "Malformed function call: print(default_api.{name}(",
    "UNEXPECTED_TOOL_CALL": "Unexpected tool call: Model tried to call an undeclared function: {name}",
}


def finished(entry: Entry, answer: Answer, reason: str) -> Answer | None:
    """The answer of an exchange with another finish reason; None where it has no candidate that could end so.

    With ``MAX_TOKENS`` the first half of it comes, texts cut and calls left out; with any other reason nothing of its
    content does. Streams stay streams of the same form; tokens are counted as recorded.
    """
    events = events_of(answer)
    if answer.status != 200 or entry.route.surface is Surface.OPENAI or not entry.route.generates:
        return None
    if not any(map(candidate_of, events)):
        return None
    name = next((str(call["name"]) for call in entry.answer.calls if call.get("name")), "run")
    ended = _half(events) if reason == _MAX_TOKENS else [_emptied(events[-1])]
    last = ended[-1]
    message = _MESSAGES.get(reason, "").format(name=name)
    candidate = {**candidate_of(last), "finishReason": reason}
    candidate.pop("finishMessage", None)
    ended[-1] = with_candidate(last, {**candidate, "finishMessage": message} if message else candidate)
    if isinstance(usage := inner_of(events[-1]).get("usageMetadata"), dict):
        ended[-1] = merged(ended[-1], {"usageMetadata": usage})
    return in_form_of(answer, ended)


def _half(events: list[Any]) -> list[Any]:
    kept = [
        with_candidate(event, _without_calls(candidate_of(event)))
        for event in events[: (len(events) + 1) // 2]
    ]
    candidate = candidate_of(kept[-1])
    parts = parts_of(candidate)
    texts = [
        at for at, part in enumerate(parts) if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    if len(events) == 1 and texts:
        text = parts[texts[-1]]["text"]
        parts[texts[-1]] = {**parts[texts[-1]], "text": text[: (len(text) + 1) // 2]}
        kept[-1] = with_candidate(
            kept[-1], {**candidate, "content": {**candidate["content"], "parts": parts}}
        )
    return kept


def _emptied(event: Any) -> Any:
    return with_candidate(event, {**candidate_of(event), "content": {}})


def _without_calls(candidate: dict[str, Any]) -> dict[str, Any]:
    parts = [part for part in parts_of(candidate) if not (isinstance(part, dict) and "functionCall" in part)]
    content = {"role": "model", "parts": parts} if parts else {"role": "model"}
    kept = {key: value for key, value in candidate.items() if key not in ("finishReason", "finishMessage")}
    return {**kept, "content": content}
