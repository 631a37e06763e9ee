"""Several conversations at once: each goes on where it stands, and only one of them meets the changed answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.models import Exchange
from gemtape.checks.proposals import Proposal
from gemtape.replay.drill.run import Baseline, Verdict
from gemtape.replay.drill.script import Script
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, user
from tests.replay.drill.playing import ERROR, PATH, Application, called, playing
from tests.replay.drill.recorded import MODEL, RESULT, TOOLS, VALID

PUNE, AGRA = user("Warmer than 25 degrees in Pune?"), user("Warmer than 25 degrees in Agra?")
SIGNATURES = "EpwCCpkCAVSoXO4aaaa1", "EqQDCqEDAVSoXO5bbbb1"
INSTRUCTIONS = [
    {"systemInstruction": {"parts": [{"text": words}]}}
    for words in ("You plan trips for families.", "You forecast the weather, briefly.")
]


@dataclass(frozen=True)
class Chat:
    """A conversation: what opens it, what comes with each request, and what tells its call from an equal one."""

    prompt: Any
    text: str
    signature: str
    known: str | None
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def call(self) -> Any:
        return calls(call("get_forecast", VALID, signature=self.signature, id=self.known))

    def exchanges(self) -> list[Exchange]:
        answered = results(result("get_forecast", RESULT, id=self.known))
        history = [self.prompt, self.call, answered]
        return [
            exchange(history[:1], self.call, tools=TOOLS, **self.more),
            exchange(history, model_text(self.text), tools=TOOLS, **self.more),
        ]


KINDS = {
    "prompts": [Chat(PUNE, "Yes.", SIGNATURES[0], "id-a"), Chat(AGRA, "No.", SIGNATURES[1], "id-b")],
    "agents": [
        Chat(PUNE, "Yes.", SIGNATURES[0], "id-a", INSTRUCTIONS[0]),
        Chat(PUNE, "No.", SIGNATURES[1], "id-b", INSTRUCTIONS[1]),
    ],
    "twins": [Chat(PUNE, "Yes.", SIGNATURES[0], "id-a"), Chat(PUNE, "Yes.", SIGNATURES[1], "id-b")],
    "bare twins": [Chat(PUNE, "Yes.", SIGNATURES[0], None), Chat(PUNE, "Yes.", SIGNATURES[0], None)],
}


def interleaved(first: list[Any], second: list[Any]) -> Iterator[list[Any]]:
    """All orders in which two lists can be merged."""
    whole = len(first) + len(second)
    for places in combinations(range(whole), len(first)):
        one, other = iter(first), iter(second)
        yield [next(one) if at in places else next(other) for at in range(whole)]


def validating(name: str, args: Any) -> Any:
    return RESULT if (name, args) == ("get_forecast", VALID) else ERROR


def trusting(name: str, args: Any) -> Any:
    return RESULT if (name, args) == ("get_forecast", VALID) else {"temperatures": []}


def converse(application: Application, dispatched: Any) -> Iterator[None]:
    """Ask until the answer is a text; a pause before each request."""
    while True:
        yield
        asked = called(application.ask())
        if not asked:
            return
        application.bring(*(dispatched(item["name"], item["args"]) for item in asked))


def run(script: Script, chats: list[Chat], order: list[int], dispatched: Any) -> list[Any]:
    """Let each chat make its requests in an order; the last content of each."""
    applications = [Application(script, **chat.more) for chat in chats]
    for application, chat in zip(applications, chats, strict=True):
        application.contents = [chat.prompt]
    running = [converse(application, dispatched) for application in applications]
    for at in [0, 1, *order, *[0, 1] * 4]:
        next(running[at], None)
    return [application.contents[-1] for application in applications]


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("recorded", range(3), ids=["sequential", "interleaved", "nested"])
def test_any_interleaving_gives_the_verdict_of_one_conversation_alone(
    tmp_path: Path, kind: str, recorded: int, target: int
):
    chats = KINDS[kind]
    exchanges = list(interleaved(chats[0].exchanges(), chats[1].exchanges()))[recorded]
    path = cassette_of(tmp_path / "run.db", exchanges)
    texts = [model_text(chat.text) for chat in chats]
    for order in interleaved([0] * 2, [1] * 2):
        with playing(path, Proposal.VALID, target=target) as script:
            assert run(script, chats, order, validating) == texts
            assert script.run.results == [(False, RESULT)], order
        with playing(path, Proposal.BAD_ENUM, target=target) as script:
            assert run(script, chats, order, validating) == texts
            assert script.run.results == [(True, ERROR), (False, RESULT)], order
        with playing(path, Proposal.OUT_OF_RANGE, target=target) as script:
            assert run(script, chats, order, trusting) == texts
            assert script.run.results == [(False, {"temperatures": []})], order
        assert not script.run.mixed


def test_an_agent_that_asks_others(tmp_path: Path):
    """One while the drilled call is open, with a task of its own; one for a summary of what nobody recorded."""
    chat = KINDS["prompts"][0]
    opened, closed = chat.exchanges()
    task = exchange([user("Where is Pune?")], model_text("In Maharashtra."), **INSTRUCTIONS[0])
    summary = exchange([user("Sum up: warm in Pune")], model_text("Warm."), model="gemini-2.5-flash")
    with playing(
        cassette_of(tmp_path / "run.db", [opened, task, closed, summary]), Proposal.BAD_ENUM
    ) as script:
        main, other, third = Application(script), Application(script, **INSTRUCTIONS[0]), Application(script)
        main.contents = [chat.prompt]
        main.ask()
        other.contents, other.body = [user("Where is Pune?")], INSTRUCTIONS[0]
        assert other.ask() == model_text("In Maharashtra.")
        main.bring(ERROR)
        third.contents, path = [user("Sum up: an error")], PATH.replace(MODEL, "gemini-2.5-flash")
        assert third.take(third.send({"contents": third.contents}, path)) == model_text("Warm.")
        assert called(main.ask())[0]["args"] == VALID
        main.bring(RESULT)
        assert main.ask() == model_text("Yes.")

    assert script.run.results == [(True, ERROR), (False, RESULT)]
    assert not script.run.mixed


ASK = {
    "name": "ask",
    "description": "Asks the forecaster.",
    "parameters": {"type": "OBJECT", "properties": {"task": {"type": "STRING"}}, "required": ["task"]},
}


class Nested:
    """An agent whose only function is another agent; what is wrong with a task or a forecast, they find themselves."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def main(self) -> Any:
        main = Application(self.script, tools=[{"functionDeclarations": [ASK]}])
        main.contents = [user("Shall I pack a coat?")]
        while asked := called(main.ask()):
            main.bring(*(self.dispatched(item["name"], item["args"]) for item in asked))
        return main.contents[-1]

    def dispatched(self, name: str, args: Any) -> Any:
        if name != "ask":
            return ERROR
        forecaster = Application(self.script, **INSTRUCTIONS[1])
        forecaster.contents = [user(f"Task: {args.get('task')}")]
        while asked := called(forecaster.ask()):
            forecaster.bring(*(validating(item["name"], item["args"]) for item in asked))
        return {"said": forecaster.contents[-1]["parts"][0]["text"]}


