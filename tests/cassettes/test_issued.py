"""Which names of files, caches, operations and interactions an answer issued, and which a request holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.issued import names_held, names_issued
from gemtape.cassettes.models import Exchange, Request, Response
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from tests.chats import chat_exchange
from tests.factories import call, calls, exchange, model_text, result, results, unary, user

HOST = "https://generativelanguage.googleapis.com/v1beta/"
VERTEX = "projects/p/locations/l/publishers/google/models/veo"


def entry(item: Exchange) -> Entry:
    return entry_of(item, Redactor(), TurnTree())


def asked(path: str, body: Any = None, response: Response | None = None, method: str = "POST") -> Entry:
    data = b"" if body is None else json.dumps(body).encode()
    return entry(Exchange(Request(method, path, body=data), response))


@pytest.mark.parametrize(
    ("path", "answer", "names"),
    [
        ("/upload/v1beta/files", {"file": {"name": "files/a", "uri": HOST + "files/a"}}, {"files/a"}),
        ("/v1beta/cachedContents", {"name": "cachedContents/c-1"}, {"cachedContents/c-1"}),
        ("/v1beta/models/veo:predictLongRunning", {"name": "models/veo/operations/o"}, {"operations/o"}),
        (f"/v1/{VERTEX}:predictLongRunning", {"name": f"{VERTEX}/operations/o"}, {"operations/o"}),
        ("/v1beta/models/m:batchGenerateContent", {"name": "batches/b"}, {"batches/b"}),
        ("/v1beta/interactions", {"id": "v1_x", "outputs": []}, {"interactions/v1_x"}),
        ("/v1beta/models/m:countTokens", {"totalTokens": 3}, set()),
    ],
)
def test_answer_issues_the_names_in_it(path: str, answer: Any, names: set[str]):
    assert names_issued(asked(path, {}, unary(answer))) == names


def test_neither_an_error_nor_what_a_model_says_issues_a_name():
    missing = unary({"error": {"code": 404, "message": "no files/a", "status": "NOT_FOUND"}}, 404)

    assert names_issued(asked("/v1beta/files/a", None, missing, "GET")) == set()
    assert names_issued(entry(exchange([user("hi")], model_text("see files/a")))) == set()
    assert names_issued(asked("/v1beta/files", {})) == set()


@pytest.mark.parametrize(
    ("path", "body", "names"),
    [
        ("/v1beta/files/a", None, {"files/a"}),
        ("/v1beta/files/a:download", None, {"files/a"}),
        ("/v1beta/models/veo/operations/o", None, {"operations/o"}),
        ("/v1beta/files", None, set()),
        (
            f"/v1/{VERTEX}:fetchPredictOperation",
            {"operationName": f"{VERTEX}/operations/o"},
            {"operations/o"},
        ),
        ("/v1beta/interactions", {"previous_interaction_id": "v1_x", "input": "and?"}, {"interactions/v1_x"}),
        ("/v1beta/interactions", {"input": [{"type": "image", "uri": HOST + "files/a"}]}, {"files/a"}),
        (
            "/v1beta/models/m:batchGenerateContent",
            {"batch": {"inputConfig": {"fileName": "files/a"}}},
            {"files/a"},
        ),
        ("/v1beta/models/m:embedContent", {"content": {"parts": [{"text": "files/a"}]}}, set()),
    ],
)
def test_request_holds_the_names_in_its_path_and_its_body(path: str, body: Any, names: set[str]):
    assert names_held(asked(path, body)) == names


def test_prompt_holds_names_only_where_the_api_looks_for_them():
    file = {"fileData": {"fileUri": HOST + "files/a", "mimeType": "text/plain"}}
    prompt = {"role": "user", "parts": [file, {"text": "files/b"}]}
    step = [
        calls(call("f", {"fileUri": "files/c"})),
        results(result("f", {"cachedContent": "cachedContents/d"})),
    ]

    held = names_held(entry(exchange([prompt, *step], cachedContent="cachedContents/e")))

    assert held == {"files/a", "cachedContents/e"}


def test_bytes_of_an_upload_hold_no_name():
    upload = Request("POST", "/upload/v1beta/files", "upload_id=x", body=b"\xff files/a cachedContents/b")

    assert names_held(entry(Exchange(upload))) == set()


def test_chat_completion_holds_a_name_where_it_names_a_file_or_a_cache():
    said = [{"type": "text", "text": "files/a"}, {"type": "file", "file": {"file_id": "files/b"}}]
    cached = {"google": {"cached_content": "cachedContents/c"}}
    item = chat_exchange(
        [{"role": "user", "content": said}, {"role": "user", "content": "files/d"}], extra_body=cached
    )

    assert names_held(entry(item)) == {"files/b", "cachedContents/c"}
