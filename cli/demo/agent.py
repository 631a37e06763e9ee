"""A small tool-calling agent in plain httpx: it refunds orders. Two switches break it the way real clients break.

The good agent keeps the model's content as it came. `rebuilds` puts the parts together again from name and arguments,
so the thought signature is lost; `trims` drops the model's turn from the history before it answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import httpx

MODEL: Final = "gemini-3-pro-preview"
PROMPT: Final = "Refund ORD-100 and ORD-101 in full."
INSTRUCTION: Final = "Help customers with refunds. Always look an order up before you refund it."
_MAX_STEPS: Final = 8
_ORDERS: Final = {
    "ORD-100": {"state": "delivered", "totalCents": 4599, "deliveredAt": "2026-05-02"},
    "ORD-101": {"state": "delivered", "totalCents": 1250, "deliveredAt": "2026-05-04"},
}
_ORDER_ID: Final = {"type": "STRING", "description": "Order id, such as ORD-12345"}
TOOLS: Final = [
    {
        "functionDeclarations": [
            {
                "name": "lookupOrder",
                "description": "Look up one order by its id. Returns its state and its total in cents.",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {"orderId": _ORDER_ID},
                    "required": ["orderId"],
                },
            },
            {
                "name": "refundOrder",
                "description": "Refund a delivered order. Amounts are in cents, at most the order's total.",
                "parameters": {
                    "type": "OBJECT",
                    "properties": {
                        "orderId": _ORDER_ID,
                        "amountCents": {"type": "INTEGER", "description": "A positive amount in cents"},
                    },
                    "required": ["orderId", "amountCents"],
                },
            },
        ]
    }
]


class ApiError(Exception):
    """The API refused a request; the message is the API's own, `status` its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Agent:
    """One way of running the conversation."""

    base_url: str
    key: str
    model: str = MODEL
    rebuilds: bool = False
    trims: bool = False

    def run(self, say: Callable[[str], None]) -> str:
        """Run until the model answers with text; `say` gets a line for every call.

        Returns:
            The text.

        Raises:
            ApiError: the API refused a request.
            httpx.HTTPError: it could not be reached.
        """
        contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": PROMPT}]}]
        with httpx.Client(base_url=self.base_url, timeout=120, trust_env=False) as client:
            for _ in range(_MAX_STEPS):
                content = self._ask(client, contents)
                calls = [part["functionCall"] for part in content.get("parts", []) if "functionCall" in part]
                if not calls:
                    return "".join(part.get("text", "") for part in content.get("parts", []))
                for call in calls:
                    say(
                        f"{call['name']}({', '.join(f'{key}={value}' for key, value in call['args'].items())})"
                    )
                if self.rebuilds:
                    content = {"role": "model", "parts": [{"functionCall": call} for call in calls]}
                if not self.trims:
                    contents.append(content)
                contents.append({"role": "user", "parts": [_response(call) for call in calls]})
        raise ApiError(0, f"no final answer after {_MAX_STEPS} steps")

    def _ask(self, client: httpx.Client, contents: list[dict[str, Any]]) -> dict[str, Any]:
        body = {
            "contents": contents,
            "systemInstruction": {"parts": [{"text": INSTRUCTION}]},
            "tools": TOOLS,
            "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
            "generationConfig": {"temperature": 0},
        }
        answer = client.post(
            f"/v1beta/models/{self.model}:generateContent", json=body, headers={"x-goog-api-key": self.key}
        )
        if answer.status_code != 200:
            raise ApiError(answer.status_code, _error_message(answer))
        return answer.json()["candidates"][0]["content"]


def run_tool(name: str, args: dict[str, Any]) -> dict[str, Any]:
    """The shop's side: what `lookupOrder` and `refundOrder` return; errors are data, for the model to read."""
    order = _ORDERS.get(args.get("orderId", ""))
    if order is None:
        return {"status": "error", "message": f"no order {args.get('orderId')!r}"}
    if name == "lookupOrder":
        return {"status": "ok", **order}
    if name == "refundOrder":
        if not 0 < args.get("amountCents", 0) <= order["totalCents"]:
            return {"status": "error", "message": "the amount must be positive and at most the order's total"}
        return {"status": "ok", "refundId": f"RF-{args['orderId'].removeprefix('ORD-')}"}
    return {"status": "error", "message": f"no function {name!r}"}


def _response(call: dict[str, Any]) -> dict[str, Any]:
    response = {"name": call["name"], "response": run_tool(call["name"], call.get("args", {}))}
    return {"functionResponse": {"id": call["id"], **response} if "id" in call else response}


def _error_message(answer: httpx.Response) -> str:
    try:
        return answer.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return answer.text
