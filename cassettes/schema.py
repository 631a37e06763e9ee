"""The shape of the API's JSON, as far as reading and matching need it: which keys are the API's and which the user's.

Only keys named here are ever respelled, and only values typed here are ever normalised. What sits under `OPAQUE`
(arguments, results, labels, JSON Schema) belongs to the user: never renamed, never dropped. Sources: the SDKs' type
definitions and the API reference; unknown keys are kept and treated as opaque, so a field that is missing here costs
only tolerance of its spelling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from .routes import Route, Surface


class Kind(Enum):
    """How a value is read."""

    PLAIN = auto()
    """A scalar, or a value with nothing to respell in it."""
    OPAQUE = auto()
    """User data."""
    BYTES = auto()
    """Base64, compared decoded."""
    INT64 = auto()
    """An integer that JSON may spell as a string."""
    ROLE = auto()
    """Compared in lower case."""
    ID = auto()
    """A call id: volatile, left out of the match form."""
    SIGNATURE = auto()
    """A thought signature: base64, left out of the match form."""
    SESSION = auto()
    """Names a session, a project or a single request: left out of the match form."""
    MESSAGE = auto()
    """An object with a schema of its own."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its kind, its message where it has one, whether it repeats.

    `present` marks members of a oneof, where an empty object still says something (``googleSearch: {}``).
    """

    kind: Kind
    message: Message | None = None
    repeated: bool = False
    mapped: bool = False
    present: bool = False


@dataclass(eq=False, slots=True)
class Message:
    """An object of the API and its fields by canonical name."""

    name: str
    fields: dict[str, Field] = field(default_factory=dict)

    def canonical(self, key: str) -> str:
        """The canonical spelling of a key of this message; an unknown key stays as it is."""
        if key in self.fields:
            return key
        camel = _SNAKE.sub(lambda match: match.group(1).upper(), key)
        return camel if camel in self.fields else key


_SNAKE = re.compile(r"_([a-z0-9])")

PLAIN: Final = Field(Kind.PLAIN)
OPAQUE: Final = Field(Kind.OPAQUE)
BYTES: Final = Field(Kind.BYTES)
INT64: Final = Field(Kind.INT64)
ROLE: Final = Field(Kind.ROLE)
ID: Final = Field(Kind.ID)
SIGNATURE: Final = Field(Kind.SIGNATURE)
SESSION: Final = Field(Kind.SESSION)
PRESENT_PLAIN: Final = Field(Kind.PLAIN, present=True)
PRESENT_OPAQUE: Final = Field(Kind.OPAQUE, present=True)


def one(message: Message, *, present: bool = False) -> Field:
    """A single message."""
    return Field(Kind.MESSAGE, message, present=present)


def many(message: Message) -> Field:
    """A list of messages; a single object stands for a list of one."""
    return Field(Kind.MESSAGE, message, repeated=True)


def _plain(*names: str) -> dict[str, Field]:
    return dict.fromkeys(names, PLAIN)


def _opaque(*names: str) -> dict[str, Field]:
    return dict.fromkeys(names, OPAQUE)


BLOB = Message("Blob", {**_plain("mimeType", "displayName"), "data": BYTES})
FILE_DATA = Message("FileData", _plain("mimeType", "fileUri", "displayName"))
FUNCTION_CALL = Message(
    "FunctionCall", {"id": ID, **_plain("name", "willContinue"), **_opaque("args", "partialArgs")}
)
RESPONSE_PART = Message("FunctionResponsePart", {"inlineData": one(BLOB), "fileData": one(FILE_DATA)})
FUNCTION_RESPONSE = Message(
    "FunctionResponse",
    {
        "id": ID,
        **_plain("name", "willContinue", "scheduling"),
        "response": OPAQUE,
        "parts": many(RESPONSE_PART),
    },
)
TOOL_CALL = Message("ToolCall", {"id": ID, "toolType": PLAIN, "args": OPAQUE})
TOOL_RESPONSE = Message("ToolResponse", {"id": ID, "toolType": PLAIN, "response": OPAQUE})
EXECUTABLE_CODE = Message("ExecutableCode", {"id": ID, **_plain("language", "code")})
CODE_RESULT = Message("CodeExecutionResult", {"id": ID, **_plain("outcome", "output")})
PART = Message(
    "Part",
    {
        "text": PRESENT_PLAIN,
        "inlineData": one(BLOB, present=True),
        "fileData": one(FILE_DATA, present=True),
        "functionCall": one(FUNCTION_CALL, present=True),
        "functionResponse": one(FUNCTION_RESPONSE, present=True),
        "toolCall": one(TOOL_CALL, present=True),
        "toolResponse": one(TOOL_RESPONSE, present=True),
        "executableCode": one(EXECUTABLE_CODE, present=True),
        "codeExecutionResult": one(CODE_RESULT, present=True),
        "thought": PLAIN,
        "thoughtSignature": SIGNATURE,
        **_opaque("videoMetadata", "mediaResolution", "partMetadata"),
    },
)
PART_DATA: Final = tuple(name for name, entry in PART.fields.items() if entry.present)
"""The members of a part's `data` oneof."""
CONTENT = Message("Content", {"role": ROLE, "parts": many(PART)})

