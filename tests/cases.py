"""Lint cases: small recorded conversations with what the checks must find in them, and what they must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gemtape.cassettes.models import Chunk, Exchange, Request, Response

CASES = Path(__file__).parent / "data" / "cases"

CATEGORIES = {
    "missing-signature": {"missing-signature", "dropped-signature"},
    "altered-signature": {"altered-signature", "foreign-signature", "bypassed-signature"},
    "misplaced-signature": {"moved-signature"},
    "pairing": {
        "unanswered-call",
        "orphan-response",
        "split-responses",
        "mismatched-id",
        "missing-id",
        "duplicate-id",
        "mismatched-name",
        "reordered-responses",
    },
    "dropped-turn": {"dropped-model-turn"},
    "altered-turn": {"altered-model-turn"},
    "role-order": {"wrong-start", "trailing-model-turn", "wrong-role", "misplaced-part", "mixed-response"},
    "declaration": {"duplicate-declaration", "invalid-declaration", "vague-declaration", "undeclared-call"},
    "arguments": {"malformed-part", "invalid-arguments"},
    "mode": {"unusable-allowed-names", "conflicting-config", "endless-any"},
    "other": {"empty-content"},
}
NEVER_COUNTED = {
    "rejected-request",
    "failed-finish",
    "oversized-result",
    "leaked-error",
    "leaked-secret",
    "repeated-side-effect",
    "unvalidated-call",
    "premature-response",
    "out-of-order-call",
    "declaration-drift",
    "result-drift",
}


def category_of(rule: str) -> str:
    """The category of a rule; the empty string for rules that cases never count."""
    return next((name for name, rules in CATEGORIES.items() if rule in rules), "")


def load_case(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def case_exchanges(case: dict[str, Any]) -> list[Exchange]:
    """The exchanges of a case, one second apart."""
    return [_exchange(case, item, float(at)) for at, item in enumerate(case["exchanges"], 1)]


def _exchange(case: dict[str, Any], item: dict[str, Any], started_at: float) -> Exchange:
    wrapped = case["surface"] == "code-assist" and "path" not in item
    chat = case["surface"] == "openai"
    streamed = isinstance(item["response"], list) and not (chat and "status" in item)
    default = "/v1beta/openai/chat/completions" if chat else f"/v1beta/models/{case['model']}:generateContent"
    path = item.get("path") or ("/v1internal:generateContent" if wrapped else default)
    body = {"model": case["model"], "request": item["request"]} if wrapped else item["request"]
    answers = item["response"] if streamed else [item["response"]]
    if wrapped:
        answers = [{"response": answer} if "error" not in answer else answer for answer in answers]
    if streamed:
        end = b"data: [DONE]\n\n" if chat else b""
        data = b"".join(b"data: " + json.dumps(answer).encode() + b"\r\n\r\n" for answer in answers) + end
        content_type = "text/event-stream"
    else:
        answer = item["response"] if chat else answers[0]
        data, content_type = json.dumps(answer).encode(), "application/json; charset=UTF-8"
    return Exchange(
        Request("POST", path, "alt=sse" if streamed and not chat else "", (), json.dumps(body).encode()),
        Response(item.get("status", 200), (("content-type", content_type),), (Chunk(5, data),)),
        started_at=started_at,
        duration_ms=10,
    )
