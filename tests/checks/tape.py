"""Recording small conversations in tests, with all that linking looks at: who asks, when, and what came of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from gemtape.cassettes.models import Exchange, Failure, Request, Response, Violation
from gemtape.checks.judge import Judge
from tests.checks.helpers import entries
from tests.factories import MODEL, answer_body, call, calls, result, results, sse, tools_for, unary

SIGNATURES = ("EpwCCpkCAVSoXO4aaaa1", "EqQDCqEDAVSoXO5bbbb1", "EqwDCqkDAVSoXO6cccc1", "ErwDCqkDAVSoXO7dddd1")
FLASH_2 = "gemini-2.5-flash"
OTHER = "gemini-3-flash-preview"
PATHS = {
    "gemini-api": "/v1beta/models/{model}:{action}",
    "vertex": "/v1/projects/demo/locations/global/publishers/google/models/{model}:{action}",
    "code-assist": "/v1internal:{action}",
}


class Tape:
    """Exchanges in recorded order: unless told otherwise one begins a second after the one before and takes half."""

    def __init__(self, model: str = MODEL, surface: str = "gemini-api") -> None:
        self.model = model
        self.surface = surface
        self.exchanges: list[Exchange] = []

    def ask(
        self,
        contents: list[Any],
        answer: Any = None,
        *,
        model: str = "",
        instruction: str = "",
        tools: Any = None,
        status: int = 200,
        failure: Failure | None = None,
        cut: bool = False,
        at: float | None = None,
        takes: float = 0.5,
        surface: str = "",
        finish: str = "STOP",
    ) -> Any:
        """Add an exchange; `answer` is a content, a list of contents of a stream, or a whole response.

        Returns:
            The answer, for the history.
        """
        model = model or self.model
        surface = surface or self.surface
        body: dict[str, Any] = {"contents": contents}
        declared = tools_for(contents, answer) if tools is None else tools
        if declared:
            body["tools"] = declared
        if instruction:
            body["systemInstruction"] = {"parts": [{"text": instruction}]}
        if surface == "code-assist":
            body = {"model": model, "request": body}
        streamed = isinstance(answer, list)
        action = "streamGenerateContent" if streamed else "generateContent"
        request = Request(
            "POST",
            PATHS[surface].format(model=model, action=action),
            "alt=sse" if streamed else "",
            (("content-type", "application/json"),),
            json.dumps(body).encode(),
        )
        started = float(len(self.exchanges) + 1) if at is None else at
        response = _response(answer, status, finish, wrapped=surface == "code-assist", cut=cut)
        if failure is not None and answer is None:
            response = None
        self.exchanges.append(Exchange(request, response, failure, started, round(takes * 1000)))
        return answer

    def violations(self, as_model: str = "") -> list[Violation]:
        """What is wrong, in recorded order."""
        judge = Judge(as_model=as_model)
        return [item for entry in entries(self.exchanges) for item in judge.judge(entry)]

    def loud(self, as_model: str = "") -> list[tuple[int, str, str, str]]:
        """Exchange, rule, severity and pointer of everything above info, sorted."""
        return sorted(
            (item.exchange, item.rule, item.severity, item.pointer)
            for item in self.violations(as_model)
            if item.severity != "info"
        )

    def without_times(self) -> Tape:
        """The same exchanges as a transcript has them that says nothing of time."""
        other = Tape(self.model, self.surface)
        other.exchanges = [replace(item, started_at=0.0, duration_ms=0) for item in self.exchanges]
        return other


def weather(signature: str | None = None, city: str = "Pune", id: str | None = None) -> dict[str, Any]:
    """A model content that asks for the weather."""
    return calls(call("get_weather", {"city": city}, signature=signature, id=id))


def celsius(value: Any = 31, id: str | None = None) -> dict[str, Any]:
    """A user content that answers it."""
    return results(result("get_weather", {"celsius": value}, id=id))


def signed(text: str, signature: str) -> dict[str, Any]:
    """A model content that is a signed text."""
    return calls({"text": text, "thoughtSignature": signature})


def thought(text: str, signature: str = "") -> dict[str, Any]:
    """A thought part."""
    part: dict[str, Any] = {"text": text, "thought": True}
    return {**part, "thoughtSignature": signature} if signature else part


def _response(answer: Any, status: int, finish: str, *, wrapped: bool, cut: bool) -> Response:
    if isinstance(answer, Response):
        return answer
    if answer is None:
        return unary({"error": {"code": status, "message": "no", "status": "UNAVAILABLE"}}, status)
    contents = answer if isinstance(answer, list) else [answer]
    events = [{"candidates": [{"content": content, "index": 0}]} for content in contents]
    events[-1] = answer_body(contents[-1])
    events[-1]["candidates"][0]["finishReason"] = finish
    if wrapped:
        events = [{"response": event} for event in events]
    return sse(*events, cut=cut) if isinstance(answer, list) else unary(events[0], status)
