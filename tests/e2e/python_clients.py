"""The clients for Python."""

from __future__ import annotations

from tests.e2e.table import Client, Limit

_TALKING = ("unary", "stream", "chat", "chat-stream", "parallel", "parallel-stream")
_GENAI_LINE = "export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8090"

_LOSES_CALLS = {
    flow: Limit(
        "a streamed chat runs the calls, but goes on with them only where they come in the last event of the stream",
        result={"texts": ["", "You are welcome."], "calls": calls},
        violations=("altered-model-turn",),
        transcript=f"lost/{flow}.jsonl",
    )
    for flow, calls in (
        ("chat-stream", ["get_weather Pune"]),
        ("parallel-stream", ["get_weather Pune", "get_time Asia/Kolkata"]),
    )
}

_GOOGLE_GENAI = tuple(
    Client(
        name=f"google-genai {major}.x{label}",
        language="python",
        program="google_genai.py",
        packages=(f"google-genai>={major},<{major + 1}", *extra),
        environment=f"google-genai-{major}{'-aiohttp' if extra else ''}",
        kind=kind,
        flows=(*_TALKING, "files", "embeddings", "count", "models"),
        base_url=_GENAI_LINE,
        limits=_LOSES_CALLS if major == 1 else {},
        new=("chat", "chat-stream") if (major, kind) == (3, "sync") else (),
        note='In code: `genai.Client(http_options={"base_url": …})`. 3.x asks for `/v1`, older ones for `/v1beta`; the same '
        "cassette answers both.",
    )
    for major in (3, 2, 1)
    for kind, label, extra in (
        ("sync", "", ()),
        ("async", " async", ()),
        ("aiohttp", " async on aiohttp", ("aiohttp",)),
    )
)

PYTHON_CLIENTS = (
    *_GOOGLE_GENAI,
    Client(
        name="google-adk",
        language="python",
        program="google_adk.py",
        packages=("google-adk>=2",),
        flows=_TALKING,
        base_url=_GENAI_LINE,
        note="In code: `Gemini(model=…, base_url=…)`.",
    ),
    Client(
        name="langchain-google-genai",
        language="python",
        program="langchain_google_genai.py",
        packages=("langchain-google-genai>=4", "langchain>=1"),
        flows=(*_TALKING, "embeddings", "count"),
        base_url=_GENAI_LINE,
        note="In code: `ChatGoogleGenerativeAI(base_url=…)`.",
    ),
    Client(
        name="pydantic-ai",
        language="python",
        program="pydantic_ai_google.py",
        packages=("pydantic-ai-slim[google]>=2",),
        flows=(*_TALKING, "embeddings"),
        base_url=_GENAI_LINE,
        new=("chat",),
        note="In code: `GoogleProvider(base_url=…)`.",
    ),
    *(
        Client(
            name=name,
            language="python",
            program="litellm_gemini.py",
            packages=("litellm>=1.110",),
            environment="litellm",
            kind=kind,
            flows=(*_TALKING, "embeddings"),
            base_url="export GEMINI_API_BASE=http://127.0.0.1:8090/v1beta",
            note="The base URL has to end in `/v1beta`. In code: `api_base=…`.",
        )
        for kind, name in (("sync", "litellm"), ("async", "litellm async"))
    ),
    Client(
        name="openai",
        language="python",
        program="openai_compatible.py",
        packages=("openai>=3",),
        flows=(*_TALKING, "embeddings", "models"),
        base_url="export OPENAI_BASE_URL=http://127.0.0.1:8090/v1beta/openai",
        book="openai",
        new=("parallel-stream",),
        note="The base URL has to end in `/v1beta/openai`. Beside a command the variable is only set with `--openai`.",
    ),
)
