"""Which body each endpoint takes, as far as its keys are known; every other body counts as it is."""

from __future__ import annotations

from typing import Final

from .fields import INT64, OPAQUE, PLAIN, SESSION, Message, many, one, opaque, plain
from .routes import Route, Surface
from .schema import CONTENT, GENERATE, OPENAI_MESSAGE, SESSION_FIELDS

CODE_ASSIST = Message(
    "CodeAssistRequest",
    {
        "model": PLAIN,
        **dict.fromkeys(("project", "cloudaicompanionProject"), SESSION),
        "request": one(GENERATE),
        "metadata": one(Message("ClientMetadata", {"duetProject": SESSION})),
        **SESSION_FIELDS,
    },
)
COUNT_TOKENS = Message(
    "CountTokensRequest", {**GENERATE.fields, "generateContentRequest": one(GENERATE), "instances": OPAQUE}
)
EMBED = Message(
    "EmbedContentRequest",
    {
        **plain("model", "taskType", "title", "outputDimensionality", "autoTruncate"),
        "content": one(CONTENT),
        "embedContentConfig": OPAQUE,
    },
)
BATCH_EMBED = Message("BatchEmbedContentsRequest", {"requests": many(EMBED)})


def _batch(name: str, request: Message) -> Message:
    """The request for a batch of requests, which lie inside it or in a file."""
    inlined = Message(
        "InlinedRequests",
        {"requests": many(Message("InlinedRequest", {"request": one(request), "metadata": OPAQUE}))},
    )
    config = Message("InputConfig", {"fileName": PLAIN, "requests": one(inlined)})
    fields = {**plain("name", "model", "displayName"), "priority": INT64, "inputConfig": one(config)}
    return Message(name, {"batch": one(Message("Batch", fields))})


BATCH_GENERATE = _batch("BatchGenerateContentRequest", GENERATE)
ASYNC_BATCH_EMBED = _batch("AsyncBatchEmbedContentRequest", EMBED)
CACHED_CONTENT = Message(
    "CachedContent", {**GENERATE.fields, **plain("name", "displayName", "ttl", "expireTime")}
)
FILE = Message("File", {**plain("name", "displayName", "mimeType", "uri"), "sizeBytes": INT64})
CREATE_FILE = Message("CreateFileRequest", {"file": one(FILE)})
UPLOAD_TO_STORE = Message(
    "UploadToFileSearchStoreRequest",
    {**plain("displayName", "mimeType"), "sizeBytes": INT64, **opaque("customMetadata", "chunkingConfig")},
)
CHAT = Message("ChatCompletionsRequest", {"messages": many(OPENAI_MESSAGE), "tools": OPAQUE})
UNKNOWN = Message("UnknownRequest", {})

_BY_ACTION: Final = {
    "generateContent": GENERATE,
    "streamGenerateContent": GENERATE,
    "countTokens": COUNT_TOKENS,
    "computeTokens": COUNT_TOKENS,
    "embedContent": EMBED,
    "batchEmbedContents": BATCH_EMBED,
    "batchGenerateContent": BATCH_GENERATE,
    "asyncBatchEmbedContent": ASYNC_BATCH_EMBED,
    "chat/completions": CHAT,
    "uploadToFileSearchStore": UPLOAD_TO_STORE,
}


def request_message(route: Route) -> Message:
    """The schema of the body that a route takes; `UNKNOWN` (all opaque) where none is written down."""
    if route.surface is Surface.CODE_ASSIST:
        return CODE_ASSIST
    if route.action in _BY_ACTION:
        return _BY_ACTION[route.action]
    collection = route.resource.split("/")[-1]
    if route.resource.startswith("upload/"):
        return CREATE_FILE
    return (
        CACHED_CONTENT
        if collection == "cachedContents" or "/cachedContents/" in f"/{route.resource}"
        else UNKNOWN
    )
