"""What recording one more exchange costs as a conversation grows: preparing it, judging it, storing it.

Run: ``python bench/record_cost.py``. One agent turn, about 1.5 KB from the client and 1.5 KB of answer at each step;
every request sends the whole history again. The second conversation holds a secret in its first tool result, which has
to be taken out at every step. Each figure is the median over the steps around the one that is named, in CPU time.
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge

STEPS = (20, 200, 500)
AROUND = 10
TEXT = 1300
KEY = "AIzaSy" + "k" * 33
WORDS = [
    f"{random.Random(seed).getrandbits(24):x}" for seed in range(4000)
]  # like prose: short and repeating


def prose(step: int, side: int) -> str:
    """Text that is different at each step."""
    source = random.Random(2 * step + side)
    return " ".join(source.choices(WORDS, k=TEXT // 7))


def asked(step: int, secret: str = "") -> dict:
    """What the model answers at a step."""
    call = {"name": "look", "args": {"page": step, "why": prose(step, 0) + secret}, "id": f"c{step}"}
    return {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": f"EpwC{step:060}"}]}


def told(step: int, secret: str = "") -> dict:
    """What the client sends back."""
    result = {"name": "look", "id": f"c{step}", "response": {"text": prose(step, 1) + secret}}
    return {"role": "user", "parts": [{"functionResponse": result}]}


def conversation(steps: int, secret: str = "") -> Iterator[Exchange]:
    """The exchanges of one agent turn."""
    tools = json.dumps([{"functionDeclarations": [{"name": "look", "description": "Looks a page up."}]}])
    history = [json.dumps({"role": "user", "parts": [{"text": "Read the book."}]})]
    for step in range(1, steps + 1):
        candidate = {"content": asked(step), "finishReason": "STOP", "index": 0}
        answer = json.dumps({"candidates": [candidate]}).encode()
        body = f'{{"contents": [{", ".join(history)}], "tools": {tools}}}'.encode()
        yield Exchange(
            Request("POST", "/v1beta/models/gemini-3-pro-preview:generateContent", body=body),
            Response(200, (("content-type", "application/json"),), (Chunk(5, answer),)),
            started_at=float(step),
            duration_ms=5,
        )
        history += [json.dumps(asked(step)), json.dumps(told(step, f" {secret}" if step == 1 else ""))]


def measure(name: str, secret: str = "") -> None:
    """Record one conversation and print what its steps cost."""
    preparing: list[float] = []
    storing: list[float] = []
    sizes: list[int] = []
    with tempfile.TemporaryDirectory() as folder, Cassette.create(Path(folder) / "run.db") as cassette:
        judge = Judge()
        for exchange in conversation(STEPS[-1], secret):
            began = time.process_time()
            entry = cassette.prepare(exchange)
            prepared = time.process_time()
            cassette.append(entry, judge.judge, "bench")
            storing.append(time.process_time() - prepared)
            preparing.append(prepared - began)
            sizes.append(len(exchange.request.body))
    print(name)
    for step in STEPS:
        window = slice(max(0, step - AROUND), step)
        prepare, store = (statistics.median(times[window]) * 1e6 for times in (preparing, storing))
        size = statistics.median(sizes[window]) / 1e6
        print(
            f"  step {step:3}, body {size * 1000:5.0f} KB: prepare {prepare:7.0f} us, judge and store {store:5.0f} us, "
            f"{(prepare + store) / size / 1e3:5.1f} ms per MB received"
        )


def main() -> None:
    """Print the figures."""
    measure("a clean conversation")
    measure("a secret in an old tool result", KEY)


if __name__ == "__main__":
    main()
