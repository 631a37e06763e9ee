"""A request that came the wrong way is told what its sender has to change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.advice import BARE_POST
from gemtape.cassettes.astray import misspelled, wants_websocket, without_api, wrong_at_google
from gemtape.cassettes.canonical import NOT_JSON

GENAI = "google-genai-sdk/3.6.1 gl-python/3.11.0"


@pytest.mark.parametrize(
    ("path", "upgrade", "wants"),
    [
        ("/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent", "websocket", True),
        ("/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent", None, True),
        ("/refunds/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent", None, True),
        ("/v1beta/interactions/live", "WebSocket", True),
        ("/v1beta/models/m:bidiGenerateContent", None, True),
        ("/v1beta/models/m%3AbidiGenerateContent", None, True),
        ("/v1alpha/models/m:BidiGenerateMusic", None, True),
        ("/v1beta/models/m:generateContent", None, False),
        ("/v1beta/models/m:generateContent", "h2c", False),
        ("/v1beta/models/bidiGenerateContent", None, False),
        ("/v1beta/files/ws", "", False),
    ],
)
def test_live_api(path: str, upgrade: str | None, wants: bool):
    assert wants_websocket(path, upgrade) is wants


@pytest.mark.parametrize(
    ("method", "body", "client", "trapped"),
    [
        ("POST", {"contents": []}, None, True),
        ("POST", {"content": {}, "taskType": "x"}, None, True),
        ("POST", {"instances": []}, None, True),
        ("POST", {"displayName": "a batch"}, GENAI, True),
        ("GET", NOT_JSON, GENAI, True),
        ("DELETE", NOT_JSON, GENAI, True),
        ("GET", {"contents": []}, None, False),
        ("POST", {"messages": []}, None, False),
        ("POST", [], None, False),
        ("POST", NOT_JSON, None, False),
        ("GET", NOT_JSON, "gl-java/21", False),
    ],
)
@pytest.mark.parametrize("prefix", ["", "refunds/happy"])
def test_bare_base_url_of_vertex_clients(
    method: str, body: object, client: str | None, trapped: bool, prefix: str
):
    words = without_api(method, prefix, body, client)

    assert (words == BARE_POST) is trapped
    assert trapped or "where that of Google would stand" in words


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        ("chat/completions", "/v1beta/openai"),
        ("refunds/embeddings", "/v1beta/openai"),
        ("responses", "/v1beta/openai"),
        ("images/generations", "/v1beta/openai"),
        ("interactions", "end in a version, /v1beta"),
        ("refunds/files/abc", "end in a version, /v1beta"),
        ("files:register", "end in a version, /v1beta"),
        ("my-embeddings", "where that of Google would stand"),
        ("chat/completions/of/mine", "where that of Google would stand"),
    ],
)
def test_base_url_that_lacks_its_end(prefix: str, words: str):
    assert words in without_api("POST", prefix, {"input": "a"}, None)


def test_a_prompt_says_more_than_the_name_in_front():
    """A cassette may be called like a collection."""
    assert without_api("POST", "files", {"contents": []}, None) == BARE_POST


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/models/m:generateContent", "end in a version, /v1beta"),
        ("/tunedModels", "end in a version, /v1beta"),
        ("/upload/files", "end in a version, /v1beta"),
        ("/publishers/google/models/m:generateContent", "end in a version, /v1beta1"),
        ("/projects/p/locations/l/cachedContents", "end in a version, /v1beta1"),
        ("/", "end in a version"),
        ("/v1beta/v1beta/models/m:generateContent", "twice, /v1beta/v1beta:"),
        ("/v1beta/v1/models/m:generateContent", "twice, /v1beta/v1:"),
        ("/v1beta/v1internal:generateContent", "twice, /v1beta/v1internal:generateContent:"),
        ("/v1beta/openai/v1beta/openai/models", "twice, /v1beta/openai/v1beta:"),
        ("/v1beta/v1beta/openai/chat/completions", "twice, /v1beta/v1beta:"),
        ("/v1/chat/completions", "end in /v1beta/openai"),
    ],
)
def test_path_that_no_host_of_google_serves(path: str, words: str):
    assert words in wrong_at_google(path)


@pytest.mark.parametrize(
    "path",
    [
        "/v1beta/models/m:generateContent",
        "/v1beta/openai/chat/completions",
        "/v1/projects/p/locations/l/endpoints/openapi/chat/completions",
        "/upload/v1beta/files",
        "/v1beta/upload/v1beta/files",
        "/v1internal:generateContent",
        "/v1beta/anything/new",
        "/v1beta/openai",
        "/v1beta",
        "/v1beta/models/v1",
    ],
)
def test_path_that_may_be_right(path: str):
    assert wrong_at_google(path) == ""
    assert misspelled(path) == ""


def test_a_missing_version_is_no_misspelling():
    """The version takes no part in matching, so a replay answers without one."""
    assert misspelled("/models/m:generateContent") == ""


@given(st.text(alphabet="/:%v1betaopni\x00é\ud800") | st.text())
def test_any_path_gets_one_printable_line(path: str):
    for words in (wrong_at_google(path), misspelled(path), without_api("POST", path, {}, None)):
        assert words == "" or words.isprintable()
        assert len(words) < 1000
