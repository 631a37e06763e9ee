"""The clients for Python."""

from __future__ import annotations

from tests.e2e.table import Client

_NATIVE = ("unary", "stream", "chat", "chat-stream", "parallel", "parallel-stream", "embeddings", "count", "models")
_GENAI_LINE = "export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8090"

PYTHON_CLIENTS: tuple[Client, ...] = tuple(
    Client(
        name=f"google-genai {major}.x{label}",
        language="python",
        program="google_genai.py",
        packages=(f"google-genai>={major},<{major + 1}", *extra),
        environment=f"google-genai-{major}{'-aiohttp' if extra else ''}",
        kind=kind,
        flows=_NATIVE,
        base_url=_GENAI_LINE,
    )
    for major in (3, 2, 1)
    for kind, label, extra in (
        ("sync", "", ()),
        ("async", " async", ()),
        ("aiohttp", " async on aiohttp", ("aiohttp",)),
    )
)
