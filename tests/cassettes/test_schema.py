"""Which body a route takes, and which keys in it are the API's."""

from __future__ import annotations

import pytest

from gemtape.cassettes.fields import Kind, Message
from gemtape.cassettes.routes import parse_route
from gemtape.cassettes.schema import (
    BATCH_EMBED,
    CACHED_CONTENT,
    CHAT,
    CODE_ASSIST,
    COUNT_TOKENS,
    CREATE_FILE,
    EMBED,
    FUNCTION_CALL,
    FUNCTION_RESPONSE,
    GENERATE,
    PART,
    PART_DATA,
    SCHEMA,
    UNKNOWN,
    request_message,
)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/v1beta/models/gemini-3-pro:generateContent", GENERATE),
        ("/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent", GENERATE),
        ("/v1beta/models/m:countTokens", COUNT_TOKENS),
        ("/v1beta/models/m:computeTokens", COUNT_TOKENS),
        ("/v1beta/models/m:embedContent", EMBED),
        ("/v1beta/models/m:batchEmbedContents", BATCH_EMBED),
        ("/v1internal:streamGenerateContent", CODE_ASSIST),
        ("/v1internal:loadCodeAssist", CODE_ASSIST),
        ("/v1beta/openai/chat/completions", CHAT),
        ("/v1beta/cachedContents", CACHED_CONTENT),
        ("/v1beta/cachedContents/c1", CACHED_CONTENT),
        ("/v1/projects/p/locations/l/cachedContents/c1", CACHED_CONTENT),
        ("/upload/v1beta/files", CREATE_FILE),
        ("/v1beta/interactions", UNKNOWN),
        ("/v1beta/openai/embeddings", UNKNOWN),
        ("/v1beta/models/m:predict", UNKNOWN),
        ("/", UNKNOWN),
    ],
)
def test_message_of_a_route(path: str, message: Message):
    assert request_message(parse_route(path)) is message


def test_user_data_is_opaque():
    opaque = [FUNCTION_CALL.fields["args"], FUNCTION_RESPONSE.fields["response"], GENERATE.fields["labels"]]

    assert {field.kind for field in opaque} == {Kind.OPAQUE}


def test_members_of_the_data_oneof():
    assert (
        *("text", "inlineData", "fileData", "functionCall", "functionResponse"),
        *("toolCall", "toolResponse", "executableCode", "codeExecutionResult"),
    ) == PART_DATA
    assert PART.fields["thoughtSignature"].kind is Kind.SIGNATURE


def test_schemas_nest():
    assert SCHEMA.fields["items"].message is SCHEMA
    assert SCHEMA.fields["properties"].mapped