@pytest.mark.parametrize(
    ("target", "proposal", "expected"),
    [
        (0, Proposal.VALID, [(False, {"said": "Warm."})]),
        (0, Proposal.MISSING_REQUIRED, [(False, {"said": "Warm."})]),
        (0, Proposal.UNDECLARED_FUNCTION, [(True, ERROR), (False, {"said": "Warm."})]),
        (1, Proposal.VALID, [(False, RESULT)]),
        (1, Proposal.OUT_OF_RANGE, [(True, ERROR), (False, RESULT)]),
    ],
)
@pytest.mark.parametrize("others", [0, 1])
def test_an_agent_within_an_agent(
    tmp_path: Path, target: int, proposal: Proposal, expected: Any, others: int
):
    """Either is drilled, and the other one goes on, also with what it never said before."""
    asks = calls(call("ask", {"task": "coat"}, signature=SIGNATURES[0], id="id-1"))
    asks_forecast = calls(call("get_forecast", VALID, signature=SIGNATURES[1], id="id-2"))
    answered = results(result("get_forecast", RESULT, id="id-2"))
    told = results(result("ask", {"said": "Warm."}, id="id-1"))
    main: Any = {"tools": [{"functionDeclarations": [ASK]}]}
    forecaster: Any = {"tools": TOOLS, **INSTRUCTIONS[1]}
    recorded = [
        exchange([user("Shall I pack a coat?")], asks, **main, at=1.0),
        exchange([user("Task: coat")], asks_forecast, **forecaster, at=2.0),
        exchange([user("Task: coat"), asks_forecast, answered], model_text("Warm."), **forecaster, at=3.0),
        exchange([user("Shall I pack a coat?"), asks, told], model_text("No."), **main, at=4.0),
        *[exchange([user("Hello")], model_text("Hi."), tools=TOOLS, at=5.0)] * others,
    ]
    path = cassette_of(tmp_path / "run.db", recorded)
    with playing(path, proposal, target=target) as script:
        assert Nested(script).main() == model_text("No.")
    assert (script.run.results, script.run.mixed) == (expected, "")
    assert script.run.improvised is (target == 0 and proposal is Proposal.MISSING_REQUIRED)

    with playing(path, proposal, target=target, repairs=0) as script:
        last = Nested(script).main()
    failed = expected[0][0]
    assert last == model_text("No.") or (failed and target == 0 and "cannot repair" in str(last))
    assert script.run.results == expected[:1]


