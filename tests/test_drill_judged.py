"""Faithful applications that are drilled: nothing may be found in the traffic that the drill itself brought about."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.models import Exchange, Request, Response, Violation
from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge
from gemtape.checks.proposals import Proposal
from gemtape.checks.strict import Strict
from gemtape.replay.deck import Asked, Deck
from gemtape.replay.drill.recording import Recording
from gemtape.replay.drill.script import Script
from gemtape.replay.drill.targets import Target, generating, targets
from gemtape.replay.reshaping import events_of, inner_of
from tests.checks.chattapes import in_chat
from tests.checks.helpers import entries
from tests.checks.tape import PATHS
from tests.factories import MODEL, answer_body, call, calls, exchange, model_text, result, results, sse, unary
from tests.replay.drill.recorded import QUESTION, RESULT, TOOLS, VALID

SIGNATURES = ("EpwCCpkCAVSoXO4aaaa1", "EqQDCqEDAVSoXO5bbbb1", "EqwDCqkDAVSoXO6cccc1")
MALFORMED = {"invalid-arguments", "undeclared-call", "unvalidated-call"}
"""What a drill is about."""
FORMS = [
    *((surface, streamed, ids) for surface in PATHS for streamed in (False, True) for ids in (False, True)),
    ("chat", False, True),
    ("chat", True, True),
]
ALONE_AND_BESIDE = [(*form, False) for form in FORMS] + [(*form, True) for form in FORMS if form[2]]


def _recorded(surface: str, *, streamed: bool, ids: bool) -> list[Exchange]:
    """Two steps of one turn, the first with a thought and parallel calls, then a text with a signature."""
    tagged = [f"id{at}" if ids else None for at in range(3)]
    first = calls(
        {"text": "Both at once.", "thought": True},
        call("get_forecast", VALID, signature=SIGNATURES[0], id=tagged[0]),
        call("get_time", {}, id=tagged[1]),
    )
    second = calls(call("get_forecast", {**VALID, "days": 5}, signature=SIGNATURES[1], id=tagged[2]))
    third = {"role": "model", "parts": [{"text": "Yes, 26.", "thoughtSignature": SIGNATURES[2]}]}
    contents = [
        QUESTION,
        first,
        results(
            result("get_forecast", RESULT, id=tagged[0]), result("get_time", {"time": "12:00"}, id=tagged[1])
        ),
        second,
        results(result("get_forecast", RESULT, id=tagged[2])),
        third,
    ]
    chat = surface == "chat"
    made = [
        _exchange(contents[:at], contents[at], "gemini-api" if chat else surface, streamed=streamed, at=at)
        for at in (1, 3, 5)
    ]
    return [in_chat(item) for item in made] if chat else made


def _exchange(contents: Any, answer: Any, surface: str, *, streamed: bool, at: float) -> Exchange:
    bodies = [answer_body(calls(part)) for part in answer["parts"]] if streamed else [answer_body(answer)]
    for body in bodies[:-1]:
        del body["candidates"][0]["finishReason"]
    sent: dict[str, Any] = {"contents": contents, "tools": TOOLS}
    if surface == "code-assist":
        bodies = [{"response": body} for body in bodies]
        sent = {"model": MODEL, "project": "p", "request": sent}
    action = "streamGenerateContent" if streamed else "generateContent"
    request = Request(
        "POST",
        PATHS[surface].format(model=MODEL, action=action),
        "alt=sse" if streamed else "",
        (("content-type", "application/json"),),
        json.dumps(sent).encode(),
    )
    return Exchange(request, sse(*bodies) if streamed else unary(bodies[0]), started_at=float(at))


class Application:
    """Sends back what it got as it got it; `validates` decides whether malformed calls are refused."""

    def __init__(self, script: Script, first: Exchange, *, validates: bool) -> None:
        self.script = script
        self.request = first.request
        self.validates = validates
        self.sent: list[Exchange] = []
        self._body = json.loads(first.request.body)
        self._chat = "messages" in self._body
        inner = self._body.get("request", self._body)
        self._history: list[Any] = inner["messages" if self._chat else "contents"]

    def run(self) -> None:
        for _ in range(8):
            called = self._take(self._ask())
            if not called:
                return
            answered = [(name, known, self._dispatched(name, args)) for name, args, known in called]
            if self._chat:
                self._history += [
                    {"role": "tool", "tool_call_id": known, "content": json.dumps(response)}
                    for _, known, response in answered
                ]
            else:
                self._history.append(
                    results(*(result(name, response, id=known) for name, known, response in answered))
                )
        raise AssertionError("it never ends")

    def _dispatched(self, name: str, args: dict[str, Any]) -> Any:
        known = {"get_forecast": [VALID, {**VALID, "days": 5}], "get_time": [{}]}
        if name not in known or (self.validates and args not in known[name]):
            return {"error": "no such call"}
        return RESULT if name == "get_forecast" else {"time": "12:00"}

    def _ask(self) -> list[Any]:
        request = replace(self.request, body=json.dumps(self._body).encode())
        asked = Asked("POST", request.path, request.query, "application/json", request.body)
        answer = self.script.answer(asked, lambda: request).answer
        assert answer.status == 200, answer.chunks
        headers = tuple((name.decode(), value.decode()) for name, value in answer.headers)
        response = Response(200, headers, answer.chunks)
        self.sent.append(Exchange(request, response, started_at=float(len(self.sent) + 1)))
        return events_of(answer)

    def _take(self, events: list[Any]) -> list[tuple[str, Any, str | None]]:
        return self._take_chat(events) if self._chat else self._take_content(events)

    def _take_content(self, events: list[Any]) -> list[tuple[str, Any, str | None]]:
        parts = [
            part for event in events for part in inner_of(event)["candidates"][0]["content"].get("parts", [])
        ]
        self._history.append({"role": "model", "parts": parts})
        called = [part["functionCall"] for part in parts if "functionCall" in part]
        return [(item["name"], item["args"], item.get("id")) for item in called]

    def _take_chat(self, events: list[Any]) -> list[tuple[str, Any, str | None]]:
        said = [choice.get("message", choice.get("delta")) for event in events for choice in event["choices"]]
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(item.get("content") or "" for item in said) or None,
        }
        called = [
            {key: value for key, value in call.items() if key != "index"}
            for item in said
            for call in item.get("tool_calls", [])
        ]
        extra = next((item["extra_content"] for item in said if "extra_content" in item), None)
        self._history.append(
            message | ({"tool_calls": called} if called else {}) | ({"extra_content": extra} if extra else {})
        )
        return [
            (item["function"]["name"], json.loads(item["function"]["arguments"]), item["id"])
            for item in called
        ]


def _found(exchanges: list[Exchange]) -> list[Violation]:
    judge = Judge()
    return [
        item
        for entry in entries(exchanges)
        for item in judge.judge(entry)
        if item.rule != "vague-declaration"
    ]


def _targets(cassette: Cassette) -> list[Target]:
    return targets(generating(cassette.entries()))


@pytest.mark.parametrize("validates", [True, False])
@pytest.mark.parametrize(("surface", "streamed", "ids", "beside"), ALONE_AND_BESIDE)
def test_a_drill_is_as_sound_as_what_was_recorded(
    tmp_path: Path, surface: str, streamed: bool, ids: bool, beside: bool, validates: bool
):
    """Also where there is another conversation, so that it has to be told which one a request goes on from."""
    recorded = _recorded(surface, streamed=streamed, ids=ids)
    path = tmp_path / "run.db"
    with Cassette.create(path) as cassette:
        for item in [exchange([QUESTION], model_text("Hm."))] * beside + recorded:
            cassette.add(item)
    usual = {item.rule for item in _found(recorded)}
    assert usual <= {"missing-id"}
    usual = {(item.rule, item.message) for item in _found(recorded)}
    with Cassette.read(path) as cassette:
        assert [target.function for target in _targets(cassette)] == [
            "get_forecast",
            "get_time",
            "get_forecast",
        ]
        for target in _targets(cassette):
            for proposed in target.proposals:
                deck = Deck(path)
                script = Script(
                    Recording(cassette),
                    deck,
                    target,
                    proposed,
                    strict=Strict(str(path)),
                )
                application = Application(script, recorded[0], validates=validates)
                application.run()
                deck.close()
                found = [
                    item
                    for item in _found(application.sent)
                    if item.rule not in MALFORMED and (item.rule, item.message) not in usual
                ]
                assert found == [], (target, proposed)
                assert script.run.results[-1] is not None
                if proposed.proposal is not Proposal.VALID and validates:
                    assert script.run.repaired, (target, proposed)
