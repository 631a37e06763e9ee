"""The shape of the API's JSON, as far as reading and matching need it: which keys are the API's and which the user's.

Only keys named here are ever respelled, and only values typed here are ever normalised. What sits under `OPAQUE`
(arguments, results, labels, JSON Schema) belongs to the user: never renamed, never dropped. Sources: the SDKs' type
definitions and the API reference; unknown keys are kept and treated as opaque, so a field that is missing here costs
only tolerance of its spelling.
"""

from __future__ import annotations

from typing import Final

from .fields import (
    BYTES,
    ID,
    OPAQUE,
    PLAIN,
    PLAIN_LIST,
    PRESENT_OPAQUE,
    PRESENT_PLAIN,
    ROLE,
    SESSION,
    SIGNATURE,
    Field,
    Kind,
    Message,
    many,
    one,
    opaque,
    plain,
)

BLOB = Message("Blob", {**plain("mimeType", "displayName"), "data": BYTES})
FILE_DATA = Message("FileData", plain("mimeType", "fileUri", "displayName"))
FUNCTION_CALL = Message(
    "FunctionCall",
    {"id": ID, **plain("name", "willContinue"), **opaque("args", "partialArgs")},
)
RESPONSE_PART = Message("FunctionResponsePart", {"inlineData": one(BLOB), "fileData": one(FILE_DATA)})
FUNCTION_RESPONSE = Message(
    "FunctionResponse",
    {
        "id": ID,
        **plain("name", "willContinue", "scheduling"),
        "response": OPAQUE,
        "parts": many(RESPONSE_PART),
    },
)
TOOL_CALL = Message("ToolCall", {"id": ID, "toolType": PLAIN, "args": OPAQUE})
TOOL_RESPONSE = Message("ToolResponse", {"id": ID, "toolType": PLAIN, "response": OPAQUE})
EXECUTABLE_CODE = Message("ExecutableCode", {"id": ID, **plain("language", "code")})
CODE_RESULT = Message("CodeExecutionResult", {"id": ID, **plain("outcome", "output")})
VIDEO_METADATA = Message("VideoMetadata", plain("startOffset", "endOffset", "fps"))
MEDIA_RESOLUTION = Message("MediaResolution", plain("level", "numTokens"))
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
        "videoMetadata": one(VIDEO_METADATA),
        "mediaResolution": one(MEDIA_RESOLUTION),
        **opaque("partMetadata", "audioTranscription", "speechMetadata"),
        **opaque("mediaProcessing", "audioMetadata", "documentMetadata", "spreadsheetMetadata"),
    },
)
PART_DATA: Final = tuple(name for name, entry in PART.fields.items() if entry.present)
"""The members of a part's `data` oneof."""
CONTENT = Message("Content", {"role": ROLE, "parts": many(PART)})

SCHEMA = Message("Schema")
SCHEMA.fields.update(
    {
        **plain("type", "format", "title", "description", "nullable", "pattern"),
        **plain("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"),
        **plain("minProperties", "maxProperties", "additionalProperties"),
        **opaque("enum", "required", "propertyOrdering"),
        **dict.fromkeys(("default", "example"), PRESENT_OPAQUE),
        "items": one(SCHEMA),
        "anyOf": many(SCHEMA),
        "properties": Field(Kind.MESSAGE, SCHEMA, mapped=True),
    }
)
DECLARATION = Message(
    "FunctionDeclaration",
    {
        **plain("name", "description", "behavior"),
        "parameters": one(SCHEMA),
        "response": one(SCHEMA),
        **opaque("parametersJsonSchema", "responseJsonSchema"),
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
    "FunctionCallingConfig",
    {**plain("mode", "streamFunctionCallArguments"), "allowedFunctionNames": PLAIN_LIST},
)
RETRIEVAL_CONFIG = Message(
    "RetrievalConfig",
    {"languageCode": PLAIN, "latLng": one(Message("LatLng", plain("latitude", "longitude")))},
)
TOOL_CONFIG = Message(
    "ToolConfig",
    {
        "functionCallingConfig": one(CALLING_CONFIG),
        "retrievalConfig": one(RETRIEVAL_CONFIG),
        "includeServerSideToolInvocations": PLAIN,
    },
)
THINKING_CONFIG = Message("ThinkingConfig", plain("includeThoughts", "thinkingBudget", "thinkingLevel"))
GENERATION_CONFIG = Message(
    "GenerationConfig",
    {
        **plain("candidateCount", "maxOutputTokens", "temperature", "topP", "topK", "seed"),
        **plain("presencePenalty", "frequencyPenalty", "responseMimeType"),
        **dict.fromkeys(("stopSequences", "responseModalities"), PLAIN_LIST),
        **plain("responseLogprobs", "logprobs", "mediaResolution", "audioTimestamp", "enableAffectiveDialog"),
        "responseSchema": one(SCHEMA),
        "imageConfig": one(Message("ImageConfig", plain("aspectRatio", "imageSize", "personGeneration"))),
        **opaque("responseJsonSchema", "speechConfig", "routingConfig", "modelSelectionConfig"),
        "thinkingConfig": one(THINKING_CONFIG),
    },
)
SAFETY_SETTING = Message("SafetySetting", plain("category", "threshold", "method"))
SESSION_FIELDS = dict.fromkeys(("sessionId", "userPromptId", "requestId"), SESSION)
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
        **SESSION_FIELDS,
    },
)
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
