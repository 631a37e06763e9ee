"""An exchange as checks, matching and reports see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Exchange, Failure, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from tests.factories import call, calls, exchange, model_text, user


def prepared(item: Exchange) -> Entry:
    return entry_of(item, Redactor(), TurnTree())


@pytest.mark.parametrize(
    ("path", "body", "model"),
    [
        ("/v1/models/gemini-3:generateContent", {"model": "models/other"}, "gemini-3"),
        (
            "/v1internal:generateContent",
            {"model": "gemini-3", "request": {"contents": [user("a")]}},
            "gemini-3",
        ),
        (
            "/v1/openai/chat/completions",
            {"model": "models/gemini-3", "messages": [{"role": "user"}]},
            "gemini-3",
        ),
        ("/v1beta/cachedContents", {"model": "models/gemini-3"}, "gemini-3"),
        ("/v1beta/cachedContents", {"model": 3}, ""),
        ("/v1beta/cachedContents", [], ""),
        ("/v1beta/files", None, ""),
    ],
)
def test_model(path: str, body: Any, model: str):
    assert prepared(Exchange(Request("POST", path, body=json.dumps(body).encode()))).model == model


def test_body_is_the_stored_form():
    body = b'{ "tools": [ {} ], "contents": [{"parts": [], "a": 1.50}] }'

    assert (
        prepared(Exchange(Request("POST", "/", body=body))).body()
        == b'{"contents":[{"a":1.5,"parts":[]}],"tools":[{}]}'
    )


def test_answer_is_folded():
    entry = prepared(exchange([user("a")], calls(call("f", {"x": 1}))))

    assert entry.answer.calls == [{"name": "f", "args": {"x": 1}}]
    assert entry.route.generates


def test_status_and_times():
    entry = prepared(exchange([user("a")], model_text("b"), at=5.0))

    assert entry.status == 200
    assert entry.ended_at == 5.02
    assert prepared(Exchange(Request("GET", "/"), failure=Failure.REFUSED)).status == 0


def test_numbered_entry_is_the_same_and_folds_no_answer_again():
    entry = prepared(exchange([user("a")], model_text("b")))
    route, answer = entry.route, entry.answer

    numbered = entry.numbered(7)

    assert (numbered.number, entry.number) == (7, 0)
    assert numbered == entry
    assert numbered.answer is answer
    assert numbered.route is route


def test_size_counts_both_bodies():
    entry = prepared(exchange([user("a")], model_text("b")))

    assert entry.response is not None
    assert entry.size == len(entry.body()) + len(entry.response.body)
