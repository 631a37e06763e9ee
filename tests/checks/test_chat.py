"""A chat completion read as the generateContent request that it stands for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.layout import lay_out
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.routes import split_prefix
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.chat import ChatEntry, as_generate, is_judged
from gemtape.checks.judge import Judge
from tests.chats import chat_exchange, streamed, whole
from tests.checks.helpers import entries, loud
from tests.factories import SIGNATURE, call, exchange, result, user

SYSTEM = {"role": "system", "content": "Be brief."}
QUESTION = {"role": "user", "content": "Weather?"}
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Pune"}'},
    "extra_content": {"google": {"thought_signature": SIGNATURE}},
}
CALLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": '{"celsius": 21}'}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


def told(*messages: Any, **more: Any) -> Entry:
    """The request of these messages in the form of generateContent."""
    [entry] = entries([chat_exchange(list(messages), **more)])
    return as_generate(entry)


def steps(tree: TurnTree, *messages: Any) -> Any:
    """The contents of a request, sharing what is known in a tree."""
    [entry] = entries([chat_exchange(list(messages))])
    layout = lay_out(json.loads(entry.body()), tree)
    return as_generate(Entry(**{**vars(entry), "layout": layout})).layout.history


def test_messages_become_contents():
    entry = told(SYSTEM, QUESTION, CALLS, RESULT)

    assert isinstance(entry, ChatEntry)
    assert entry.layout.history.values() == [
        user("Weather?"),
        {"role": "model", "parts": [call("weather", {"city": "Pune"}, signature=SIGNATURE, id="c1")]},
        {"role": "user", "parts": [result("weather", {"celsius": 21}, id="c1")]},
    ]
    assert entry.sent.layout.history.values() == [SYSTEM, QUESTION, CALLS, RESULT]


def test_the_same_exchange_in_every_other_respect():
    [sent] = entries([chat_exchange([QUESTION], CALLS, at=7.0)])
    entry = as_generate(sent)

    assert (entry.number, entry.started_at, entry.model) == (sent.number, 7.0, sent.model)
    assert entry.answer is sent.answer
    assert as_generate(entry) is entry


def test_other_requests_stay_what_they_are():
    [entry] = entries([exchange([user("Hi")])])

    assert as_generate(entry) is entry


@pytest.mark.parametrize("role", ["system", "developer", "System"])
def test_instructions_are_no_contents(role: str):
    first, second = (
        {"role": role, "content": "Be brief."},
        {"role": role, "content": [{"type": "text", "text": "Be kind."}]},
    )
    entry = told(first, second, QUESTION, {"role": role, "content": "It is late."}, CALLS)

    assert [turn.role for turn in entry.layout.history.line()] == ["user", "model"]
    assert entry.layout.instruction
    assert entry.layout.instruction.value == {"parts": [{"text": "Be brief."}, {"text": "Be kind."}]}


def test_a_history_is_the_same_under_another_instruction():
    tree = TurnTree()
    first = steps(tree, SYSTEM, QUESTION, CALLS)
    second = steps(
        tree, {**SYSTEM, "content": "Be kind."}, QUESTION, {"role": "system", "content": "Hurry."}, CALLS
    )

    assert first is second


def test_what_is_known_of_a_history_is_kept():
    tree = TurnTree()
    first = steps(tree, QUESTION, CALLS)

    assert steps(tree, QUESTION, CALLS, RESULT).parent is first


def test_a_chat_in_a_long_cassette_is_let_go_of():
    tree = TurnTree()
    [entry] = entries([chat_exchange([QUESTION, CALLS])])
    layout = lay_out(json.loads(entry.body()), tree)
    contents = as_generate(Entry(**{**vars(entry), "layout": layout})).layout.history
    assert contents.parent
    layout.history.detach()

    assert contents.parent.children == {}


def test_a_result_is_named_after_its_call_even_behind_others_and_instructions():
    other = {**CALL, "id": "c2", "function": {"name": "time", "arguments": "{}"}}
    both = {**CALLS, "tool_calls": [CALL, other]}
    entry = told(
        QUESTION, both, RESULT, SYSTEM, {**RESULT, "tool_call_id": "c2"}, {**RESULT, "tool_call_id": "c3"}
    )

    names = [
        part["functionResponse"].get("name")
        for turn in entry.layout.history.line()[2:]
        for part in turn.parts
    ]
    assert names == ["weather", "time", None]


def test_tools_become_declarations():
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
    function = {"name": "weather", "description": "Tells.", "parameters": parameters, "strict": True}
    tools = [{"type": "function", "function": function}, {"type": "web_search"}, None]

    assert told(QUESTION, tools=tools).layout.tools.values() == [
        {
            "functionDeclarations": [
                {"name": "weather", "description": "Tells.", "parametersJsonSchema": parameters}
            ]
        },
        {"mcpServers": [{"type": "web_search"}]},
        {"mcpServers": [None]},
    ]


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        ("auto", {"mode": "AUTO"}),
        ("required", {"mode": "ANY"}),
        ("none", {"mode": "NONE"}),
        ({"type": "function", "function": {"name": "f"}}, {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}, None),
        ({"function": {"name": 7}}, None),
        ("whatever", None),
        (None, None),
        ([], None),
    ],
)
def test_the_choice_of_tools_is_the_calling_mode(choice: Any, config: dict[str, Any] | None):
    settings = told(QUESTION, tool_choice=choice).layout.settings

    assert settings.get("toolConfig") == (config and {"functionCallingConfig": config})


@pytest.mark.parametrize(
    ("extra", "name"),
    [
        ({"google": {"cached_content": "cachedContents/a"}}, "cachedContents/a"),
        ({"google": {"cached_content": None}}, None),
        ({"google": 7}, None),
        (None, None),
    ],
)
def test_cached_content_comes_in_the_extra_body(extra: Any, name: str | None):
    assert told(QUESTION, extra_body=extra).layout.settings.get("cachedContent") == name


@pytest.mark.parametrize(
    ("model", "judged"),
    [
        ("gemini-3-pro", True),
        ("google/gemini-3-pro", True),
        ("models/gemini-3-pro", True),
        ("publishers/google/models/gemini-3-pro", True),
        ("tunedModels/mine", True),
        ("publishers/meta/models/llama-4", False),
        ("meta/llama-4", False),
        (None, True),
    ],
)
def test_models_of_other_publishers_are_not_judged(model: Any, judged: bool):
    [entry] = entries([chat_exchange([RESULT], model=model)])

    assert is_judged(entry) is judged
    assert is_judged(as_generate(entry)) is judged
    assert bool(Judge().judge(entry)) is judged


@pytest.mark.parametrize(
    ("path", "judged"),
    [
        ("/v1beta/openai/chat/completions", True),
        ("/gateway/v1beta/openai/chat/completions", True),
        ("/v1/projects/p/locations/l/endpoints/openapi/chat/completions", True),
        ("/v1/projects/p/locations/l/endpoints/123/chat/completions", False),
        ("/api/v1/chat/completions", False),
        ("/chat/completions", False),
    ],
)
def test_chats_on_the_paths_of_others_are_not_judged(path: str, judged: bool):
    """Gateways that speak this form keep signatures wherever they like."""
    [entry] = entries([chat_exchange([RESULT], path=split_prefix(path)[1], model="google/gemini-3-pro")])

    assert is_judged(entry) is judged


@pytest.mark.parametrize(
    "path", ["/v1beta/openai/embeddings", "/v1beta/openai/models", "/v1beta/interactions"]
)
@pytest.mark.parametrize("stream", [False, True])
def test_nothing_else_on_these_paths_is_judged(path: str, stream: bool):
    judge = Judge()
    answer = streamed({"content": "Hi"}) if stream else whole({"content": "Hi"})
    [entry] = entries([chat_exchange([RESULT, RESULT], answer, path=path, input="Hi", stream=stream)])

    assert judge.judge(entry) == judge.findings(entry) == []
    assert judge.ledger.conversations == 0


def test_chat_and_generate_content_go_on_from_each_other():
    """Both are asked of the same models: a signature may travel from one to the other."""
    contents = told(QUESTION, CALLS, RESULT).layout.history.values()
    declared = [{"functionDeclarations": [{"name": "weather"}]}]
    first = chat_exchange([QUESTION], whole(CALLS), tools=TOOLS)
    judge = Judge()

    found = [
        item
        for entry in entries([first, exchange(contents, at=2.0, tools=declared)])
        for item in judge.judge(entry)
    ]

    assert loud(found) == []
    assert judge.ledger.conversations == 1


def test_as_model_judges_a_chat_as_well():
    unsigned = {**CALLS, "tool_calls": [{**CALL, "extra_content": None}]}
    asked = [
        chat_exchange([QUESTION], whole(CALLS), model="gemini-2.5-flash", tools=TOOLS),
        chat_exchange([QUESTION, unsigned, RESULT], model="gemini-2.5-flash", tools=TOOLS, at=2.0),
    ]

    judges = Judge(), Judge(as_model="gemini-3-pro")
    quiet, told = ([item for entry in entries(asked) for item in judge.judge(entry)] for judge in judges)

    assert loud(quiet) == []
    assert loud(told) == [("missing-signature", "/messages/1/tool_calls/0")]


def test_a_step_costs_what_is_new_in_it(monkeypatch: pytest.MonkeyPatch):
    """No message is read twice, though each request holds all of them."""
    read: list[Any] = []
    from gemtape.checks import chat

    content_of = chat.content_of
    monkeypatch.setattr(
        chat, "content_of", lambda message, **more: read.append(message) or content_of(message, **more)
    )
    history: list[Any] = [SYSTEM]
    asked: list[Exchange] = []
    for number in range(20):
        history += [{"role": "user", "content": str(number)}, {"role": "assistant", "content": str(number)}]
        asked.append(chat_exchange(history[:-1], whole(history[-1]), at=float(number + 1)))
    judge = Judge()
    for entry in entries(asked):
        judge.judge(entry)

    assert len(read) == len(history) - 2
