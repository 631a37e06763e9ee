"""The demo's agent and its shop, against a scripted API."""

from __future__ import annotations

import json

import pytest

from gemtape.cli.demo.agent import PROMPT, Agent, ApiError, run_tool
from tests.factories import SIGNATURE, answer_body, call, calls, model_text
from tests.upstream import Upstream, unary

LOOKUP = calls(call("lookupOrder", {"orderId": "ORD-100"}, signature=SIGNATURE, id="a1"))


def _contents(upstream: Upstream, request: int) -> list[dict]:
    return json.loads(upstream.requests[request].body)["contents"]


@pytest.fixture
def upstream():
    with Upstream() as server:
        server.answers.extend(
            unary(json.dumps(answer_body(item)).encode()) for item in (LOOKUP, model_text("Done."))
        )
        yield server


def test_the_good_agent_keeps_the_model_content_and_answers_each_call(upstream: Upstream):
    said: list[str] = []

    text = Agent(upstream.url, "k").run(said.append)

    assert (text, said) == ("Done.", ["lookupOrder(orderId=ORD-100)"])
    prompt, model, answers = _contents(upstream, 1)
    assert (prompt["parts"][0]["text"], model) == (PROMPT, LOOKUP)
    assert answers["parts"][0]["functionResponse"]["id"] == "a1"


def test_the_rebuilding_agent_loses_the_signature(upstream: Upstream):
    Agent(upstream.url, "k", rebuilds=True).run(lambda _: None)

    assert "thoughtSignature" not in json.dumps(_contents(upstream, 1))


def test_the_trimming_agent_loses_the_model_turn(upstream: Upstream):
    Agent(upstream.url, "k", trims=True).run(lambda _: None)

    assert [content["role"] for content in _contents(upstream, 1)] == ["user", "user"]


def test_an_error_carries_status_and_message():
    refusing = unary(b'{"error": {"code": 429, "message": "slow down"}}', 429)

    with Upstream(refusing) as server, pytest.raises(ApiError, match="slow down") as caught:
        Agent(server.url, "k").run(lambda _: None)

    assert caught.value.status == 429


@pytest.mark.parametrize(
    ("name", "args", "status"),
    [
        ("lookupOrder", {"orderId": "ORD-100"}, "ok"),
        ("lookupOrder", {"orderId": "ORD-9"}, "error"),
        ("refundOrder", {"orderId": "ORD-101", "amountCents": 1250}, "ok"),
        ("refundOrder", {"orderId": "ORD-101", "amountCents": 1251}, "error"),
        ("refundOrder", {"orderId": "ORD-101", "amountCents": 0}, "error"),
        ("dropTables", {"orderId": "ORD-101"}, "error"),
    ],
)
def test_the_shop_returns_errors_as_data(name: str, args: dict, status: str):
    assert run_tool(name, args)["status"] == status
