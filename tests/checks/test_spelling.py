"""Findings point into what was really sent, and speak of it."""

from __future__ import annotations

import pytest

from gemtape.checks.chat import as_generate
from gemtape.checks.finding import Finding, Place, Severity, answer_place, content_place
from gemtape.checks.spelling import pointer_as_sent, words_as_sent
from tests.chats import chat_exchange, deltas, streamed, whole
from tests.checks.helpers import entries
from tests.checks.pages import Example, Step
from tests.factories import SIGNATURE, exchange, user

SYSTEM = {"role": "system", "content": "Be brief."}
SIGNED = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}, **SIGNED}
CALLS = {"role": "assistant", "content": "Well.", "tool_calls": [None, CALL, {**CALL, "id": "c2"}], **SIGNED}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "{}"}
SAID = {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
MESSAGES = [SYSTEM, SAID, SYSTEM, CALLS, RESULT]
[CHAT] = map(as_generate, entries([chat_exchange(MESSAGES, whole(CALLS))]))


def said(message: str, at: str = "request") -> Finding:
    return Finding("rule", Severity.INFO, (), message, at=at)


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        (("contents",), "/messages"),
        (content_place(0), "/messages/1"),
        (content_place(0, 1), "/messages/1/content/1"),
        (content_place(1), "/messages/3"),
        (content_place(1, 0), "/messages/3/content"),
        (
            content_place(1, 0, "thoughtSignature"),
            "/messages/3/content/extra_content/google/thought_signature",
        ),
        (content_place(1, 1), "/messages/3/tool_calls/1"),
        (content_place(1, 2, "functionCall", "args", "city"), "/messages/3/tool_calls/2/function/arguments"),
        (content_place(1, 2, "functionCall", "name"), "/messages/3/tool_calls/2/function/name"),
        (content_place(1, 2, "functionCall", "id"), "/messages/3/tool_calls/2/id"),
        (content_place(1, 2, "functionCall"), "/messages/3/tool_calls/2"),
        (
            content_place(1, 1, "thoughtSignature"),
            "/messages/3/tool_calls/1/extra_content/google/thought_signature",
        ),
        (content_place(2, 0), "/messages/4"),
        (content_place(2, 0, "functionResponse", "id"), "/messages/4/tool_call_id"),
        (content_place(2, 0, "functionResponse", "response", "a", 0), "/messages/4/content"),
        ((*content_place(2), "role"), "/messages/4/role"),
        (content_place(3), "/messages/5"),
        (content_place(9, 9), "/messages/5"),
        (content_place(1, 9), "/messages/3"),
        (("tools",), "/tools"),
        (("tools", 2, "functionDeclarations", 0), "/tools/2/function"),
        (("tools", 2, "functionDeclarations", 0, "name"), "/tools/2/function/name"),
        (("tools", 2, "functionDeclarations", 0, "parametersJsonSchema"), "/tools/2/function/parameters"),
        (("toolConfig", "functionCallingConfig", "mode"), "/tool_choice"),
        (("toolConfig", "functionCallingConfig", "allowedFunctionNames", 0), "/tool_choice/function/name"),
        (("toolConfig",), "/tool_choice"),
        (("cachedContent",), "/extra_body/google/cached_content"),
        (answer_place(0), "/choices/0/message/content"),
        (
            answer_place(2, "functionCall", "args", "city"),
            "/choices/0/message/tool_calls/2/function/arguments",
        ),
        (("candidates", 0, "finishReason"), "/choices/0/finish_reason"),
        ((0, "error"), "/0/error"),
        (("error",), "/error"),
        ((), ""),
    ],
)
def test_places_in_a_chat(place: Place, pointer: str):
    assert pointer_as_sent(CHAT, place) == pointer


def test_a_streamed_answer_is_pointed_at_as_the_message_that_it_folds_to():
    message = {**CALLS, "tool_calls": [CALL, {**CALL, "id": "c2"}]}
    [entry] = map(as_generate, entries([chat_exchange([SAID], streamed(*deltas(message)))]))

    assert pointer_as_sent(entry, answer_place(2), "response") == "/choices/0/message/tool_calls/1"


@pytest.mark.parametrize(
    ("surface", "place", "at", "pointer"),
    [
        ("gemini-api", content_place(0, 0), "request", "/contents/0/parts/0"),
        ("gemini-api", answer_place(0), "response", "/candidates/0/content/parts/0"),
        ("code-assist", content_place(0, 0), "request", "/request/contents/0/parts/0"),
        ("code-assist", answer_place(0), "response", "/response/candidates/0/content/parts/0"),
        ("code-assist", (0, "error"), "response", "/0/error"),
    ],
)
def test_places_elsewhere(surface: str, place: Place, at: str, pointer: str):
    [entry] = entries(Example(surface=surface, steps=[Step([user("Hi")])]).exchanges)

    assert pointer_as_sent(entry, place, at) == pointer


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("declared already, at tools[1].functionDeclarations[0]", "declared already, at tools[1]"),
        ("contents[1].parts[1] holds the call", "messages[3].tool_calls[1] holds the call"),
        ("contents[2] holds it", "messages[4] holds it"),
        ("it has no thoughtSignature", "it has no extra_content.google.thought_signature"),
        ("text behind a functionResponse", "text behind a tool message"),
        ("args of functionCall f", "args of tool call f"),
    ],
)
def test_words_of_a_chat(message: str, words: str):
    assert words_as_sent(CHAT, said(message)) == words
    assert words_as_sent(CHAT, said(message, "response")) == message


def test_other_words_stay():
    [entry] = entries([exchange([user("Hi")])])
    message = "contents[1].parts[1] has no thoughtSignature"

    assert words_as_sent(entry, said(message)) == message
