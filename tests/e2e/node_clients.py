"""The clients for Node, and curl."""

from __future__ import annotations

from tests.e2e.table import Client

_TALKING = ("unary", "stream", "chat", "chat-stream", "parallel", "parallel-stream")
_GENAI_LINE = "export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8090"

NODE_CLIENTS: tuple[Client, ...] = (
    Client(
        name="@google/genai",
        language="node",
        program="google_genai.mjs",
        packages=("@google/genai@*",),
        environment="google-genai-js",
        flows=(*_TALKING, "embeddings", "count", "models"),
        base_url=_GENAI_LINE,
    ),
    Client(
        name="@ai-sdk/google",
        language="node",
        program="ai_sdk_google.mjs",
        packages=("@ai-sdk/google@*", "ai@*"),
        environment="ai-sdk-google",
        flows=(*_TALKING, "embeddings"),
        base_url='createGoogleGenerativeAI({ baseURL: "http://127.0.0.1:8090/v1beta" })',
    ),
    Client(
        name="@google/adk",
        language="node",
        program="google_adk.mjs",
        packages=("@google/adk@*", "zod@^4"),
        environment="google-adk-js",
        flows=_TALKING,
        base_url=_GENAI_LINE,
    ),
    Client(
        name="openai for Node",
        language="node",
        program="openai_compatible.mjs",
        packages=("openai@*",),
        environment="openai-js",
        flows=(*_TALKING, "embeddings", "models"),
        base_url="export OPENAI_BASE_URL=http://127.0.0.1:8090/v1beta/openai",
        book="openai",
    ),
    Client(
        name="curl",
        language="shell",
        program="curl.sh",
        packages=(),
        flows=("unary", "stream", "array", "chat", "parallel", "embeddings", "count", "models"),
        base_url='curl "http://127.0.0.1:8090/v1beta/models/MODEL:generateContent?key=$GEMINI_API_KEY" …',
    ),
)
