"""Tools, configuration and fields that do not go together."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.checks.rules.conflicting_config import NAME
from tests.checks.helpers import examine, found, judge, loud, rejections
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user

QUESTION = user("Opening hours?")
FUNCTIONS = {"functionDeclarations": [{"name": "store", "description": "Store a value"}]}
CALL, RESULT = calls(call("store", signature=SIGNATURE)), results(result("store", {"ok": True}))
ERROR = {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}
ANSWER = model_text("Nine to five.")


def _body(**more: Any) -> dict[str, Any]:
    return {"contents": [QUESTION], **more}


# cached content


@pytest.mark.parametrize(
    "beside",
    [
        {"tools": [FUNCTIONS]},
        {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
        {"systemInstruction": {"parts": [{"text": "Be terse."}]}},
        {"system_instruction": "Be terse."},
    ],
    ids=lambda beside: next(iter(beside)),
)
@pytest.mark.parametrize("surface", ["gemini-api", "vertex"])
def test_cached_content_brings_its_own(beside: dict, surface: str):
    body = _body(cachedContent="cachedContents/a", **beside)

    assert loud(judge(body, surface=surface)) == [(NAME, "/cachedContent")]
    assert "should not be set" in rejections(examine(body, surface=surface), NAME)[0]


@pytest.mark.parametrize(
    "beside", [{}, {"tools": []}, {"toolConfig": {}}, {"generationConfig": {"temperature": 0}}], ids=str
)
def test_cached_content_beside_nothing_that_matters(beside: dict):
    assert judge(_body(cachedContent="cachedContents/a", **beside)) == []


# built-in tools


@pytest.mark.parametrize(
    "tools",
    [
        [FUNCTIONS, {"googleSearch": {}}],
        [{**FUNCTIONS, "google_search": {}}],
        [{"codeExecution": {}}, FUNCTIONS],
        [{"urlContext": {}}, {"fileSearch": {"fileSearchStoreNames": ["s"]}}, FUNCTIONS],
    ],
)
def test_built_in_tools_and_functions_need_the_flag(tools: list):
    assert loud(judge(_body(tools=tools))) == [(NAME, "/toolConfig")]
    assert judge(_body(tools=tools, toolConfig={"includeServerSideToolInvocations": True})) == []
    assert loud(judge(_body(tools=tools, tool_config={"include_server_side_tool_invocations": False}))) == [
        (NAME, "/toolConfig")
    ]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gemini-3.5-flash", "Please enable tool_config.include_server_side_tool_invocations"),
        ("gemini-2.5-flash", "Tool use with function calling is unsupported"),
    ],
)
def test_the_apis_words_are_those_of_the_model(model: str, words: str):
    body = _body(tools=[FUNCTIONS, {"googleSearch": {}}])

    assert rejections(examine(body, model=model), NAME)[0].startswith(words)


@pytest.mark.parametrize("surface", ["vertex", "code-assist"])
def test_only_the_gemini_api_has_the_flag(surface: str):
    assert judge(_body(tools=[FUNCTIONS, {"googleSearch": {}}]), surface=surface) == []


@pytest.mark.parametrize(
    "tools",
    [
        [{"googleSearch": {}}, {"codeExecution": {}}],
        [FUNCTIONS, {"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}],
        [FUNCTIONS, {"mcpServers": [{"name": "s"}]}],
        [{"functionDeclarations": []}, {"googleSearch": {}}],
    ],
)
def test_tools_that_go_together(tools: list):
    assert judge(_body(tools=tools)) == []


# configuration without declarations, and no tools at all


@pytest.mark.parametrize("tools", [None, [], [{"googleSearch": {}}]], ids=str)
def test_a_calling_config_without_declarations_is_a_warning(tools: Any):
    body = _body(tools=tools, toolConfig={"functionCallingConfig": {"mode": "AUTO"}})

    assert found(judge(body), NAME) == [("warning", "/toolConfig/functionCallingConfig")]
    assert found(judge((body, ANSWER)), NAME) == [("warning", "/toolConfig/functionCallingConfig")]
    assert found(judge((body, ERROR, 400)), NAME) == [("error", "/toolConfig/functionCallingConfig")]


@pytest.mark.parametrize(
    "config",
    [{}, {"functionCallingConfig": {}}, {"functionCallingConfig": {"allowedFunctionNames": []}}, None],
    ids=str,
)
def test_an_empty_calling_config_says_nothing(config: Any):
    assert judge(_body(toolConfig=config)) == []


def test_tool_servers_declare_functions_too():
    tools = [{"mcpServers": [{"name": "s"}]}]

    assert judge(_body(tools=tools, toolConfig={"functionCallingConfig": {"mode": "ANY"}})) == []


def test_no_tools_in_the_middle_of_a_turn():
    step = {"contents": [QUESTION, CALL, RESULT]}

    assert loud(judge((_body(tools=[FUNCTIONS]), CALL), step)) == [(NAME, "/tools")]
    assert found(judge(step), NAME) == [("warning", "/tools")]
    assert found(judge((step, ERROR, 400)), NAME) == [("warning", "/tools")]


@pytest.mark.parametrize(
    "body",
    [
        {"contents": [QUESTION, CALL, RESULT], "tools": [FUNCTIONS]},
        {"contents": [QUESTION, CALL, RESULT], "tools": [{"googleSearch": {}}]},
        {"contents": [QUESTION, CALL, RESULT], "cachedContent": "cachedContents/a"},
        {"contents": [QUESTION, CALL, RESULT, user("Does it repeat itself?")]},
        {"contents": [QUESTION, CALL, RESULT, ANSWER, user("Thanks.")]},
        {"contents": [QUESTION]},
    ],
    ids=["tools", "other tools", "cached", "a new prompt at once", "a new turn", "no call"],
)
def test_no_tools_where_none_are_missed(body: dict):
    assert not found(judge(body), NAME)


# unknown fields


def _with_part(part: dict[str, Any]) -> dict[str, Any]:
    return {"contents": [results({"text": "Look:"}, part)], "tools": [FUNCTIONS]}


@pytest.mark.parametrize(
    ("body", "pointer", "path"),
    [
        (_body(toolConfig={"mode": "ANY"}), "/toolConfig/mode", "tool_config"),
        (
            _body(tools=[FUNCTIONS], toolConfig={"functionCallingConfig": {"mode": "ANY", "maxCalls": 3}}),
            "/toolConfig/functionCallingConfig/maxCalls",
            "tool_config.function_calling_config",
        ),
        (
            _with_part({"text": "a", "cache_control": {"type": "x"}}),
            "/contents/0/parts/1/cache_control",
            None,
        ),
        (_with_part({"type": "text", "text": "a"}), "/contents/0/parts/1/type", None),
    ],
    ids=["toolConfig", "functionCallingConfig", "part", "type"],
)
def test_unknown_fields(body: dict, pointer: str, path: str | None):
    name = pointer.rpartition("/")[2]
    expected = f"Invalid JSON payload received. Unknown name \"{name}\" at '{path or 'contents[0].parts[1]'}'"

    assert loud(judge(body)) == [(NAME, pointer)]
    assert rejections(examine(body), NAME) == [f"{expected}: Cannot find field."]


@pytest.mark.parametrize(
    ("surface", "path"), [("vertex", "contents[1]"), ("code-assist", "request.contents[1]")]
)
def test_unknown_fields_in_calls_and_responses(surface: str, path: str):
    marked = {"functionCall": {"name": "store", "args": {}, "index": 0}, "thoughtSignature": SIGNATURE}
    answered = {"functionResponse": {"name": "store", "response": {}, "isError": False}}

    findings = examine([QUESTION, calls(marked), results(answered)], surface=surface)

    assert [finding.place for finding in findings] == [
        ("contents", 1, "parts", 0, "functionCall", "index"),
        ("contents", 2, "parts", 0, "functionResponse", "isError"),
    ]
    assert f"at '{path}.parts[0].function_call'" in findings[0].rejection


def test_an_unknown_field_that_the_api_took_is_gemtapes_gap():
    body = _with_part({"text": "a", "fieldOfTheFuture": 1})

    assert found(judge((body, ANSWER)), NAME) == [("info", "/contents/0/parts/1/fieldOfTheFuture")]
    assert found(judge((body, ERROR, 400)), NAME) == [("error", "/contents/0/parts/1/fieldOfTheFuture")]


def test_a_field_that_the_api_sent_itself_is_known():
    answer = calls(
        {
            "functionCall": {"name": "store", "args": {}, "priority": 1},
            "thoughtSignature": SIGNATURE,
            "mark": "x",
        }
    )

    assert loud(judge(([QUESTION], answer), [QUESTION, answer, RESULT])) == []


def test_a_signature_inside_a_call_is_another_rules_matter():
    nested = {"functionCall": {"name": "store", "args": {}, "thoughtSignature": SIGNATURE}}

    assert not found(judge([QUESTION, calls(nested), RESULT]), NAME)


def test_null_says_nothing():
    assert judge(_with_part({"text": "a", "cache_control": None})) == []


# Names from the type definitions of google-genai 3.6 for Python and @google/genai 3.3.
PART_FIELDS = {
    "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"},
    "thought": False,
    "thoughtSignature": SIGNATURE,
    "videoMetadata": {"fps": 1},
    "partMetadata": {"a": 1},
    "audioTranscription": {"text": "hm"},
    "mediaProcessing": "x",
    "speechMetadata": {"speaker": "a"},
    "documentMetadata": {"a": 1},
    "spreadsheetMetadata": {"a": 1},
    "audioMetadata": {"a": 1},
}
PART_DATA = {
    "text": "a",
    "inlineData": {"mimeType": "image/png", "data": "AAAA", "displayName": "a"},
    "fileData": {"mimeType": "image/png", "fileUri": "files/a", "displayName": "a"},
    "functionCall": {"id": "a", "name": "store", "args": {}, "partialArgs": [], "willContinue": False},
    "functionResponse": {
        "id": "a",
        "name": "store",
        "response": {},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "mediaResolution": {}}],
        "scheduling": "SILENT",
        "willContinue": False,
    },
    "toolCall": {"id": "a", "toolType": "GOOGLE_MAPS", "args": {}},
    "toolResponse": {"id": "a", "toolType": "GOOGLE_MAPS", "response": {}},
    "executableCode": {"id": "a", "language": "PYTHON", "code": "1"},
    "codeExecutionResult": {"id": "a", "outcome": "OUTCOME_OK", "output": "1"},
}


def _snake(value: Any) -> Any:
    if isinstance(value, list):
        return [_snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    spelled = ("".join(f"_{c.lower()}" if c.isupper() else c for c in key) for key in value)
    return {key: _snake(item) for key, item in zip(spelled, value.values(), strict=True)}


@pytest.mark.parametrize("spelling", [lambda value: value, _snake], ids=["camelCase", "snake_case"])
@pytest.mark.parametrize("name", [*PART_FIELDS, *PART_DATA])
def test_the_fields_of_a_part_are_known(name: str, spelling):
    part = spelling({"text": "a", name: (PART_FIELDS | PART_DATA)[name]})

    assert not found(judge([QUESTION, calls(part), user("And?")]), NAME)
    assert not found(judge([results(part)]), NAME)


@pytest.mark.parametrize("spelling", [lambda value: value, _snake], ids=["camelCase", "snake_case"])
def test_the_fields_of_tool_config_are_known(spelling):
    config = {
        "functionCallingConfig": {
            "mode": "ANY",
            "allowedFunctionNames": ["store"],
            "streamFunctionCallArguments": True,
        },
        "retrievalConfig": {"latLng": {"latitude": 1, "longitude": 2}, "languageCode": "en"},
        "includeServerSideToolInvocations": True,
    }

    assert judge(_body(tools=[FUNCTIONS], toolConfig=spelling(config))) == []
