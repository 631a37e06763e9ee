"""Of a history that is sent again, only what is new is searched, and what comes out is as if all of it were."""

from __future__ import annotations

import gc
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.sent import SentHistory
from gemtape.cassettes.shapes import Shapes
from gemtape.cassettes.turns import TurnTree
from tests.factories import model_text, user

KEY = "AIza" + "FAKE_key-0" * 3 + "12345"
PATH = "/v1beta/models/m:generateContent"


class CountingShapes(Shapes):
    """Counts the bytes and characters that are searched."""

    searched = 0

    def may_be_in(self, data: bytes) -> bool:
        self.searched += len(data)
        return super().may_be_in(data)

    def spans(self, text: str) -> list[tuple[int, int]]:
        self.searched += len(text)
        return super().spans(text)


class CountingRedactor(Redactor):
    def __init__(self) -> None:
        super().__init__()
        self.shapes = self._shapes = CountingShapes()


def prepared(body: Any, tree: TurnTree, redactor: Redactor | None = None) -> Entry:
    request = Request("POST", PATH, body=json.dumps(body).encode())
    return entry_of(Exchange(request), redactor or Redactor(), tree)


def conversation(steps: int, secret: str = "") -> list[Any]:
    history: list[Any] = [user(f"begin {secret}")]
    for step in range(steps):
        history += [model_text(f"answer {step} " * 20), user(f"question {step} " * 20)]
    return history


def test_secret_in_an_old_content_stays_out_at_each_step():
    history, tree = conversation(20, KEY), TurnTree()
    for end in range(1, len(history) + 1):
        entry = prepared({"contents": history[:end]}, tree)
        assert KEY.encode() not in entry.body()
        assert entry.layout.history.values() == [user("begin REDACTED"), *history[1:end]]
        assert entry.raw_body is None


def searched_at(step: int, secret: str) -> int:
    """What is searched when the last step of a conversation is sent after all those before."""
    history, tree, redactor = conversation(step, secret), TurnTree(), CountingRedactor()
    for end in range(1, len(history), 2):
        prepared({"contents": history[:end]}, tree, redactor)
    redactor.shapes.searched = 0
    prepared({"contents": history}, tree, redactor)
    return redactor.shapes.searched


def test_known_contents_are_not_searched_again():
    for secret in ("", KEY):
        assert 100 < searched_at(10, secret) <= searched_at(99, secret) < searched_at(10, secret) + 50


def test_whole_history_that_comes_again_is_not_searched():
    history, tree, redactor = conversation(20, KEY), TurnTree(), CountingRedactor()
    first = prepared({"contents": history, "labels": {}}, tree, redactor)
    redactor.shapes.searched = 0
    again = prepared({"contents": history, "labels": {}}, tree, redactor)

    assert again.layout.history is first.layout.history
    assert again.exchange() == first.exchange()
    assert redactor.shapes.searched < 100


def test_secret_that_goes_on_in_a_new_content_of_the_same_role_is_found():
    """The content before it is known, and on its own it is no secret."""
    tree = TurnTree()
    begin = [user("go"), model_text(f"the key is {KEY[:20]}")]
    assert prepared({"contents": begin}, tree).layout.history.values() == begin

    for _ in range(2):
        whole = prepared({"contents": [*begin, model_text(f"{KEY[20:]} it is")]}, tree)
        assert whole.layout.history.values() == [
            user("go"),
            model_text("the key is REDACTED"),
            model_text(" it is"),
        ]
        assert prepared({"contents": begin}, tree).layout.history.values() == begin


def test_two_secrets_that_leave_the_same_content_go_on_apart():
    """What follows the one may go on with it, and what follows the other may not."""
    tree = TurnTree()
    for secret, kept in (
        ("AQ." + "a" * 20, "bcd"),
        ("AIza" + "a" * 35 + " ", "bcd"),
        ("AQ." + "a" * 25, "bcd"),
    ):
        history = [user(secret), user(kept)]
        entry = prepared({"contents": history}, tree)
        assert (
            entry.layout.history.values()
            == prepared({"contents": history}, TurnTree()).layout.history.values()
        )


def test_what_one_redactor_searched_another_searches_anew():
    tree, history = TurnTree(), conversation(3, "my-own-secret")
    assert prepared({"contents": history}, tree).layout.history.values() == history
    assert b"my-own" not in prepared({"contents": history}, tree, Redactor(["my-own-secret"])).body()


def test_turns_that_were_let_go_are_not_held():
    tree = TurnTree()
    entry = prepared({"contents": [user("a"), user("b")]}, tree)
    sent = SentHistory.of({"contents": [user("a"), user("b")]}, Redactor().tag())
    assert sent is not None
    assert sent.known(tree) is entry.layout.history

    entry.layout.history.detach()
    assert sent.known(tree).depth == 0
    del entry
    gc.collect()
    assert len(tree.sent) == 0


def test_an_integer_that_no_layout_can_hold_keeps_the_bytes_without_their_secret():
    tree = TurnTree()
    history = [user(KEY), {"role": "model", "parts": [{"text": "x", "n": 123456789012345678901}]}, user("b")]
    for end in (1, 2, 3, 3):
        entry = prepared({"contents": history[:end]}, tree)
        assert (entry.raw_body is None) == (end == 1)
        assert KEY.encode() not in entry.body()


PIECES = st.sampled_from(
    ["", "x", KEY, KEY[:20], KEY[20:], "AIza", "AQ." + "q" * 20, "q1", "\\u0041" + KEY[1:]]
)
CONTENTS = st.one_of(
    st.builds(
        lambda role, texts: {"role": role, "parts": [{"text": text} for text in texts]},
        st.sampled_from(["user", "model", None]),
        st.lists(PIECES, max_size=2),
    ),
    PIECES,
    st.builds(lambda text: {"role": "tool", "content": text}, PIECES),
)
BODIES = st.builds(
    lambda wrapped, key, history, text: (
        {"request": {key: history, "x": text}} if wrapped else {key: history, "x": text}
    ),
    st.booleans(),
    st.sampled_from(["contents", "messages"]),
    st.lists(CONTENTS, max_size=5),
    PIECES,
)


@given(st.lists(BODIES, max_size=4), st.randoms(use_true_random=False))
def test_what_is_known_makes_no_difference(bodies: list[Any], source: Any):
    """Each body is taken apart as it would be on its own, whatever was sent before: its beginnings among them."""
    tree = TurnTree()
    for body in bodies:
        inner = body.get("request", body)
        key = "contents" if "contents" in inner else "messages"
        for end in sorted(source.sample(range(len(inner[key]) + 1), k=source.randint(0, len(inner[key])))):
            begin = {**inner, key: inner[key][:end]}
            sent = {"request": begin} if "request" in body else begin
            alone, among = prepared(sent, TurnTree()), prepared(sent, tree)
            assert among.body() == alone.body()
            assert among.layout.history.values() == alone.layout.history.values()
            assert among.layout.contents_at == alone.layout.contents_at
            assert KEY.encode() not in among.body()
