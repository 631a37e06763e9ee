"""Answers of our own have Google's shape, also where mitmproxy writes them."""

from __future__ import annotations

import inspect
import json
from contextvars import copy_context

import pytest
from mitmproxy.proxy.layers.http import _http1

from gemtape.proxy.errors import Refused, error_page, explain, install


def parts(page: bytes) -> tuple[bytes, dict[str, str], dict]:
    head, _, body = page.partition(b"\r\n\r\n")
    line, *fields = head.split(b"\r\n")
    return line, dict(field.decode().lower().split(": ", 1) for field in fields), json.loads(body)["error"]


def test_refusal_is_not_worth_a_retry():
    answer = Refused(412, "disk full").response()

    assert answer.status_code == 412
    assert answer.headers["x-should-retry"] == "false"
    assert answer.headers["content-type"] == "application/json; charset=UTF-8"
    assert answer.json()["error"] == {
        "code": 412,
        "message": "gemtape: disk full",
        "status": "FAILED_PRECONDITION",
    }


@pytest.mark.parametrize(("status", "retry"), [(400, "false"), (413, "false"), (502, None)])
def test_page_is_a_whole_answer(status, retry):
    line, headers, error = parts(error_page(status, "no"))

    assert line.startswith(b"HTTP/1.1 %d " % status)
    assert headers["connection"] == "close"
    assert int(headers["content-length"]) > 0
    assert headers.get("x-should-retry") == retry
    assert (error["code"], error["message"]) == (status, "gemtape: no")


def test_page_says_what_the_hook_explained_and_only_there():
    def hook_and_page() -> bytes:
        explain(504, "no answer within 3 seconds")
        return error_page(502, "server closed connection")

    line, _, error = parts(copy_context().run(hook_and_page))

    assert line.startswith(b"HTTP/1.1 504 ")
    assert error["message"] == "gemtape: no answer within 3 seconds"
    assert parts(error_page(502, "other"))[2]["message"] == "gemtape: other"


def test_page_quotes_no_key():
    page = error_page(400, "Bad HTTP request line: b'GET /?key=SECRET HTTP/1.1'")

    assert b"SECRET" not in page
    assert b"Bad HTTP request line" in page


def test_mitmproxy_still_writes_its_pages_where_ours_take_their_place():
    """Private ground: a mitmproxy that moves it has to be noticed here, not by a user who gets HTML."""
    assert list(inspect.signature(_http1.make_error_response).parameters) == ["status_code", "message"]
    assert "make_error_response(" in inspect.getsource(_http1.Http1Server)
    original = _http1.make_error_response

    undo = install()
    assert _http1.make_error_response is error_page
    undo()

    assert _http1.make_error_response is original
    assert b"text/html" in original(502, "x")
