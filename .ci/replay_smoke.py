"""Import a transcript, replay it over HTTP, and prove that the replaying process never imported mitmproxy.

Run by the Python of the environment that is tried, in a folder outside the checkout.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

BODY = '{"contents": [{"role": "user", "parts": [{"text": "Say grün."}]}]}'
EVENTS = [
    'data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "gr"}]}}]}\r\n\r\n',
    'data: {"candidates": [{"content": {"role": "model", "parts": [{"text": "ün"}]}, "finishReason": "STOP"}]}\r\n\r\n',
]
PATH = "/v1beta/models/gemini-3-flash-preview:streamGenerateContent"
LINE = {
    "request": {
        "method": "POST",
        "path": PATH,
        "query": {"alt": "sse"},
        "headers": {"content-type": "application/json"},
        "body_text": BODY,
    },
    "response": {
        "status": 200,
        "headers": {"content-type": "text/event-stream"},
        "chunks": [{"offset_ms": 10 * number, "data": event} for number, event in enumerate(EVENTS)],
    },
}
GEMTAPE = [sys.executable, "-X", "importtime", "-m", "gemtape.cli"]


def main() -> None:
    """Exit with a message where something is not as it should be."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.jsonl").write_text(json.dumps(LINE) + "\n")
        imported = subprocess.run(
            [*GEMTAPE, "import", "run.jsonl", "run.db"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        expect(f"exit code of import ({imported.stderr.splitlines()[-1]})", 0, imported.returncode)
        port = free_port()
        with (folder / "stderr").open("w") as stderr:
            server = subprocess.Popen(
                [*GEMTAPE, "replay", "run.db", "--port", str(port)], cwd=folder, stderr=stderr
            )
        try:
            answer = ask(f"http://127.0.0.1:{port}{PATH}?alt=sse", server, folder / "stderr")
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(30)
        said = (folder / "stderr").read_text()

    expect("status", 200, answer.status_code)
    expect("answer", "".join(EVENTS).encode(), answer.content)
    expect("exit code after SIGTERM", 0, code)
    modules = {
        line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")
    }
    expect("uvicorn imported", True, "uvicorn" in modules)
    expect("mitmproxy imported", False, any(module.split(".")[0] == "mitmproxy" for module in modules))
    print(f"replayed {len(answer.content)} bytes from {len(modules)} modules, none of them mitmproxy's")


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def ask(url: str, server: subprocess.Popen[bytes], stderr: Path) -> httpx.Response:
    """Send the recorded request as soon as the server listens."""
    with httpx.Client(trust_env=False) as client:
        while True:
            try:
                return client.post(url, content=BODY.encode(), headers={"content-type": "application/json"})
            except httpx.ConnectError:
                if server.poll() is not None:
                    last = stderr.read_text().splitlines()[-1:]
                    sys.exit(f"the replayer ended with exit code {server.returncode}: {last}")
                time.sleep(0.05)


def expect(what: str, wanted: object, found: object) -> None:
    """Exit with both values where they differ."""
    if wanted != found:
        sys.exit(f"{what}: wanted {wanted!r}, found {found!r}")


main()