def test_only_a_refusal_in_the_drilled_conversation_counts(tmp_path: Path):
    chats = KINDS["prompts"]
    exchanges = [item for chat in chats for item in chat.exchanges()]
    for target, refused in ((0, False), (1, True)):
        with playing(
            cassette_of(tmp_path / f"{target}.db", exchanges), Proposal.VALID, target=target
        ) as script:
            applications = [Application(script) for _ in chats]
            for application, chat in zip(applications, chats, strict=True):
                application.contents = [chat.prompt]
                application.ask()
            del applications[1].contents[-1]["parts"][0]["thoughtSignature"]
            applications[1].bring(RESULT)
            reply = applications[1].send({"contents": applications[1].contents, **applications[1].body})

        assert reply.answer.status == 400
        assert bool(script.run.refused) is refused


@pytest.mark.parametrize("summary_first", [False, True])
def test_a_summary_of_the_drilled_conversation_is_not_its_next_request(tmp_path: Path, summary_first: bool):
    chat = KINDS["prompts"][0]
    opened, closed = chat.exchanges()
    history = [
        chat.prompt,
        chat.call,
        results(result("get_forecast", RESULT, id=chat.known), {"text": "Sum up."}),
    ]
    summary = exchange(history, model_text("Warm."), **INSTRUCTIONS[0], tools=[])
    order = [opened, summary, closed] if summary_first else [opened, closed, summary]
    with playing(cassette_of(tmp_path / "run.db", order), Proposal.BAD_ENUM) as script:
        main = Application(script)
        main.contents = [chat.prompt]
        main.ask()
        main.bring(ERROR)
        other = Application(script)
        other.contents = [
            *main.contents[:-1],
            {"role": "user", "parts": [*main.contents[-1]["parts"], {"text": "Sum up."}]},
        ]
        other.body = {"tools": [], **INSTRUCTIONS[0]}
        assert other.ask() == model_text("Warm.")
        assert called(main.ask())[0]["args"] == VALID

    assert script.run.results == [(True, ERROR)]


@pytest.mark.parametrize(("kind", "mixed"), [("prompts", True), ("agents", False), ("twins", False)])
def test_prompts_that_were_not_recorded(tmp_path: Path, kind: str, mixed: bool):
    """Such as those with the time in them: told apart where agents differ, and from then on by what was answered."""
    chats = KINDS[kind]
    exchanges = [item for pair in zip(*(chat.exchanges() for chat in chats), strict=True) for item in pair]
    with playing(cassette_of(tmp_path / "run.db", exchanges), Proposal.BAD_ENUM) as script:
        changed = [
            replace(chat, prompt={"role": "user", "parts": [*chat.prompt["parts"], {"text": "It is noon."}]})
            for chat in chats
        ]
        assert run(script, changed, [0, 1, 1, 0], validating) == [model_text(chat.text) for chat in chats]

    assert script.run.results == [(True, ERROR), (False, RESULT)]
    assert bool(script.run.mixed) is mixed


def test_a_conversation_gets_no_answers_of_another(tmp_path: Path):
    chats = KINDS["prompts"]
    exchanges = [item for chat in chats for item in chat.exchanges()]
    with playing(cassette_of(tmp_path / "run.db", exchanges), Proposal.VALID) as script:
        application = Application(script)
        application.contents = [chats[0].prompt]
        for _ in converse(application, validating):
            pass
        application.contents.append(user("And in Nagpur?"))
        reply = application.send({"contents": application.contents, **application.body})

    assert reply.answer.status == 412


def test_a_client_that_asks_again_while_others_are_answered(tmp_path: Path):
    chats = KINDS["prompts"]
    exchanges = [item for chat in chats for item in chat.exchanges()]
    with playing(cassette_of(tmp_path / "run.db", exchanges), Proposal.BAD_ENUM) as script:
        bodies = [{"contents": [chat.prompt], "tools": TOOLS} for chat in chats]
        first, _, again = (Application(script).send(bodies[at]) for at in (0, 1, 0))

    assert again.answer == first.answer
    assert script.run.calls == 1


def test_where_a_drill_gives_up_other_conversations_go_on(tmp_path: Path):
    chats = KINDS["prompts"]
    exchanges = [item for chat in chats for item in chat.exchanges()]
    with playing(cassette_of(tmp_path / "run.db", exchanges), Proposal.BAD_ENUM, repairs=0) as script:
        last = run(script, chats, [0, 0, 1], validating)

    assert "cannot repair" in last[0]["parts"][0]["text"]
    assert last[1] == model_text("No.")


def test_what_nobody_can_place_is_no_crash(tmp_path: Path):
    """As of an application that writes all that was said into a single prompt."""
    prompts = [user("Warm?"), user("Warm? You called f, it gave 24.")]
    recorded = [
        exchange(prompts[:1], KINDS["prompts"][0].call, tools=TOOLS),
        exchange(prompts[1:], model_text("No."), tools=TOOLS),
    ]
    with playing(cassette_of(tmp_path / "run.db", recorded), Proposal.BAD_ENUM) as script:
        for prompt in (prompts[0], user("Warm? You called f, it gave an error.")):
            Application(script).send({"contents": [prompt], "tools": TOOLS})

    assert script.run.verdict(Baseline()) is Verdict.UNANSWERED
