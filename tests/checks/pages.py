"""The examples on a rule's page, read as the exchanges that they stand for.

An example is a sequence of lines that begin with a word; what is indented, or closes a bracket, belongs to the line above::

    model gemini-3.6-flash          for the whole example; gemini-3-pro-preview where it is left out
    surface vertex                  or code-assist, or gemini-api
    tools [...]                     for every request that is a list of contents
    request [...]                   a list of contents, or a whole body
    answer {...}                    to the request before: a content, a whole answer, or a list of events
    status 400                      of the answer before
    took 3000                       milliseconds until the answer before had ended; requests begin a second apart
    config TOML                     what a user would have to configure, as in gemtape.toml
    pin {...}                       what declarations and results are compared with

Where tools are not given, every function that the example calls is declared without parameters. A request that gets no
answer was cut off.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.checks.config import parse_config
from gemtape.checks.pins import Pin
from gemtape.checks.settings import Settings
from tests.factories import MODEL, sse, tools_for, unary

_LINE = re.compile(r"^(model|surface|tools|request|answer|status|took|config|pin)\b", re.MULTILINE)
_PATHS = {
    "gemini-api": "/v1beta/models/{model}:{action}",
    "vertex": "/v1/projects/demo/locations/global/publishers/google/models/{model}:{action}",
    "code-assist": "/v1internal:{action}",
}


@dataclass
class Step:
    """One request, and its answer if it got one."""

    request: Any
    answer: Any = None
    status: int = 200
    took: int = 10


@dataclass
class Example:
    """An example as written."""

    model: str = MODEL
    surface: str = "gemini-api"
    tools: Any = None
    config: str = ""
    pin: Any = None
    steps: list[Step] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        """What the rules are told."""
        settings = parse_config(tomllib.loads(self.config), Path("example.toml")).settings
        return settings if self.pin is None else replace(settings, pin=msgspec.convert(self.pin, Pin))

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges, a second apart."""
        return [self._exchange(step, float(at)) for at, step in enumerate(self.steps, 1)]

    def _exchange(self, step: Step, at: float) -> Exchange:
        streamed = isinstance(step.answer, list)
        action = "streamGenerateContent" if streamed else "generateContent"
        return Exchange(
            Request(
                "POST",
                _PATHS[self.surface].format(model=self.model, action=action),
                "alt=sse" if streamed else "",
                (("content-type", "application/json"),),
                json.dumps(self._body(step.request)).encode(),
            ),
            None if step.answer is None else self._response(step),
            Failure.RESET if step.answer is None else None,
            started_at=at,
            duration_ms=step.took,
        )

    def _body(self, request: Any) -> Any:
        body = request
        if isinstance(request, list):
            tools = self.tools if self.tools is not None else self._called()
            body = {"contents": request, "tools": tools} if tools else {"contents": request}
        return {"model": self.model, "request": body} if self.surface == "code-assist" else body

    def _called(self) -> list[Any]:
        return tools_for([[step.request, step.answer] for step in self.steps])

    def _response(self, step: Step) -> Response:
        wrap = self.surface == "code-assist" and step.status == 200
        events = step.answer if isinstance(step.answer, list) else [_whole(step.answer)]
        if wrap:
            events = [{"response": event} for event in events]
        return sse(*events) if isinstance(step.answer, list) else unary(events[0], step.status)


def parse_example(text: str) -> Example:
    """Read an example; whatever is not as the module says fails."""
    example = Example()
    starts = list(_LINE.finditer(text))
    if not starts or text[: starts[0].start()].strip():
        raise ValueError(f"an example begins with one of its words: {text[:60]!r}")
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for match, end in zip(starts, ends, strict=True):
        word, value = match[1], text[match.end() : end].strip()
        if word == "request":
            example.steps.append(Step(json.loads(value)))
        elif word == "answer":
            example.steps[-1].answer = json.loads(value)
        elif word in ("status", "took"):
            setattr(example.steps[-1], word, int(value))
        elif word == "config":
            example.config += value + "\n"
        else:
            setattr(example, word, json.loads(value) if word in ("tools", "pin") else value)
    return example


def _whole(answer: Any) -> Any:
    if answer.keys() & {"candidates", "error", "promptFeedback"}:
        return answer
    return {"candidates": [{"content": answer, "finishReason": "STOP", "index": 0}]}
