"""``gemtape log``: one line an exchange."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.cli.main import gemtape
from tests.chats import chat_exchange, deltas, streamed, whole
from tests.factories import answer_body, call, calls, cassette_of, exchange, model_text, sse, unary, user

TOOLS = [{"functionDeclarations": [{"name": "lookup"}, {"name": "refund"}]}, {"googleSearch": {}}]


def _log(tmp_path: Path, item: Exchange) -> str:
    outcome = CliRunner().invoke(gemtape, ["log", str(cassette_of(tmp_path / "run.db", [item]))])
    assert outcome.exit_code == 0
    return outcome.output


def test_tools_mode_calls_tokens_and_time(tmp_path: Path):
    usage = {"promptTokenCount": 212, "candidatesTokenCount": 38}
    answer = unary(answer_body(calls(call("lookup"), call("lookup")), usageMetadata=usage))
    config = {"functionCallingConfig": {"mode": "ANY"}}

    line = _log(tmp_path, exchange([user("hi")], answer, tools=TOOLS, toolConfig=config))

    assert line.split() == [
        "1", "gemini-3-pro-preview:generateContent", "200", "20", "ms", "212→38",
        "[lookup,refund,googleSearch", "ANY]", "calls", "lookup,", "lookup",
    ]  # fmt: skip


def test_a_chat_completion_is_listed_like_any_other(tmp_path: Path):
    call = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    answer = whole(
        {"role": "assistant", "content": None, "tool_calls": [call]},
        usage={"prompt_tokens": 212, "completion_tokens": 38},
    )
    tools = [{"type": "function", "function": {"name": name}} for name in ("lookup", "refund")]
    messages = [{"role": "user", "content": "hi"}]

    line = _log(tmp_path, chat_exchange(messages, answer, tools=tools, tool_choice="required"))

    assert line.split() == [
        "1", "gemini-3-pro-preview:chat/completions", "200", "20", "ms", "212→38",
        "[lookup,refund", "ANY]", "calls", "lookup",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (model_text("hello"), "text"),
        (sse(answer_body(model_text("hel")), cut=True), "text, cut"),
        (unary({"candidates": [{"finishReason": "MAX_TOKENS"}]}), "nothing (MAX_TOKENS)"),
        (unary({"promptFeedback": {"blockReason": "SAFETY"}}), "nothing (SAFETY)"),
        (unary({"error": {"code": 429, "message": "slow down"}}, 429), "error: slow down"),
        (calls(*[call(name) for name in "abcdef"]), "calls a, b, c, d +2"),
    ],
)
def test_what_came_back(tmp_path: Path, answer: Response, words: str):
    assert _log(tmp_path, exchange([user("hi")], answer)).rstrip().endswith(words)


@pytest.mark.parametrize("action", ["models/m:countTokens", "openai/embeddings"])
def test_an_answer_that_is_not_taken_apart_is_measured(tmp_path: Path, action: str):
    item = Exchange(Request("POST", f"/v1beta/{action}", body=b"{}"), unary({"totalTokens": 5}))

    assert _log(tmp_path, item).rstrip().endswith(f"{len(item.response.body)} bytes")


def test_an_exchange_without_an_answer_says_why(tmp_path: Path):
    item = Exchange(Request("POST", "/v1beta/models/m:generateContent", body=b"{}"), None, Failure.REFUSED)

    assert "refused" in _log(tmp_path, item)


def test_a_missing_cassette_is_one_line_and_exit_code_2(tmp_path: Path):
    outcome = CliRunner().invoke(gemtape, ["log", str(tmp_path / "none.db")])

    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)


WEATHER = {
    "name": "get_forecast",
    "parameters": {
        "type": "OBJECT",
        "properties": {"city": {"type": "STRING"}, "days": {"type": "INTEGER", "maximum": 7}},
        "required": ["city"],
    },
}


def _args_of(tmp_path: Path, args: object, name: str = "get_forecast") -> list[str]:
    item = exchange([user("hi")], calls(call(name, args)), tools=[{"functionDeclarations": [WEATHER]}])
    path = cassette_of(tmp_path / "run.db", [item])
    outcome = CliRunner().invoke(gemtape, ["log", "--args", str(path)])
    assert outcome.exit_code == 0
    return [line.strip() for line in outcome.output.splitlines()[1:]]


def test_what_each_validator_would_have_let_through(tmp_path: Path):
    assert _args_of(tmp_path, {"city": "Pune", "days": "3", "tenant": 1}) == [
        'get_forecast(city: "Pune", days: "3", tenant: 1)',
        "none    as it is",
        'coerce  as city: "Pune", days: 3',
        (
            'strict  rejected: days is the string "3"; declared: integer (a coercing validator takes it as 3) '
            "(coercible-type); tenant is not declared (undeclared-argument)"
        ),
    ]


def test_a_call_that_no_validator_lets_through(tmp_path: Path):
    lines = _args_of(tmp_path, {"days": 14})

    assert lines[1] == "none    as it is"
    assert lines[2].startswith("coerce  rejected: ")
    assert "(missing)" in lines[2]
    assert "(outside-range)" in lines[3]


def test_calls_that_fit_and_calls_that_nobody_declared(tmp_path: Path):
    assert _args_of(tmp_path, {"city": "Pune"}) == ['get_forecast(city: "Pune")', "fits"]


def test_an_undeclared_function_has_no_arguments_to_check(tmp_path: Path):
    assert _args_of(tmp_path, {"city": "Pune"}, "get_weather") == [
        'get_weather(city: "Pune")',
        "not declared: no dispatcher should know it (undeclared-function)",
    ]


def _args(tmp_path: Path, item: Exchange) -> list[str]:
    path = cassette_of(tmp_path / "run.db", [item])
    outcome = CliRunner().invoke(gemtape, ["log", str(path), "--args"])
    assert outcome.exit_code == 0
    return outcome.output.splitlines()[1:]


@pytest.mark.parametrize("stream", [True, False])
def test_calls_of_a_chat_are_judged_too(tmp_path: Path, stream: bool):
    schema = {"type": "object", "properties": {"days": {"type": "integer", "maximum": 7}}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    called = [
        {"id": f"c{at}", "type": "function", "function": {"name": "f", "arguments": f'{{"days": {days}}}'}}
        for at, days in enumerate(('"3"', 14))
    ]
    message = {"role": "assistant", "content": None, "tool_calls": called}
    answer = streamed(*deltas(message), finish="tool_calls") if stream else whole(message)

    lines = _args(tmp_path, chat_exchange([{"role": "user", "content": "hi"}], answer, tools=tools))

    assert [line.strip() for line in lines] == [
        'f(days: "3")',
        "none    as it is",
        "coerce  as days: 3",
        (
            'strict  rejected: days is the string "3"; declared: integer (a coercing validator takes it as 3) '
            "(coercible-type)"
        ),
        "f(days: 14)",
        "none    as it is",
        "coerce  rejected: days is 14; declared: maximum 7 (outside-range)",
        "strict  rejected: days is 14; declared: maximum 7 (outside-range)",
    ]


def test_streamed_arguments_are_one_call(tmp_path: Path):
    pieces = [
        {"name": "f", "partialArgs": [{"jsonPath": "$.city", "stringValue": "Pu"}], "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.city", "stringValue": "ne"}], "willContinue": True},
        {},
    ]
    answer = sse(*(answer_body(calls({"functionCall": piece})) for piece in pieces))
    path = "/v1beta/models/gemini-3-pro-preview:streamGenerateContent"

    lines = _args(
        tmp_path,
        exchange(
            [user("hi")],
            answer,
            path=path,
            tools=[{"functionDeclarations": [{"name": "f", "parameters": {"required": ["city"]}}]}],
        ),
    )
    assert [line.strip() for line in lines] == ['f(city: "Pune")', "fits"]


def test_what_a_terminal_would_obey_is_not_printed(tmp_path: Path):
    name = "f\x1b]0;x\x07\x9b2J"

    lines = _args(tmp_path, exchange([user("hi")], calls(call(name, {name: "\x9b\u202e" * 9}))))

    assert [line for line in lines if not line.isprintable()] == []
    assert "f?]0;x??2J" in lines[0]


def test_a_folder_is_listed_cassette_by_cassette(tmp_path: Path):
    for name in ("b", "a"):
        cassette_of(tmp_path / f"{name}.db", [exchange([user("hi")], model_text("ok"))])

    outcome = CliRunner().invoke(gemtape, ["log", str(tmp_path)])
    lines = outcome.output.splitlines()
    assert [lines[0], lines[2], lines[3]] == [str(tmp_path / "a.db"), "", str(tmp_path / "b.db")]
    assert all("text" in lines[at] for at in (1, 4))
