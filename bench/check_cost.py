"""What checking one more request costs as a conversation grows, and what a report of the whole costs.

Run: ``python bench/check_cost.py``. One agent turn of 2,000 steps, each with two parallel calls; every request sends the
whole history again. Parsing and interning a request's body are measured apart from the checks.
"""

from __future__ import annotations

import json
import statistics
import time

from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from gemtape.cassettes.store import Cassette
from gemtape.checks.judge import Judge

STEPS = 2000
MODEL = "gemini-3-pro-preview"
WINDOW = 50


def content(step: int) -> dict:
    """What the model answers at a step."""
    calls = [
        {"functionCall": {"name": "look", "args": {"page": step, "half": half}, "id": f"c{step}-{half}"}}
        for half in (0, 1)
    ]
    return {"role": "model", "parts": [{**calls[0], "thoughtSignature": f"EpwC{step:08}"}, calls[1]]}


def results(step: int) -> dict:
    """What the client sends back."""
    parts = [
        {
            "functionResponse": {
                "name": "look",
                "id": f"c{step}-{half}",
                "response": {"text": f"page {step} " * 10},
            }
        }
        for half in (0, 1)
    ]
    return {"role": "user", "parts": parts}


def exchange(history: list[str], step: int) -> Exchange:
    """The exchange of a step; `history` holds contents that are JSON already."""
    answer = json.dumps({"candidates": [{"content": content(step), "finishReason": "STOP", "index": 0}]})
    tools = json.dumps([{"functionDeclarations": [{"name": "look"}]}])
    body = f'{{"contents": [{", ".join(history)}], "tools": {tools}}}'
    return Exchange(
        Request("POST", f"/v1beta/models/{MODEL}:generateContent", body=body.encode()),
        Response(200, (("content-type", "application/json"),), (Chunk(5, answer.encode()),)),
        started_at=float(step),
        duration_ms=5,
    )


def main() -> None:
    """Print the figures."""
    cassette, judge = Cassette.temporary(), Judge()
    history = [json.dumps({"role": "user", "parts": [{"text": "Read the book."}]})]
    reading: list[float] = []
    checking: list[float] = []
    found = 0
    for step in range(1, STEPS + 1):
        item = exchange(history, step)
        began = time.perf_counter()
        entry = cassette.prepare(item)
        parsed = time.perf_counter()
        found += sum(violation.severity != "info" for violation in judge.judge(entry))
        checking.append(time.perf_counter() - parsed)
        reading.append(parsed - began)
        history += [json.dumps(content(step)), json.dumps(results(step))]
    assert not found, f"a faithful conversation has {found} violations"
    early, late = (statistics.median(checking[at - WINDOW : at]) * 1e6 for at in (200, STEPS))
    print(
        f"checks of a step: {early:.0f} us around step 200, {late:.0f} us around step {STEPS}, ratio {late / early:.2f}"
    )
    read = statistics.median(reading[-WINDOW:]) * 1e3
    print(f"parsing and interning the body at step {STEPS}: {read:.1f} ms")
    print(f"all checks of the conversation: {sum(checking):.2f} s of {sum(checking) + sum(reading):.2f} s")


if __name__ == "__main__":
    main()
