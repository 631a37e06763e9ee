"""What a request of a drilled application says of its calls: the mode that they are made in, and what came of them."""

from __future__ import annotations

from ...cassettes.entry import Entry
from ...cassettes.normal import normalise
from ...cassettes.schema import GENERATE
from ...checks.conversation import Response, run_of


def calling(asked: Entry) -> tuple[str, list[str]]:
    """The calling mode of a request and the functions that it allows; in the form of generateContent, as below."""
    settings = normalise(asked.layout.settings, GENERATE)
    config = settings.get("toolConfig") if isinstance(settings, dict) else None
    calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
    if not isinstance(calling, dict):
        return "", []
    allowed = calling.get("allowedFunctionNames")
    return str(calling.get("mode", "")).upper(), list(map(str, allowed)) if isinstance(allowed, list) else []


def responses(asked: Entry, call_id: str | None, index: int) -> list[Response]:
    """The responses to a call of the newest step: by the call's id where it came back, else by its place."""
    run = run_of(asked.layout.history)
    step = run.step if run is not None else None
    if step is None:
        return []
    by_id = [at for at, call in enumerate(step.calls) if call_id is not None and call.named.id == call_id]
    place = by_id[0] if by_id else index
    return [response for response, at in zip(step.responses, step.answered, strict=True) if at == place]
