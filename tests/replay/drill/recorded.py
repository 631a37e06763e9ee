"""A recorded forecast conversation for tests of the drill, in the forms that clients use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gemtape.cassettes.models import Exchange
from tests.factories import (
    SIGNATURE,
    answer_body,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    sse,
    unary,
    user,
)

QUESTION = user("Will Pune be warmer than 25 degrees?")
VALID = {"city": "Pune", "days": 3, "unit": "celsius"}
FORECAST: dict[str, Any] = {
    "name": "get_forecast",
    "description": "Forecast of a city.",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING"},
            "days": {"type": "INTEGER", "minimum": 1, "maximum": 7},
            "unit": {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
        },
        "required": ["city", "days"],
    },
}
TIME = {"name": "get_time", "description": "Time in a city."}
TOOLS = [{"functionDeclarations": [FORECAST, TIME]}]
RESULT = {"city": "Pune", "temperatures": [24, 26, 25]}
MODEL = "gemini-3-pro-preview"


def conversation(*, streamed: bool = False, parallel: bool = False, ids: bool = True) -> list[Exchange]:
    """A prompt, a call (with a second one beside it), its result, a text."""
    forecast = call("get_forecast", VALID, signature=SIGNATURE, id="abcd1234" if ids else None)
    time = call("get_time", {}, id="efgh5678" if ids else None)
    model = calls(*([forecast, time] if parallel else [forecast]))
    answered = results(
        result("get_forecast", RESULT, id="abcd1234" if ids else None),
        *([result("get_time", {"time": "12:00"}, id="efgh5678" if ids else None)] if parallel else []),
    )
    return [
        _asked([QUESTION], model, streamed=streamed, at=1.0),
        _asked([QUESTION, model, answered], model_text("Yes, 26."), streamed=streamed, at=2.0),
    ]


def recording(path: Path, **kind: Any) -> Path:
    """The conversation as a cassette."""
    return cassette_of(path, conversation(**kind))


def _asked(contents: list[Any], answer: dict[str, Any], *, streamed: bool, at: float) -> Exchange:
    if not streamed:
        return exchange(contents, unary(answer_body(answer)), tools=TOOLS, at=at)
    events = [answer_body({"role": "model", "parts": [part]}) for part in answer["parts"]]
    for event in events[:-1]:
        del event["candidates"][0]["finishReason"]
    path = f"/v1beta/models/{MODEL}:streamGenerateContent"
    return exchange(contents, sse(*events), path=path, query="alt=sse", tools=TOOLS, at=at)
