"""Requests per second through `gemtape record`, which checks and stores each, beside plain mitmdump as a reverse proxy.

Run: ``python bench/proxy_speed.py``. Both run at once and get the same load in turn, small requests over kept-alive
connections, so that what else the machine does meets both. CPU is what the proxy's process used.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from pathlib import Path

from tools.load import Upstream, ok, post
from tools.processes import Server, free_port, script, serving
from tools.rounds import compare

CONNECTIONS = 8
PATH = "/v1beta/models/gemini-3-pro-preview:generateContent"
SAID = "word " * 700
REQUEST = {"contents": [{"role": "user", "parts": [{"text": f"Say it again: {SAID}"}]}]}
ANSWER = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": SAID}]}, "finishReason": "STOP", "index": 0}
    ],
    "usageMetadata": {"promptTokenCount": 700, "candidatesTokenCount": 700, "totalTokenCount": 1400},
    "modelVersion": "gemini-3-pro-preview",
}


async def run(servers: list[Server], upstream: int) -> None:
    """Be the upstream, and put the load on each."""
    loop = asyncio.get_running_loop()
    answer = ok(json.dumps(ANSWER).encode())
    await loop.create_server(lambda: Upstream(answer), "127.0.0.1", upstream)
    await compare(servers, post(PATH, json.dumps(REQUEST).encode()), CONNECTIONS)


def main() -> None:
    """Start both, and print the figures."""
    upstream, ours, theirs = free_port(), free_port(), free_port()
    origin = f"http://127.0.0.1:{upstream}"
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        cassette = str(Path(folder) / "run.db")
        record = [script("gemtape"), "record", cassette, "--port", str(ours), "--upstream", origin]
        mitmdump = [script("mitmdump"), "-q", "--mode", f"reverse:{origin}@127.0.0.1:{theirs}"]
        servers = [
            stack.enter_context(serving("gemtape record", record, ours)),
            stack.enter_context(serving("mitmdump", mitmdump, theirs)),
        ]
        asyncio.run(run(servers, upstream))


if __name__ == "__main__":
    main()
