"""Offline means offline: nothing that replays opens a connection, looks a name up, or could."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gemtape.cassettes.models import Exchange, Failure
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, sse, user

ROOT = Path(__file__).parent.parent
CLIENTS = {
    "httpx",
    "httpcore",
    "requests",
    "urllib3",
    "aiohttp",
    "http",
    "ftplib",
    "smtplib",
    "xmlrpc",
    "websockets",
}
OPENS = {
    "create_connection",
    "open_connection",
    "sock_connect",
    "connect",
    "connect_ex",
    "urlopen",
    "getaddrinfo",
}

# The audit hook sees every connection that Python's own sockets open and every name that is looked up. uvloop has
# sockets of its own, so it is hidden: the code around it is the same.
SCRIPT = """
import socket, sys
sys.modules["uvloop"] = None
from gemtape.replay.server import serve

events = []
def hook(event, args):
    if event in ("socket.connect", "socket.connect_ex", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        events.append((event, args[1] if event.startswith("socket.connect") else args[0]))
sys.addaudithook(hook)

def ask(address, head, body=b""):
    with socket.socket() as client:
        client.connect(address)
        client.sendall(head + b"content-length: %d\\r\\nconnection: close\\r\\n\\r\\n" % len(body) + body)
        answer = b""
        while data := client.recv(65536):
            answer += data
    return answer.split(b" ", 2)[1].decode() if answer else "dropped"

with serve(sys.argv[1]) as server:
    port = int(server.url.rpartition(":")[2])
    outcomes = []
    for line in sys.stdin.buffer.read().splitlines():
        method, path, body = line.split(b" ", 2)
        outcomes.append(ask(("127.0.0.1", port), b"%s %s HTTP/1.1\\r\\nhost: localhost\\r\\n" % (method, path), body))
print(*outcomes)
others = [event for event in events if event != ("socket.connect", ("127.0.0.1", port))]
print(len(events), others)
"""


def test_no_request_makes_the_replayer_connect_anywhere(tmp_path: Path):
    """Hits, repeats, misses, refusals, streams, cuts, failures, names of upstreams, status and nonsense."""
    stream = "/v1beta/models/m:streamGenerateContent"
    recorded = [
        exchange([user("hit")], model_text("hi")),
        exchange([user("stream")], sse({"a": 1}, {"b": 2}), path=stream),
        exchange([user("cut")], sse({"a": 1}, cut=True), path=stream),
        *(
            Exchange(exchange([user(failure.value)]).request, None, failure)
            for failure in (Failure.REFUSED, Failure.TIMEOUT, Failure.CLIENT_GONE)
        ),
    ]
    unsigned = exchange([user("a"), calls(call("f")), results(result("f", {}))])
    asked = [*recorded, recorded[0], exchange([user("miss")]), unsigned]
    lines = [b" ".join((b"POST", item.request.path.encode(), item.request.body)) for item in asked]
    lines += [
        b"GET /_gemtape/status ",
        b"POST http://generativelanguage.googleapis.com/v1beta/cachedContents {}",
        b"GET /v1beta/files/abc ",
        b"GET /ws/google.ai.Live ",
        b"POST /upload/v1beta/files {}",
        b'POST / {"contents": []}',
    ]

    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, cassette_of(tmp_path / "run.db", recorded)],
        input=b"\n".join(lines),
        capture_output=True,
        check=True,
        env=os.environ,
    )

    outcomes, connections = run.stdout.decode().splitlines()
    assert outcomes.split() == [
        *("200", "200", "200", "502", "504", "dropped", "200", "412", "400"),
        *("200", "412", "412", "501", "412", "412"),
    ]
    assert connections == f"{len(lines)} []", "those of the test, and no other"


@pytest.mark.parametrize("path", sorted((ROOT / "replay").rglob("*.py")), ids=lambda path: path.name)
def test_no_code_of_the_replayer_could_open_a_connection(path: Path):
    """It imports no client and calls nothing that connects."""
    tree = ast.parse(path.read_bytes())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level
    }
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }

    assert {name.split(".")[0] for name in imported} & CLIENTS == set()
    assert called & OPENS == set()
