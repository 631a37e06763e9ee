"""Which body a route takes."""

from __future__ import annotations

import pytest

from gemtape.cassettes.endpoints import (
    ASYNC_BATCH_EMBED,
    BATCH_EMBED,
    BATCH_GENERATE,
    CACHED_CONTENT,
    CHAT,
    CODE_ASSIST,
    COUNT_TOKENS,
    CREATE_FILE,
    EMBED,
    UNKNOWN,
    UPLOAD_TO_STORE,
    request_message,
)
from gemtape.cassettes.fields import Message
from gemtape.cassettes.routes import parse_route
from gemtape.cassettes.schema import GENERATE


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
        ("/v1beta/models/m:batchGenerateContent", BATCH_GENERATE),
        ("/v1beta/models/m:asyncBatchEmbedContent", ASYNC_BATCH_EMBED),
        ("/upload/v1beta/fileSearchStores/s:uploadToFileSearchStore", UPLOAD_TO_STORE),
        ("/v1beta/interactions", UNKNOWN),
        ("/v1beta/openai/embeddings", UNKNOWN),
        ("/v1beta/models/m:predict", UNKNOWN),
        ("/", UNKNOWN),
    ],
)
def test_message_of_a_route(path: str, message: Message):
    assert request_message(parse_route(path)) is message
