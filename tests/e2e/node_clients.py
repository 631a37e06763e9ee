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
        flows=(*_TALKING, "files", "embeddings", "count", "models"),
        base_url=_GENAI_LINE,
        new=("chat-stream",),
        note="In code: `new GoogleGenAI({ httpOptions: { baseUrl: … } })`. 3.x, which wants Node 22, asks for `/v1`, 2.x for `/v1beta`; "
        "the same cassette answers both.",
    ),
    Client(
        name="@ai-sdk/google",
        language="node",
        program="ai_sdk_google.mjs",
        packages=("@ai-sdk/google@*", "ai@*"),
        environment="ai-sdk-google",
        flows=(*_TALKING, "embeddings"),
        base_url='createGoogleGenerativeAI({ baseURL: "http://127.0.0.1:8090/v1beta" })',
        note="It reads no base URL from the environment, and wants the version in it. Beside a command `process.env.GEMINI_API_BASE` is that URL.",
    ),
    Client(
        name="@google/adk",
        language="node",
        program="google_adk.mjs",
        packages=("@google/adk@*", "zod@^4"),
        environment="google-adk-js",
        flows=_TALKING,
        base_url=_GENAI_LINE,
        note="The variable is the only way. With `StreamingMode.SSE` it runs parallel calls one after the other, each in a turn of its own.",
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
        note="The base URL has to end in `/v1beta/openai`. Beside a command the variable is only set with `--openai`.",
    ),
    Client(
        name="curl",
        language="shell",
        program="curl.sh",
        packages=(),
        flows=("unary", "stream", "array", "chat", "parallel", "files", "embeddings", "count", "models"),
        base_url='curl "http://127.0.0.1:8090/v1beta/models/MODEL:generateContent?key=$GEMINI_API_KEY" …',
        note="The key in the query is not stored, with `alt=sse` and without.",
    ),
)
