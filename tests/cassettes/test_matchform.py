"""Two spellings of one request have one match key; any change of meaning changes it."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.canonical import stored_form
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.matchform import (
    history_digest,
    match_content,
    match_form,
    match_key,
    match_query,
    match_settings,
)
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.schema import CONTENT, GENERATE
from gemtape.cassettes.turns import TurnTree
from tests.factories import SIGNATURE, call, calls, model_text, result, results, user
from tests.strategies import BODIES

PATH = "/v1beta/models/gemini-3-pro:generateContent"
ASSIST = "/v1internal:generateContent"
CHAT = "/v1beta/openai/chat/completions"
BODY: dict[str, Any] = {
    "contents": [
        user("refund both"),
        calls(call("look", {"id": "A"}, signature=SIGNATURE, id="c1"), call("look", {"id": "B"}, id="c2"), call("now", id="c3")),
        results(result("look", {"n": 1}, id="c1"), result("look", {"n": 2}, id="c2"), result("now", {"t": 3}, id="c3")),
        model_text("done"),
        user("thanks"),
    ],
    "tools": [{"functionDeclarations": [{"name": "look", "parameters": {"type": "OBJECT", "properties": {"id": {"type": "STRING"}}}}]}],
    "systemInstruction": {"parts": [{"text": "be brief"}]},
    "generationConfig": {"temperature": 1, "thinkingConfig": {"includeThoughts": True}},
}  # fmt: skip


def entry(body: Any, path: str = PATH, query: str = "", *, method: str = "POST", upstream: str = "") -> Entry:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request(method, path, query, body=data, upstream=upstream)
    return entry_of(Exchange(request), Redactor(), TurnTree())


def key(body: Any, path: str = PATH, query: str = "", **more: Any) -> bytes:
    return match_key(entry(body, path, query, **more))


def changed(*path: str | int, to: Any, body: Any = BODY) -> Any:
    """The body with another value at a place."""
    twin = copy.deepcopy(body)
    target = twin
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = to
    return twin


def without(*path: str | int, body: Any = BODY) -> Any:
    twin = copy.deepcopy(body)
    target = twin
    for step in path[:-1]:
        target = target[step]
    del target[path[-1]]
    return twin


def with_ids(
    calls_ids: list[str | None], response_ids: list[str | None], order: tuple[int, ...] = (0, 1, 2)
) -> Any:
    """The body with other call ids (None: no id), and its responses in another order."""
    twin = copy.deepcopy(BODY)
    for content, kind, ids in ((1, "functionCall", calls_ids), (2, "functionResponse", response_ids)):
        for part, value in zip(twin["contents"][content]["parts"], ids, strict=True):
            part[kind].pop("id")
            if value is not None:
                part[kind]["id"] = value
    parts = twin["contents"][2]["parts"]
    twin["contents"][2]["parts"] = [parts[at] for at in order]
    return twin


def snake(value: Any) -> Any:
    """The API's own keys in snake_case, as the Python SDK's raw dictionaries have them."""
    names = {
        "systemInstruction": "system_instruction", "generationConfig": "generation_config",
        "thinkingConfig": "thinking_config", "includeThoughts": "include_thoughts",
        "functionDeclarations": "function_declarations", "functionCall": "function_call",
        "functionResponse": "function_response", "thoughtSignature": "thought_signature",
    }  # fmt: skip
    if isinstance(value, dict):
        return {names.get(name, name): snake(item) for name, item in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


NONE: list[str | None] = [None, None, None]
RANDOM: list[str | None] = ["x9", "y8", "z7"]

SAME: dict[str, Any] = {
    "snake case": snake(BODY),
    "single tool": changed("tools", to=BODY["tools"][0]),
    "single declaration": changed("tools", 0, "functionDeclarations", to=BODY["tools"][0]["functionDeclarations"][0]),
    "single part": changed("contents", 0, "parts", to={"text": "refund both"}),
    "role in upper case": changed("contents", 1, "role", to="MODEL"),
    "no role": without("contents", 0, "role"),
    "null role": changed("contents", 0, "role", to=None),
    "instruction's role": changed("systemInstruction", "role", to="system"),
    "empty defaults": {**BODY, "safetySettings": [], "toolConfig": {}, "cachedContent": None, "labels": {}},
    "empty args": changed("contents", 1, "parts", 2, "functionCall", to={"name": "now", "args": {}}),
    "null args": changed("contents", 1, "parts", 2, "functionCall", to={"name": "now", "args": None}),
    "no args": changed("contents", 1, "parts", 2, "functionCall", to={"name": "now"}),
    "whole floats": changed("generationConfig", "temperature", to=1.0),
    "whole floats in results": changed("contents", 2, "parts", 0, "functionResponse", "response", to={"n": 1.0}),
    "key order": {name: BODY[name] for name in reversed(BODY)},
    "other ids": with_ids(RANDOM, RANDOM),
    "no ids": with_ids(NONE, NONE),
    "ids on calls only": with_ids(RANDOM, NONE),
    "ids on responses only": with_ids(NONE, RANDOM),
    "responses in another order": with_ids(RANDOM, RANDOM, (2, 0, 1)),
    "responses of other names in another order without ids": with_ids(NONE, NONE, (2, 0, 1)),
    "no signature": without("contents", 1, "parts", 0, "thoughtSignature"),
    "another signature": changed("contents", 1, "parts", 0, "thoughtSignature", to="b3RoZXI="),
    "more signatures": changed("contents", 3, "parts", 0, "thoughtSignature", to="b3RoZXI="),
    "a part that only carries a signature": changed(
        "contents", 3, "parts", to=[{"text": "done"}, {"text": "", "thoughtSignature": SIGNATURE}]
    ),
    "that part without its signature": changed("contents", 3, "parts", to=[{"text": "done"}, {"text": ""}]),
    "a part that is nothing but a signature": changed("contents", 3, "parts", to=[{"text": "done"}, {"thoughtSignature": "AA"}]),
    "model in the body": {**BODY, "model": "models/gemini-3-pro"},
    "session": {**BODY, "session_id": "s", "requestId": "r"},
}  # fmt: skip


@pytest.mark.parametrize("body", SAME.values(), ids=SAME)
def test_same_request(body: Any):
    assert key(body) == key(BODY)


DIFFERENT: dict[str, Any] = {
    "text": changed("contents", 4, "parts", 0, "text", to="thanks!"),
    "text of the model": changed("contents", 3, "parts", 0, "text", to="Done"),
    "arg": changed("contents", 1, "parts", 0, "functionCall", "args", "id", to="C"),
    "arg's type": changed("contents", 1, "parts", 0, "functionCall", "args", "id", to=1),
    "arg named like an API key": changed("contents", 1, "parts", 0, "functionCall", "args", "thoughtSignature", to="x"),
    "arg named id": without("contents", 1, "parts", 0, "functionCall", "args", "id"),
    "empty arg": changed("contents", 1, "parts", 0, "functionCall", "args", "more", to={}),
    "null arg": changed("contents", 1, "parts", 0, "functionCall", "args", "more", to=None),
    "arg in snake case": changed("contents", 1, "parts", 0, "functionCall", "args", to={"function_call": "A"}),
    "arg in camel case": changed("contents", 1, "parts", 0, "functionCall", "args", to={"functionCall": "A"}),
    "result": changed("contents", 2, "parts", 0, "functionResponse", "response", "n", to=9),
    "results swapped": with_ids(["c1", "c2", "c3"], ["c2", "c1", "c3"]),
    "call's name": changed("contents", 1, "parts", 0, "functionCall", "name", to="peek"),
    "result's name": changed("contents", 2, "parts", 0, "functionResponse", "name", to="peek"),
    "calls in another order": changed("contents", 1, "parts", to=BODY["contents"][1]["parts"][::-1]),
    "one call less": without("contents", 1, "parts", 1),
    "one result less": without("contents", 2, "parts", 1),
    "turns in another order": changed("contents", to=[*BODY["contents"][3:], *BODY["contents"][:3]]),
    "dropped model turn": without("contents", 1),
    "dropped last turn": without("contents", 4),
    "no contents": without("contents"),
    "role": changed("contents", 0, "role", to="model"),
    "role function": changed("contents", 2, "role", to="function"),
    "thought": changed("contents", 3, "parts", 0, "thought", to=True),
    "tool's name": changed("tools", 0, "functionDeclarations", 0, "name", to="peek"),
    "schema": changed("tools", 0, "functionDeclarations", 0, "parameters", "properties", "id", "type", to="INTEGER"),
    "property in snake case": changed("tools", 0, "functionDeclarations", 0, "parameters", "properties", to={"the_id": {}}),
    "property in camel case": changed("tools", 0, "functionDeclarations", 0, "parameters", "properties", to={"theId": {}}),
    "no tools": without("tools"),
    "built-in tool": changed("tools", 0, "googleSearch", to={}),
    "tools that are no list": changed("tools", to="look"),
    "tools that are another text": changed("tools", to="peek"),
    "contents that are no list": changed("contents", to="a"),
    "contents that are another text": changed("contents", to="b"),
    "instruction": changed("systemInstruction", "parts", 0, "text", to="be long"),
    "no instruction": without("systemInstruction"),
    "config": changed("generationConfig", "temperature", to=0),
    "nested config": changed("generationConfig", "thinkingConfig", "includeThoughts", to=False),
    "tool config": {**BODY, "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
    "labels": {**BODY, "labels": {"team": "a"}},
    "other labels": {**BODY, "labels": {"team": "b"}},
    "label named like a session": {**BODY, "labels": {"session_id": "a"}},
    "cached content": {**BODY, "cachedContent": "cachedContents/a"},
    "other cached content": {**BODY, "cachedContent": "cachedContents/b"},
    "unknown field": {**BODY, "brandNew": 1},
    "messages beside contents": {**BODY, "messages": [{"role": "user"}]},
    "other messages beside contents": {**BODY, "messages": [{"role": "model"}]},
    "tuned model in the body": {**BODY, "model": "tunedModels/gemini-3-pro"},
    "user's empty text": changed("contents", 4, "parts", to=[{"text": "thanks"}, {"text": ""}]),
    "no JSON": b"a=1",
    "other bytes": b"a=2",
    "no body": b"",
    "huge integer": b'{"contents": [{"n": 123456789012345678901234567890}]}',
    "other huge integer": b'{"contents": [{"n": 123456789012345678901234567891}]}',
    "list": [],
    "null": None,
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_other_request(name: str):
    """Different from the request itself, and from every other change of it."""
    same = [other for other, found in _keys().items() if found == _keys()[name]]

    assert same == [name]


@cache
def _keys() -> dict[str, bytes]:
    return {name: key(body) for name, body in {"the request": BODY, **DIFFERENT}.items()}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"inlineData": {"data": "-_8=", "mimeType": "image/png"}}, {"inline_data": {"data": "+/8", "mime_type": "image/png"}}, id="base64"),
        pytest.param({"text": "a", "videoMetadata": {"startOffset": "1s"}}, {"text": "a", "video_metadata": {"start_offset": "1s"}}, id="video"),
        pytest.param({"functionCall": None, "text": "a"}, {"text": "a"}, id="null"),
    ],
)  # fmt: skip
def test_same_part(one: Any, other: Any):
    assert key({"contents": [{"parts": [one]}]}) == key({"contents": {"parts": other}})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("/v1/models/m:generateContent", ""), ("/v1beta/models/m:generateContent", "")),
        (("/models/m:generateContent", ""), ("/v1beta/models/m%3AgenerateContent", "")),
        (
            ("/v1/projects/p/locations/us-central1/publishers/google/models/m:generateContent", ""),
            ("/v1beta1/projects/q/locations/global/publishers/google/models/m:generateContent", ""),
        ),
        (
            ("/v1beta/files", "pageSize=10&pageToken=a"),
            ("/v1beta/files", "page_token=a&page_size=10&key=k&$prettyPrint=1"),
        ),
        (
            ("/v1beta/models/m:streamGenerateContent", "alt=sse&key=k"),
            ("/v1beta/models/m:streamGenerateContent", "alt=sse"),
        ),
        (
            ("/v1beta/models/m:generateContent", "tape=x&quotaUser=me&$trace=1"),
            ("/v1beta/models/m:generateContent", ""),
        ),
    ],
    ids=[
        "version",
        "no version",
        "project and location",
        "spelling and order of the query",
        "key in the query",
        "what says nothing of the answer",
    ],
)
def test_same_route(one: tuple[str, str], other: tuple[str, str]):
    assert key(BODY, *one) == key(BODY, *other)


def test_host_does_not_count():
    assert key(BODY, upstream="https://a.example") == key(BODY, upstream="https://b.example")


ROUTES = [
    ("POST", PATH, ""),
    ("PUT", PATH, ""),
    ("POST", "/v1beta/models/gemini-3-flash:generateContent", ""),
    ("POST", "/v1beta/tunedModels/gemini-3-pro:generateContent", ""),
    ("POST", "/v1beta/models/gemini-3-pro:countTokens", ""),
    ("POST", "/v1beta/models/gemini-3-pro:streamGenerateContent", ""),
    ("POST", "/v1beta/models/gemini-3-pro:streamGenerateContent", "alt=sse"),
    ("POST", "/v1beta/models/gemini-3-pro:streamGenerateContent", "alt=json"),
    ("POST", ASSIST, ""),
    ("POST", "/v1internal:countTokens", ""),
    ("POST", "/v1internal/operations/a", ""),
    ("POST", "/v1internal/operations/b", ""),
    ("POST", "/v1beta/files", ""),
    ("POST", "/v1beta/files", "pageToken=a"),
    ("POST", "/v1beta/files", "pageToken=b"),
    ("POST", "/v1beta/files", "pageToken="),
    ("POST", "/v1beta/files/a", ""),
    ("POST", "/v1beta/files/b", ""),
    ("POST", "/v1beta/files", "pageSize=10"),
    ("POST", "/v1beta/files", "filter=a"),
    ("POST", "/v1beta/files", "updateMask=a"),
    ("GET", "/v1beta/interactions/v1_a", ""),
    ("GET", "/v1beta/interactions/v1_a", "stream=true"),
    ("GET", "/v1beta/interactions/v1_a", "stream=true&last_event_id=e1"),
    ("GET", "/v1beta/interactions/v1_a", "stream=true&last_event_id=e2"),
    ("GET", "/v1beta/openai/files", "after=f1"),
    ("GET", "/v1beta1/publishers/google/models", "queryBase=True"),
]


def test_every_route_is_another():
    keys = [key(BODY, path, query, method=method) for method, path, query in ROUTES]

    assert len(set(keys)) == len(ROUTES)


def test_file_sizes_as_text_or_number():
    assert key({"file": {"sizeBytes": "12"}}, "/upload/v1beta/files") == key(
        {"file": {"size_bytes": 12}}, "/upload/v1beta/files"
    )


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "project": "p2", "request": BODY},
        {"model": "models/m", "user_prompt_id": "u", "request": {**snake(BODY), "session_id": "s"}},
        {"model": "m", "request": with_ids(NONE, NONE), "requestId": "r"},
    ],
    ids=["project", "snake case and session", "no ids"],
)
def test_same_code_assist_request(body: Any):
    assert key(body, ASSIST) == key({"model": "m", "project": "p", "request": BODY}, ASSIST)


@pytest.mark.parametrize(
    "body",
    [
        {"model": "n", "request": BODY},
        {"model": "m", "request": changed("contents", 4, "parts", 0, "text", to="x")},
        {"model": "m", "request": changed("generationConfig", "temperature", to=2)},
        {"model": "m", "request": {}},
        {"model": "m", "more": 1, "request": BODY},
    ],
    ids=["model", "text", "config", "nothing", "outer field"],
)
def test_other_code_assist_request(body: Any):
    assert key(body, ASSIST) != key({"model": "m", "request": BODY}, ASSIST)


MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "s"}}}]},
    {"role": "tool", "tool_call_id": "1", "content": "r"},
]  # fmt: skip


def test_same_chat_request_with_other_ids_and_no_signatures():
    twin = copy.deepcopy(MESSAGES)
    twin[1]["tool_calls"][0]["id"] = twin[2]["tool_call_id"] = "9"
    del twin[1]["tool_calls"][0]["extra_content"]

    assert key({"model": "m", "messages": twin}, CHAT) == key(
        {"model": "models/m", "messages": MESSAGES}, CHAT
    )


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((0, "content"), "b"),
        ((0, "role"), "system"),
        ((1, "tool_calls", 0, "function", "name"), "g"),
        ((2, "content"), "s"),
    ],
    ids=["text", "role", "call", "result"],
)
def test_other_chat_request(place: tuple[str | int, ...], value: str):
    twin = changed(*place, to=value, body=MESSAGES)

    assert key({"model": "m", "messages": twin}, CHAT) != key({"model": "m", "messages": MESSAGES}, CHAT)


def test_other_model_of_a_chat():
    assert key({"model": "m", "messages": MESSAGES}, CHAT) != key({"model": "n", "messages": MESSAGES}, CHAT)


def test_tools_and_contents_are_not_mixed_up():
    """Odd values that are spelled the same in either place."""
    assert key({"tools": ["x"]}) != key({"contents": ["x"]})


def test_form_says_what_the_key_stands_for():
    body = {
        **BODY,
        "contents": [user("a"), calls(call("f", id="x", signature=SIGNATURE))],
        "labels": {"a": "b"},
    }

    assert match_form(entry(body, PATH, "alt=sse&key=k")) == {
        "method": "POST",
        "action": "generateContent",
        "model": "gemini-3-pro",
        "resource": "models/gemini-3-pro",
        "query": [["alt", "sse"]],
        "settings": {"generationConfig": BODY["generationConfig"], "labels": {"a": "b"}},
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "tools": BODY["tools"],
        "contents": [user("a"), {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}],
    }
    assert set(match_form(entry(b"a=1"))) == {"method", "action", "model", "resource", "query", "bytes"}


def test_digest_of_a_history_is_that_of_its_match_form():
    tree = TurnTree()
    head = tree.intern(BODY["contents"], CONTENT)
    other = tree.intern(snake(BODY["contents"]), CONTENT)

    assert history_digest(head) == history_digest(other)
    assert head.parent is not None
    assert history_digest(head) != history_digest(head.parent)
    assert history_digest(tree.root(CONTENT)) == b""


def test_two_responses_stand_in_the_order_of_their_calls():
    head = TurnTree().intern(
        [calls(call("f"), call("g")), results(result("g", {}), result("f", {}))], CONTENT
    )

    assert [part["functionResponse"]["name"] for part in match_content(head)["parts"]] == ["f", "g"]


def test_responses_of_no_call_stand_last():
    parts = [result("orphan", {}), result("f", {"n": 1}), {"text": "between"}, result("g", {"n": 2})]
    head = TurnTree().intern([calls(call("g"), call("f")), results(*parts)], CONTENT)

    assert match_content(head)["parts"] == [
        {"functionResponse": {"name": "g", "response": {"n": 2}}},
        {"functionResponse": {"name": "f", "response": {"n": 1}}},
        {"text": "between"},
        {"functionResponse": {"name": "orphan"}},
    ]


def test_query_keeps_what_selects_an_answer():
    assert match_query("key=k&alt=sse&%24alt=json&page_size=5&filter=a%20b&filter=&x") == [
        ["alt", "json"],
        ["alt", "sse"],
        ["filter", ""],
        ["filter", "a b"],
        ["pageSize", "5"],
    ]


def test_place_in_a_models_name_does_not_count():
    """Vertex wants the full name in the body of some requests; the project is that of whoever asks."""
    path = "/v1beta1/projects/p/locations/l/cachedContents"
    google, mine = (
        [{"model": f"projects/{project}/locations/eu/{model}"} for project in "pq"]
        for model in ("publishers/google/models/m", "endpoints/1")
    )

    assert key(google[0], path) == key(google[1], path)
    assert key(mine[0], path) == key(mine[1], path)
    assert key(google[0], path) != key(mine[0], path)
    assert key(google[0], path) == key({"model": "publishers/google/models/m"}, path)


@pytest.mark.parametrize(
    ("method", "one", "other"),
    [
        ("loadCodeAssist", {"cloudaicompanionProject": "p", "metadata": {"duetProject": "p", "ideType": "X"}}, {"metadata": {"ideType": "X"}}),
        ("onboardUser", {"tierId": "free", "cloudaicompanionProject": "p"}, {"tierId": "free"}),
        ("retrieveUserQuota", {"project": "p"}, {"project": "q"}),
    ],
)  # fmt: skip
def test_project_of_code_assist_does_not_count(method: str, one: Any, other: Any):
    assert key(one, f"/v1internal:{method}") == key(other, f"/v1internal:{method}")
    assert key(one, f"/v1internal:{method}") != key({**other, "mode": "x"}, f"/v1internal:{method}")


def test_requests_of_a_batch_are_read_like_single_ones():
    path = "/v1beta/models/m:batchGenerateContent"
    part, snake = {"inlineData": {"data": "+/8="}}, {"inline_data": {"data": "-_8"}}

    def batch(part: Any, name: str, **more: Any) -> Any:
        request = {"contents": [{"parts": [part]}]}
        return {
            "batch": {name: "n", **more, "inputConfig": {"requests": {"requests": [{"request": request}]}}}
        }

    assert key(batch(part, "displayName"), path) == key(batch(snake, "display_name", priority=None), path)
    assert key(batch(part, "displayName"), path) != key(batch({"text": "a"}, "displayName"), path)


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("stream=false&include_input=False", []),
        ("stream=True", [["stream", "true"]]),
        ("force=true&$force=false", [["force", "true"]]),
        ("queryBase=False", [["queryBase", "False"]]),
        ("$fields=a&pageToken=false", [["fields", "a"], ["pageToken", "false"]]),
    ],
)
def test_a_switch_that_is_off_counts_as_not_there(query: str, form: list[list[str]]):
    """Some clients always say what others only say when it is on."""
    assert match_query(query) == form


def test_huge_integers_count_at_their_places():
    """JSON parsers round them to one number, so only their digits tell them apart."""
    one, two = "100000000000000000001", "100000000000000000002"
    bodies = [
        '{"a": %s, "b": %s}',
        '{"b": %s, "a": %s}',
        '{"a": %s, "b": 1e20, "c": "%s"}',
        '{"a": 1e20, "b": %s, "c": "%s"}',
    ]

    keys = [key((body % (one, two)).encode()) for body in bodies]

    assert len(set(keys)) == len(bodies)


def test_a_code_assist_request_of_nothing_but_a_session_is_empty():
    body = {"request": {"contents": [user("a")]}}

    assert key({"request": {**body["request"], "session_id": "1"}}, ASSIST) == key(body, ASSIST)
    assert key({"request": {"contents": user("a")}}, ASSIST) == key(body, ASSIST)


def test_settings_without_a_body():
    assert match_settings(entry(b"").layout, GENERATE) is None


@given(
    BODIES,
    st.sampled_from([PATH, ASSIST, CHAT, "/v1beta/cachedContents", "/upload/v1beta/files", "/v1/x:y", "/"]),
)
def test_any_request_has_a_key_and_a_form(body: Any, path: str):
    """The key does not hang on the order of keys, and equal forms mean equal keys."""
    as_sent, as_stored = entry(body, path), entry(stored_form(body), path)

    assert match_key(as_sent) == match_key(as_stored)
    assert stored_form(match_form(as_sent)) == stored_form(match_form(as_stored))


@given(st.text(st.characters(exclude_categories=[])), st.text(st.characters(exclude_categories=[])))
def test_any_route_has_a_key(path: str, query: str):
    assert len(key(b"{}", path, query, method="\udcff")) == 16


def test_keys_are_what_cassettes_hold():
    """A change here needs another `FORM_VERSION`, so that stored keys are made again."""
    assert key(BODY).hex() == "473af3d47d218bbe1b468e02a443dc91"
