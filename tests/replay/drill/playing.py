"""Applications without a process of their own, and the script of a drill that answers them, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gemtape.cassettes.models import Request
from gemtape.cassettes.store import Cassette
from gemtape.checks.proposals import Proposal
from gemtape.checks.strict import Strict
from gemtape.replay.answering import Reply
from gemtape.replay.deck import Asked, Deck
from gemtape.replay.drill.recording import Recording
from gemtape.replay.drill.script import Script
from gemtape.replay.drill.targets import targets
from gemtape.replay.reshaping import events_of
from tests.factories import result, results
from tests.replay.drill.recorded import MODEL, QUESTION, TOOLS

PATH = f"/v1beta/models/{MODEL}:generateContent"
ERROR = {"error": "no such value"}


class Application:
    """A dispatcher that sends back what it got, and results as it is told."""

    def __init__(self, script: Script, **body: Any) -> None:
        self.script = script
        self.contents: list[Any] = [QUESTION]
        self.body = {"tools": TOOLS, **body}
        self.replies: list[Reply] = []

    def ask(self, **more: Any) -> dict[str, Any]:
        """Send the history; the content of the answer, which joins it."""
        return self.take(self.send({"contents": self.contents, **self.body, **more}))

    def send(self, body: Any, path: str = PATH) -> Reply:
        data = json.dumps(body).encode()
        asked = Asked("POST", path, "", "application/json", data)
        reply = self.script.answer(
            asked, lambda: Request("POST", path, "", (("content-type", "application/json"),), data)
        )
        self.replies.append(reply)
        return reply

    def take(self, reply: Reply) -> dict[str, Any]:
        parts = [
            part for event in events_of(reply.answer) for part in event["candidates"][0]["content"]["parts"]
        ]
        content = {"role": "model", "parts": parts}
        self.contents.append(content)
        return content

    def bring(self, *responses: Any) -> None:
        """Answer the calls of the last content in order."""
        asked = zip(called(self.contents[-1]), responses, strict=True)
        parts = [result(call["name"], response, id=call.get("id")) for call, response in asked]
        self.contents.append(results(*parts))


@contextmanager
def playing(path: Path, proposal: Proposal, *, target: int = 0, **options: Any) -> Iterator[Script]:
    with Cassette.read(path) as cassette:
        deck = Deck(path)
        recording = Recording(cassette)
        chosen = targets(recording.played)[target]
        proposed = next(item for item in chosen.proposals if item.proposal is proposal)
        try:
            yield Script(recording, deck, chosen, proposed, strict=Strict(str(path)), **options)
        finally:
            deck.close()


def called(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a content."""
    return [part["functionCall"] for part in content["parts"] if "functionCall" in part]
