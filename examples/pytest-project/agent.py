"""A small support agent in plain httpx: it looks orders up, and answers in a sentence."""

from __future__ import annotations

import os
from typing import Any

import httpx

MODEL = "gemini-3-pro-preview"
PROMPT = "You answer customers who ask about their orders. Look an order up before you say anything about it."
TOOLS = [
    {
        "functionDeclarations": [
            {
                "name": "lookup_order",
                "description": "Look up one order by its id.",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {"order_id": {"type": "STRING", "description": "Such as ORD-100"}},
                    "required": ["order_id"],
                },
            }
        ]
    }
]
ORDERS = {
    "ORD-100": {"state": "delivered", "on": "2026-05-02"},
    "ORD-101": {"state": "in transit", "expected": "2026-05-09"},
}
GOOGLE = "https://generativelanguage.googleapis.com"
PATH = f"/v1beta/models/{MODEL}:generateContent"


def lookup_order(order_id: str) -> dict[str, Any]:
    """What the shop knows of an order."""
    return ORDERS.get(order_id) or {"error": f"there is no order {order_id}"}


def answer(question: str) -> str:
    """Answer a customer."""
    contents = [_asked(question)]
    with httpx.Client(**_options()) as client:
        while True:
            content = _content(client.post(PATH, json=_body(contents)))
            if text := _next(contents, content):
                return text


async def answer_async(question: str) -> str:
    """The same for programs that answer many at once."""
    contents = [_asked(question)]
    async with httpx.AsyncClient(**_options()) as client:
        while True:
            content = _content(await client.post(PATH, json=_body(contents)))
            if text := _next(contents, content):
                return text


def _options() -> dict[str, Any]:
    # Read when the client is made, not when this module is imported: a test sets them.
    url = os.environ.get("GOOGLE_GEMINI_BASE_URL", GOOGLE)
    return {"base_url": url, "headers": {"x-goog-api-key": os.environ["GEMINI_API_KEY"]}, "timeout": 60}


def _asked(question: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": question}]}


def _body(contents: list[dict[str, Any]]) -> dict[str, Any]:
    return {"systemInstruction": {"parts": [{"text": PROMPT}]}, "contents": contents, "tools": TOOLS}


def _content(response: httpx.Response) -> dict[str, Any]:
    if response.is_error:
        raise RuntimeError(response.json()["error"]["message"])
    return response.json()["candidates"][0]["content"]


def _next(contents: list[dict[str, Any]], content: dict[str, Any]) -> str:
    """Run the calls of an answer; its text where there are none. The answer goes back as it came, signatures and all."""
    contents.append(content)
    calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
    if not calls:
        return "".join(part.get("text", "") for part in content["parts"])
    parts = [{"functionResponse": {**call, "response": lookup_order(**call["args"])}} for call in calls]
    for part in parts:
        del part["functionResponse"]["args"]
    contents.append({"role": "user", "parts": parts})
    return ""