SCHEMA = Message("Schema")
SCHEMA.fields.update(
    {
        **_plain("type", "format", "title", "description", "nullable", "pattern"),
        **_plain("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"),
        **_plain("minProperties", "maxProperties", "additionalProperties"),
        **_opaque("enum", "required", "propertyOrdering", "default", "example"),
        "items": one(SCHEMA),
        "anyOf": many(SCHEMA),
        "properties": Field(Kind.MESSAGE, SCHEMA, mapped=True),
    }
)
DECLARATION = Message(
    "FunctionDeclaration",
    {
        **_plain("name", "description", "behavior"),
        "parameters": one(SCHEMA),
        "response": one(SCHEMA),
        **_opaque("parametersJsonSchema", "responseJsonSchema"),
    },
)
BUILT_IN_TOOLS: Final = (
    "googleSearch",
    "googleSearchRetrieval",
    "codeExecution",
    "urlContext",
    "googleMaps",
    "fileSearch",
    "computerUse",
    "retrieval",
    "enterpriseWebSearch",
)
TOOL = Message(
    "Tool",
    {
        "functionDeclarations": many(DECLARATION),
        **dict.fromkeys(BUILT_IN_TOOLS, PRESENT_OPAQUE),
        "mcpServers": OPAQUE,
    },
)
CALLING_CONFIG = Message(
    "FunctionCallingConfig", _plain("mode", "allowedFunctionNames", "streamFunctionCallArguments")
)
TOOL_CONFIG = Message(
    "ToolConfig",
    {
        "functionCallingConfig": one(CALLING_CONFIG),
        "retrievalConfig": OPAQUE,
        "includeServerSideToolInvocations": PLAIN,
    },
)
THINKING_CONFIG = Message("ThinkingConfig", _plain("includeThoughts", "thinkingBudget", "thinkingLevel"))
GENERATION_CONFIG = Message(
    "GenerationConfig",
    {
        **_plain("candidateCount", "maxOutputTokens", "temperature", "topP", "topK", "seed", "stopSequences"),
        **_plain("presencePenalty", "frequencyPenalty", "responseMimeType", "responseModalities"),
        **_plain(
            "responseLogprobs", "logprobs", "mediaResolution", "audioTimestamp", "enableAffectiveDialog"
        ),
        "responseSchema": one(SCHEMA),
        **_opaque(
            "responseJsonSchema", "speechConfig", "imageConfig", "routingConfig", "modelSelectionConfig"
        ),
        "thinkingConfig": one(THINKING_CONFIG),
    },
)
SAFETY_SETTING = Message("SafetySetting", _plain("category", "threshold", "method"))
_SESSION_FIELDS = dict.fromkeys(("sessionId", "userPromptId", "requestId"), SESSION)
GENERATE = Message(
    "GenerateContentRequest",
    {
        "model": PLAIN,
        "contents": many(CONTENT),
        "systemInstruction": one(CONTENT),
        "tools": many(TOOL),
        "toolConfig": one(TOOL_CONFIG),
        "generationConfig": one(GENERATION_CONFIG),
        "safetySettings": many(SAFETY_SETTING),
        "cachedContent": PLAIN,
        "serviceTier": PLAIN,
        "store": PLAIN,
        "labels": OPAQUE,
        **_SESSION_FIELDS,
    },
)
CODE_ASSIST = Message(
    "CodeAssistRequest", {"model": PLAIN, "project": SESSION, "request": one(GENERATE), **_SESSION_FIELDS}
)
COUNT_TOKENS = Message(
    "CountTokensRequest", {**GENERATE.fields, "generateContentRequest": one(GENERATE), "instances": OPAQUE}
)
EMBED = Message(
    "EmbedContentRequest",
    {
        **_plain("model", "taskType", "title", "outputDimensionality", "autoTruncate"),
        "content": one(CONTENT),
        "embedContentConfig": OPAQUE,
    },
)
BATCH_EMBED = Message("BatchEmbedContentsRequest", {"requests": many(EMBED)})
CACHED_CONTENT = Message(
    "CachedContent", {**GENERATE.fields, **_plain("name", "displayName", "ttl", "expireTime")}
)
FILE = Message("File", {**_plain("name", "displayName", "mimeType", "uri"), "sizeBytes": INT64})
CREATE_FILE = Message("CreateFileRequest", {"file": one(FILE)})
OPENAI_CALL = Message("ToolCall", {"id": ID, "type": PLAIN, "function": OPAQUE, "extra_content": SIGNATURE})
OPENAI_MESSAGE = Message(
    "ChatMessage",
    {
        "role": PLAIN,
        "content": OPAQUE,
        "tool_calls": many(OPENAI_CALL),
        "tool_call_id": ID,
        "extra_content": SIGNATURE,
    },
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
    "chat/completions": CHAT,
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
