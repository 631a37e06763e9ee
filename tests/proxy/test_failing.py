"""What is said of a run whose exchanges all failed, and that nothing is said of others."""

from __future__ import annotations

import json

import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Exchange, Failure, Request, Response
from gemtape.proxy.failing import Failing
from tests.checks.helpers import entries
from tests.factories import answer_body, model_text, sse, unary

KEY = "AIzaSyA-1234567890abcdefghijklmnopqrstu"


def error(code: int, message: object) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "status": "X"}}


def refused(status: int, message: object) -> Response:
    return unary(error(status, message), status)


WELL = unary(answer_body(model_text("hi")))
WRONG_KEY = refused(401, "API key not valid.\n Pass a valid API key.")
TOO_MUCH = refused(429, "Retry in 31.7 s.")


def outcome(answer: Response | Failure | tuple[Response, Failure]) -> Entry:
    response, failure = answer if isinstance(answer, tuple) else (answer, None)
    if isinstance(response, Failure):
        response, failure = None, response
    request = Request("POST", "/v1beta/models/m:generateContent", upstream="https://api.example")
    [entry] = entries([Exchange(request, response, failure, 1.0, 2)])
    return entry


def said(*answers: Response | Failure | tuple[Response, Failure]) -> str:
    failing = Failing()
    for answer in answers:
        failing.note(outcome(answer))
    return failing.line()


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ([WRONG_KEY], "the only exchange failed: 401 API key not valid. Pass a valid API key."),
        ([WRONG_KEY] * 4, "all 4 exchanges failed: 401 API key not valid. Pass a valid API key."),
        ([WRONG_KEY, TOO_MUCH, TOO_MUCH], "all 3 exchanges failed, 2 of them: 429 Retry in 31.7 s."),
        ([TOO_MUCH, refused(429, "Retry in 9 s.")], "all 2 exchanges failed: 429 Retry in 31.7 s."),
        ([Failure.REFUSED] * 2, "all 2 exchanges failed: no connection (https://api.example)"),
        ([Failure.TIMEOUT], "the only exchange failed: timed out (https://api.example)"),
        (
            [(sse(answer_body(model_text("a"))), Failure.RESET)],
            "the only exchange failed: broken off (https://api.example)",
        ),
        ([sse(error(503, "Overloaded."))], "the only exchange failed: 503 Overloaded."),
        ([unary([error(400, "As a list.")], 400)], "the only exchange failed: 400 As a list."),
        ([unary("<html>", 404)], "the only exchange failed: 404 Not Found"),
        ([refused(403, 7)], "the only exchange failed: 403 Forbidden"),
        ([unary({}, 599)], "the only exchange failed: 599"),
        (
            [Failure.CLIENT_GONE, WRONG_KEY, WRONG_KEY],
            "2 of 3 exchanges failed: 401 API key not valid. Pass a valid API key.",
        ),
    ],
)
def test_what_went_wrong_most(answers: list[Response], line: str):
    assert said(*answers) == line


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [WELL],
        [WRONG_KEY, WELL, WRONG_KEY],
        [unary({}, 302), WRONG_KEY],
        [Failure.CLIENT_GONE],
        [(sse(answer_body(model_text("a"))), Failure.CLIENT_GONE)],
    ],
)
def test_nothing_is_said_where_something_succeeded_or_nobody_was_refused(answers: list[Response]):
    assert said(*answers) == ""


def test_message_is_cut_and_holds_nothing_that_harms():
    line = said(refused(400, f"\x1b[31m{'x' * 50} key={KEY} {'x' * 500}"))

    assert line.isprintable()
    assert len(line) < 250
    assert line.endswith("x…")
    assert KEY not in line
    assert KEY[:20] not in line


def test_the_error_of_a_chat_completion_is_told():
    body = json.dumps([error(400, "Please pass a valid API key.")]).encode()
    request = Request("POST", "/v1beta/openai/chat/completions", body=b'{"messages": []}')
    failing = Failing()
    failing.note(*entries([Exchange(request, unary(json.loads(body), 400), None, 1.0, 2)]))

    assert failing.line() == "the only exchange failed: 400 Please pass a valid API key."
