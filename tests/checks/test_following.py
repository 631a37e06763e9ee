"""Which recorded exchange a request goes on from: by what it brings back, else by the client's own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from gemtape.checks import following as module
from gemtape.checks.following import Following
from tests.factories import call, calls, exchange, model_text, result, results, unary, user

ANSWER = results(result("f", {"ok": True}))


def signed(signature: str) -> dict[str, Any]:
    return calls(call("f", signature=signature))


class Followed:
    """Exchanges as a cassette hands them over, and requests as a proxy has them before they are sent."""

    def __init__(self, *recorded: Exchange) -> None:
        self.following = Following()
        self._turns = TurnTree()
        self._count = 0
        for item in recorded:
            self.note(item)

    def note(self, item: Exchange) -> None:
        self._count += 1
        self.following.note(self._entry(item).numbered(self._count))

    def number(self, contents: Any, **more: Any) -> int:
        """The exchange that a request goes on from, 0 for none."""
        return self.asked(exchange(contents, **more))

    def asked(self, item: Exchange) -> int:
        record = self.following.goes_on_from(self._entry(Exchange(item.request)))
        return record.number if record else 0

    def _entry(self, item: Exchange) -> Entry:
        return entry_of(item, Redactor(), self._turns)


def test_first_request_goes_on_from_nothing_however_often_it_is_asked():
    followed = Followed(exchange([user("a")], model_text("b")))

    assert followed.number([user("a")]) == 0
    assert followed.number([user("other")]) == 0


def test_history_of_another_place_goes_on_from_nothing():
    followed = Followed(exchange([user("a")], model_text("b")))

    assert followed.number([user("x"), model_text("y"), user("z")]) == 0


@pytest.mark.parametrize("order", [("AAAA", "BBBB"), ("BBBB", "AAAA")])
def test_signature_tells_which_of_two_equal_beginnings_it_is(order: tuple[str, str]):
    followed = Followed(*(exchange([user("a")], signed(signature)) for signature in order))

    found = {signature: followed.number([user("a"), signed(signature), ANSWER]) for signature in order}

    assert found == {order[0]: 1, order[1]: 2}


def test_client_that_lost_the_answer_is_known_by_its_own_words():
    """Also where an earlier run brought the answer back."""
    answer = model_text("a long answer to it")
    followed = Followed(
        exchange([user("a")], answer), exchange([user("a"), answer, user("b")], model_text("c"), at=2.0)
    )

    assert followed.number([user("a"), user("and then?")]) == 1


def test_equal_answers_without_a_mark_belong_to_the_agent_that_asks():
    """Also where the same history was seen before the second of them came."""
    tidy, terse = (
        {"systemInstruction": {"parts": [{"text": words}]}} for words in ("be tidy", "few words, please")
    )
    followed = Followed(exchange([user("hello")], model_text("Hi!"), **tidy))
    history = [user("hello"), model_text("Hi!"), user("next")]
    assert followed.number(history, **tidy) == 1
    followed.note(exchange(history, model_text("Yes?"), at=3.0, **tidy))
    followed.note(exchange([user("hello")], model_text("Hi!"), at=5.0, **terse))

    for _ in range(2):
        assert followed.number(history, **terse) == 3
        assert followed.number(history, **tidy) == 1


@pytest.mark.parametrize("lost", [False, True], ids=["returned", "lost"])
@pytest.mark.parametrize(
    "other",
    [
        {"generationConfig": {"temperature": 0.1}},
        {"tools": [{"functionDeclarations": [{"name": "f", "description": "said anew"}]}]},
        {"path": "/v1beta/models/gemini-3-pro-preview:streamGenerateContent"},
    ],
    ids=["settings", "declaration", "stream"],
)
def test_equal_answers_without_a_mark_belong_to_the_request_that_was_made_alike(
    other: dict[str, Any], lost: bool
):
    """Whichever of them is the newer one."""
    plain: dict[str, Any] = {"tools": [{"functionDeclarations": [{"name": "f", "description": "said"}]}]}
    followed = Followed()
    for at, settings in enumerate((plain, plain | other, plain), 1):
        followed.note(exchange([user("hello")], model_text("Hi!"), at=float(at), **settings))
    history = [user("hello"), *([] if lost else [model_text("Hi!")]), user("next")]

    assert [followed.number(history, **settings) for settings in (plain, plain | other)] == [3, 2]


def test_agents_without_number_are_followed_one_by_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_MOST", 2)
    clocks = [{"systemInstruction": {"parts": [{"text": f"it is {hour} o'clock"}]}} for hour in range(5)]
    followed = Followed(exchange([user("hello")], model_text("Hi!"), **clocks[0]))

    found = [followed.number([user("hello"), model_text("Hi!"), user("next")], **clock) for clock in clocks]

    assert found == [1] * 5


def test_conversation_is_all_that_goes_on_from_one_another():
    history = [user("a"), model_text("b"), user("c")]
    followed = Followed(
        exchange(history[:1], model_text("b")),
        exchange([user("other")], model_text("d"), at=2.0),
        exchange(history, model_text("e"), at=3.0),
    )

    found = [followed.following.conversation_of(number) for number in (1, 2, 3)]

    assert found == [{1, 3}, {2}, {1, 3}]


def test_what_is_no_conversation_goes_on_from_nothing():
    followed = Followed(exchange([user("a")], signed("AAAA")))

    path = "/v1beta/models/gemini-3-pro-preview:countTokens"
    assert followed.number([user("a"), signed("AAAA"), ANSWER], path=path) == 0


def test_chat_completion_goes_on_from_the_one_whose_words_it_has():
    def chat(*messages: dict[str, Any]) -> Exchange:
        body = json.dumps({"model": "gemini-3-pro-preview", "messages": messages}).encode()
        answer = unary(
            {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
        )
        return Exchange(Request("POST", "/v1beta/openai/chat/completions", body=body), answer, None, 1.0, 20)

    hello, hi = {"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}
    followed = Followed(chat(hello))

    assert followed.asked(chat(hello, hi, {"role": "user", "content": "next"})) == 1
    assert followed.asked(chat(hello)) == 0
