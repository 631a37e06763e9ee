"""Requests per second of the replay server, beside plain uvicorn that sends the same bytes to everybody.

Run: ``python bench/replay_speed.py``. `gemtape replay` also prints a line about each request. All run at once, uvicorn with the same parser and event loop, and get the same load
in turn, over 1 and over 32 kept-alive connections. CPU is what the server's process used.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
from pathlib import Path

from proxy_speed import ANSWER, PATH, REQUEST
from tools.load import post
from tools.processes import free_port, script, serving
from tools.rounds import compare

from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from gemtape.cassettes.store import Cassette

SERVER = """
import sys
import threading
from gemtape.replay.server import serve

with serve(sys.argv[2], port=int(sys.argv[1])):
    threading.Event().wait()
"""
PLAIN = """
import sys
import uvicorn

BODY = open(sys.argv[2], "rb").read()
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(BODY))],
}


async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send(START)
    await send({"type": "http.response.body", "body": BODY})


uvicorn.run(app, port=int(sys.argv[1]), lifespan="off", log_level="error", access_log=False, http="httptools")
"""


def main() -> None:
    """Record one exchange, start both, and print the figures."""
    request, answer = json.dumps(REQUEST).encode(), json.dumps(ANSWER).encode()
    ours, printing, theirs = free_port(), free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        cassette, body = Path(folder) / "run.db", Path(folder) / "answer.json"
        body.write_bytes(answer)
        with Cassette.create(cassette) as new:
            headers = (("content-type", "application/json"),)
            new.add(
                Exchange(
                    Request("POST", PATH, headers=headers, body=request),
                    Response(200, headers, (Chunk(1, answer),)),
                    started_at=1.0,
                )
            )
        server = [sys.executable, "-c", SERVER, str(ours), str(cassette)]
        replay = [script("gemtape"), "replay", str(cassette), "--port", str(printing)]
        plain = [sys.executable, "-c", PLAIN, str(theirs), str(body)]
        servers = [
            stack.enter_context(serving("replay server", server, ours)),
            stack.enter_context(serving("plain uvicorn", plain, theirs)),
            stack.enter_context(serving("gemtape replay", replay, printing)),
        ]
        for connections in (1, 32):
            asyncio.run(compare(servers, post(PATH, request), connections))


if __name__ == "__main__":
    main()
