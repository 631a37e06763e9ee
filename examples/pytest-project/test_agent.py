"""Played from the cassettes beside this file: no key, no network, the same answers every time."""

import asyncio

import pytest
from agent import answer, answer_async

pytestmark = pytest.mark.gemtape


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(("order", "words"), [("ORD-100", "delivered"), ("ORD-101", "transit")])
def test_says_where_an_order_is(order: str, words: str) -> None:
    assert words in answer(f"Where is my order {order}?")


def test_does_not_make_up_an_order(gemtape) -> None:
    assert "no order ORD-999" in answer("Where is my order ORD-999?")

    looked_up, told = gemtape.exchanges
    assert "functionResponse" not in str(looked_up.request.json)
    assert "there is no order ORD-999" in str(told.request.json)


@pytest.mark.anyio
async def test_answers_two_customers_at_once() -> None:
    questions = [f"When does {order} arrive?" for order in ("ORD-101", "ORD-100")]
    first, second = await asyncio.gather(*map(answer_async, questions))

    assert "May 9" in first
    assert "May 2" in second
