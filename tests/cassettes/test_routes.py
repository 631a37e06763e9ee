"""Where a request goes, read from its path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.routes import Route, Surface, parse_route, split_prefix, starts_api

G, V, C, O = Surface.GEMINI_API, Surface.VERTEX, Surface.CODE_ASSIST, Surface.OPENAI  # noqa: E741 - a table's columns


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v1beta/models/m-3:generateContent", Route(G, "v1beta", "models/m-3", "generateContent", "m-3")),
        ("/v1/models/m:streamGenerateContent", Route(G, "v1", "models/m", "streamGenerateContent", "m")),
        ("/v1beta/models/m%3AgenerateContent", Route(G, "v1beta", "models/m", "generateContent", "m")),
        (
            "/v1beta/tunedModels/t:generateContent",
            Route(G, "v1beta", "tunedModels/t", "generateContent", "t"),
        ),
        ("/v1beta/models", Route(G, "v1beta", "models", "", "")),
        ("/v1beta/models/m", Route(G, "v1beta", "models/m", "", "m")),
        ("/models/m:generateContent", Route(G, "", "models/m", "generateContent", "m")),
        ("/v1beta/files/f:download", Route(G, "v1beta", "files/f", "download", "")),
        ("/v1alpha/auth_tokens", Route(G, "v1alpha", "auth_tokens", "", "")),
        ("/upload/v1beta/files", Route(G, "v1beta", "upload/files", "", "")),
        ("/v1beta/upload/v1beta/files", Route(G, "v1beta", "upload/files", "", "")),
        (
            "/upload/v1beta/fileSearchStores/s:uploadToFileSearchStore",
            Route(G, "v1beta", "upload/fileSearchStores/s", "uploadToFileSearchStore", ""),
        ),
        (
            "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
            Route(V, "v1", "publishers/google/models/m", "generateContent", "m"),
        ),
        (
            "/v1beta1/publishers/google/models/m:streamGenerateContent",
            Route(V, "v1beta1", "publishers/google/models/m", "streamGenerateContent", "m"),
        ),
        (
            "/v1/projects/p/locations/l/endpoints/123:generateContent",
            Route(V, "v1", "endpoints/123", "generateContent", "123"),
        ),
        ("/v1/projects/p", Route(V, "v1", "", "", "")),
        ("/v1beta1/cachedContents/c", Route(V, "v1beta1", "cachedContents/c", "", "")),
        (
            "/v1beta1/projects/p/locations/l/reasoningEngines/1:streamQuery",
            Route(V, "v1beta1", "reasoningEngines/1", "streamQuery", ""),
        ),
        (
            "/v1/projects/p/locations/l/publishers/google/models/veo/operations/o1",
            Route(V, "v1", "publishers/google/models/veo/operations/o1", "", "veo"),
        ),
        ("/v1beta/models/veo/operations/o1", Route(G, "v1beta", "models/veo/operations/o1", "", "veo")),
        ("/v1beta/batches/b:cancel", Route(G, "v1beta", "batches/b", "cancel", "")),
        ("/v1beta/interactions/v1_a/cancel", Route(G, "v1beta", "interactions/v1_a/cancel", "", "")),
        ("/v1internal/operations/o1:cancel", Route(C, "v1internal", "operations/o1", "cancel", "")),
        ("/v1internal:generateContent", Route(C, "v1internal", "", "generateContent", "")),
        ("/v1internal%3AloadCodeAssist", Route(C, "v1internal", "", "loadCodeAssist", "")),
        ("/v1internal/operations/o1", Route(C, "v1internal", "operations/o1", "", "")),
        (
            "/v1beta/openai/chat/completions",
            Route(O, "v1beta", "openai/chat/completions", "chat/completions", ""),
        ),
        ("/v1beta/openai/embeddings", Route(O, "v1beta", "openai/embeddings", "", "")),
        (
            "/v1/projects/p/locations/l/endpoints/openapi/chat/completions",
            Route(O, "v1", "endpoints/openapi/chat/completions", "chat/completions", ""),
        ),
        ("/", Route(G, "", "", "", "")),
        ("", Route(G, "", "", "", "")),
    ],
)
def test_route(path: str, route: Route):
    assert parse_route(path) == route


def test_what_generates_and_streams():
    unary, stream = (
        parse_route("/v1/models/m:generateContent"),
        parse_route("/v1/models/m:streamGenerateContent"),
    )

    assert unary.generates
    assert stream.generates
    assert stream.streams
    assert not unary.streams
    assert parse_route("/v1/projects/p/locations/l/reasoningEngines/1:streamQuery").streams
    assert parse_route("/v1/projects/p/locations/l/endpoints/1:serverStreamingPredict").streams
    assert not parse_route("/v1/projects/p/locations/l/reasoningEngines/1:query").streams
    assert not parse_route("/v1/models/m:countTokens").generates


@pytest.mark.parametrize(
    ("path", "prefix", "api_path"),
    [
        ("/v1beta/models/m:generateContent", "", "/v1beta/models/m:generateContent"),
        ("/refunds/happy/v1/models", "refunds/happy", "/v1/models"),
        ("/a/upload/v1beta/files", "a", "/upload/v1beta/files"),
        ("/a/v1internal:generateContent", "a", "/v1internal:generateContent"),
        ("/a/projects/p/models", "a", "/projects/p/models"),
        ("/a/publishers/google", "a", "/publishers/google"),
        ("/a/ws/x", "a", "/ws/x"),
        ("/a/@run1/_gemtape/reset", "a/@run1", "/_gemtape/reset"),
        ("/a//b/v1/models", "a//b", "/v1/models"),
        ("/a/v1%62eta/models", "a", "/v1%62eta/models"),
        ("/a/b", "a/b", "/"),
        ("/", "", "/"),
        ("", "", "/"),
        ("*", "*", "/"),
    ],
)
def test_split_prefix(path: str, prefix: str, api_path: str):
    assert split_prefix(path) == (prefix, api_path)


@pytest.mark.parametrize(
    "segment", ["v1", "v1beta", "v1beta1", "v1alpha", "v2", "v1internal", "v1internal:x", "models", "ws"]
)
def test_api_begins(segment: str):
    assert starts_api(segment)


@pytest.mark.parametrize(
    "segment", ["", "v", "vx", "v1gamma", "v1beta/", "v1beta\n", "Models", "version1", "v1internal:1", "a"]
)
def test_api_does_not_begin(segment: str):
    assert not starts_api(segment)


@given(st.text(alphabet="/:%vV1betaupload modls\ud800é\x00") | st.text())
def test_any_path_has_a_route(path: str):
    prefix, api_path = split_prefix(path)

    assert api_path.startswith("/")
    assert not starts_api(prefix.partition("/")[0])
    assert isinstance(parse_route(path), Route)


@pytest.mark.parametrize(
    ("path", "backend"),
    [
        ("/v1beta/models/m:generateContent", G),
        ("/v1/publishers/google/models/m:generateContent", V),
        ("/v1internal:generateContent", C),
        ("/v1beta/openai/chat/completions", G),
        ("/chat/completions", G),
        ("/v1/projects/p/locations/l/endpoints/openapi/chat/completions", V),
    ],
)
def test_who_answers_behind_a_path(path: str, backend: Surface):
    assert parse_route(path).backend is backend
    assert parse_route(path).generates


@pytest.mark.parametrize(
    "path",
    [
        "/v1beta/models/m:countTokens",
        "/v1beta/openai/embeddings",
        "/v1beta/openai/models",
        "/v1beta/interactions",
    ],
)
def test_what_does_not_generate_is_not_judged(path: str):
    assert not parse_route(path).generates
