"""Which host a path leads to, and that no path leads anywhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.routes import parse_route
from gemtape.proxy.errors import Refused
from gemtape.proxy.routing import Router, Upstream, google_host, is_gemini, parse_upstream

GEMINI = "generativelanguage.googleapis.com"
MODEL = "publishers/google/models/gemini-3-pro:generateContent"


def host_of(path: str) -> str:
    return google_host(path, parse_route(path))


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/v1beta/models/gemini-3-pro:generateContent", GEMINI),
        ("/v1/models", GEMINI),
        ("/upload/v1beta/files", GEMINI),
        ("/v1beta/upload/v1beta/files", GEMINI),
        ("/v1beta/openai/chat/completions", GEMINI),
        ("/v1beta/tunedModels/x:generateContent", GEMINI),
        ("/v1beta/interactions", GEMINI),
        ("/v1internal:streamGenerateContent", "cloudcode-pa.googleapis.com"),
        (f"/v1beta1/{MODEL}", "aiplatform.googleapis.com"),
        (f"/v1/projects/p/locations/global/{MODEL}", "aiplatform.googleapis.com"),
        (f"/v1/projects/p/locations/us-central1/{MODEL}", "us-central1-aiplatform.googleapis.com"),
        (f"/v1beta1/projects/p/locations/northamerica-northeast1/{MODEL}", "northamerica-northeast1-aiplatform.googleapis.com"),
        (f"/v1/projects/p/locations/eu/{MODEL}", "aiplatform.eu.rep.googleapis.com"),
        (f"/v1/projects/p/locations/us/{MODEL}", "aiplatform.us.rep.googleapis.com"),
        ("/v1/projects/p/locations/europe-west4/cachedContents", "europe-west4-aiplatform.googleapis.com"),
        ("/v1/projects/p/locations/us-east5/endpoints/openapi/chat/completions", "us-east5-aiplatform.googleapis.com"),
        ("/upload/v1beta1/projects/p/locations/us-central1/ragCorpora/1/ragFiles:upload", "us-central1-aiplatform.googleapis.com"),
        ("/v1/projects/p/cachedContents", "aiplatform.googleapis.com"),
        ("/v1beta1/cachedContents", "aiplatform.googleapis.com"),
        ("/v1/publishers/google/models/m:generateContent", "aiplatform.googleapis.com"),
        ("/v1/projects/p/locations/global/publishers/google/models/m:generateContent", "aiplatform.googleapis.com"),
        ("/v1beta1/projects/p/locations/us-central1/endpoints/1:generateContent", "us-central1-aiplatform.googleapis.com"),
        ("/v1beta1/projects/p/locations/us-central1/reasoningEngines/1:streamQuery", "us-central1-aiplatform.googleapis.com"),
        ("/v1beta1/projects/p/locations/eu/cachedContents/c", "aiplatform.eu.rep.googleapis.com"),
        ("/v1/projects/p/locations/asia-southeast1/batchPredictionJobs", "asia-southeast1-aiplatform.googleapis.com"),
        ("/upload/v1beta1/publishers/google/models/m:x", "aiplatform.googleapis.com"),
        ("/v1/locations/us-central1/x", GEMINI),
        ("/v1beta/anything/new", GEMINI),
        ("/v1alpha/auth_tokens", GEMINI),
        ("/v1internal/operations/o1", "cloudcode-pa.googleapis.com"),
        ("/v1internal:retrieveUserQuota", "cloudcode-pa.googleapis.com"),
    ],
)  # fmt: skip
def test_path_leads_to_its_host(path: str, host: str):
    assert host_of(path) == host
    assert Router().upstream_of(path, parse_route(path)) == Upstream("https", host, 443)
    assert Router().allows(host, 443)


@pytest.mark.parametrize(
    "location",
    [
        "evil.example/",
        "evil.example%2F",
        "us-central1.evil.example%23",
        "us-central1%40evil.example",
        "US-CENTRAL1",
        "us-central1-aiplatform.googleapis.com%2f",
        "us-central1%0a",
        "x" * 64 + "1",
        "localhost",
        "%00",
    ],
)
def test_location_that_is_none_is_refused(location: str):
    with pytest.raises(Refused) as raised:
        host_of(f"/v1/projects/p/locations/{location}/{MODEL}")

    assert raised.value.status == 400
    assert raised.value.message.isprintable()


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="?"), max_size=40))
def test_every_host_is_googles(location: str):
    try:
        host = host_of(f"/v1/projects/p/locations/{location}/{MODEL}")
    except Refused:
        return

    assert host.endswith(".googleapis.com")
    assert Router().allows(host, 443)


@pytest.mark.parametrize(
    "path", ["/models/gemini-3-pro:generateContent", "/upload/files", "/publishers/google/models/m:x"]
)
def test_path_without_version_is_explained(path: str):
    with pytest.raises(Refused, match="has to end in a version") as raised:
        host_of(path)

    assert raised.value.status == 404


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/v1beta/v1beta/models/m:generateContent", "names its version twice"),
        ("/v1beta1/v1/projects/p/locations/us-central1/x", "names its version twice"),
        ("/v1beta/v1internal:generateContent", "names its version twice"),
        ("/v1beta/chat/completions", "has to end in /v1beta/openai"),
    ],
)
def test_path_that_google_does_not_serve_is_explained_and_a_gateway_gets_it(path: str, words: str):
    with pytest.raises(Refused, match=words) as raised:
        host_of(path)

    assert raised.value.status == 404
    gateway = parse_upstream("https://gateway.example")
    assert Router(gateway).upstream_of(path, parse_route(path)) == gateway


@pytest.mark.parametrize("upstream", [None, Upstream("https", "gateway.example", 443)])
@pytest.mark.parametrize("path", ["/_gemtape/reset", "/_gemtape/status", "/_gemtape"])
def test_paths_of_gemtape_itself_leave_it_for_no_upstream(upstream: Upstream | None, path: str):
    with pytest.raises(Refused, match="only gemtape replay") as raised:
        Router(upstream).upstream_of(path, parse_route(path))

    assert raised.value.status == 404


@pytest.mark.parametrize(
    ("host", "port"),
    [
        (GEMINI, 80),
        ("unrouted.invalid", 80),
        ("127.0.0.1", 443),
        ("googleapis.com", 443),
        ("storage.googleapis.com", 443),
        ("evil-aiplatform.googleapis.com", 443),
        ("us-central1-aiplatform.googleapis.com.evil.example", 443),
        ("us-central1-aiplatform.googleapis.com\n", 443),
        ("aiplatform.asia.rep.googleapis.com", 443),
    ],
)
def test_no_connection_to_anything_else(host: str, port: int):
    assert not Router().allows(host, port)
    assert not is_gemini(host, port)


@pytest.mark.parametrize(
    ("url", "upstream", "shown"),
    [
        ("https://gateway.example", Upstream("https", "gateway.example", 443), "https://gateway.example"),
        ("http://127.0.0.1:9000/", Upstream("http", "127.0.0.1", 9000), "http://127.0.0.1:9000"),
        ("http://[::1]:9000", Upstream("http", "::1", 9000), "http://[::1]:9000"),
        ("HTTPS://Gateway.Example:443/a/b/", Upstream("https", "gateway.example", 443, "/a/b"), "https://gateway.example"),
        ("http://gateway.example:443", Upstream("http", "gateway.example", 443), "http://gateway.example:443"),
    ],
)  # fmt: skip
def test_upstream_of_the_user(url: str, upstream: Upstream, shown: str):
    assert parse_upstream(url) == upstream
    assert str(upstream) == shown


@pytest.mark.parametrize(
    "url",
    [
        "",
        "gateway.example",
        "localhost:9000",
        "ftp://gateway.example",
        "http://",
        "http://:80",
        "http://gateway.example:99999",
        "http://gateway.example:0",
        "http://gateway.example:port",
        "http://user:password@gateway.example",
        "http://gateway.example/?key=1",
        "http://gateway.example/#a",
        "http://gateway.example/a b",
        "http://[::1",
        "http://gäteway.example",
    ],
)
def test_upstream_that_cannot_work(url: str):
    with pytest.raises(SetupError) as raised:
        parse_upstream(url)

    assert "password" not in str(raised.value).replace("user name or password", "")
    assert "\n" not in str(raised.value)


def test_named_upstream_gets_everything_and_nothing_else_is_reached():
    upstream = parse_upstream("http://127.0.0.1:9000/base")
    router = Router(upstream)

    assert (
        router.upstream_of("/models/m:generateContent", parse_route("/models/m:generateContent")) == upstream
    )
    assert router.allows("127.0.0.1", 9000)
    assert not router.allows("127.0.0.1", 9001)
    assert not router.allows(GEMINI, 443)
    assert str(router) == "http://127.0.0.1:9000/base"


def test_request_that_names_its_host_goes_there_or_to_the_upstream():
    gateway = parse_upstream("https://gateway.example/base")
    vertex = "aiplatform.googleapis.com"

    assert str(Router().upstream_at(vertex)) == f"https://{vertex}"
    assert Router(gateway).upstream_at(vertex) == gateway
    assert (Router().sent_to, Router(gateway).sent_to) == ("", "https://gateway.example/base")
    assert (Router().usual.host, Router(gateway).usual) == (GEMINI, gateway)
