from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from gemtape.cassettes.redaction import REQUEST_HEADERS, RESPONSE_HEADERS, Redactor
from gemtape.cassettes.shapes import MARKER
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.uploads import stand_in
from tests.captures import CAPTURES, capture_exchanges, capture_secrets

KEY = "AIzaSy" + "k" * 33
PATH = "/v1beta/models/gemini-3-pro-preview:generateContent"


def request(**fields) -> Request:
    return Redactor().request(Request(**{"method": "POST", "path": PATH} | fields))


def answer(*chunks: bytes, headers=()) -> Response:
    return Response(200, headers, tuple(Chunk(index, data) for index, data in enumerate(chunks)))


@pytest.mark.parametrize(
    "name",
    [
        "x-goog-api-key",
        "Authorization",
        "proxy-authorization",
        "Cookie",
        "x-goog-user-project",
        "x-goog-iam-authorization-token",
        "x-goog-authenticated-user-email",
        "x-client-data",
        "sec-websocket-protocol",
        "x-stainless-os",
        "x-forwarded-for",
        "a-header-nobody-knows",
        "host",
    ],
)
def test_request_headers_are_dropped_unless_listed(name):
    assert request(headers=((name, "anything"),)).headers == ()


def test_listed_headers_keep_order_and_spelling_and_lose_secrets():
    headers = (("User-Agent", f"x/1 {KEY} y"), ("X-Api", "a"), ("content-type", "application/json"))
    assert request(headers=headers).headers == (("User-Agent", "x/1 REDACTED y"), headers[2])


@pytest.mark.parametrize(
    "name",
    [
        "Set-Cookie",
        "x-guploader-uploadid",
        "www-authenticate",
        "location",
        "date",
        "server",
    ],
)
def test_answer_headers_are_dropped_unless_listed(name):
    redacted = Redactor().exchange(Exchange(Request("GET", "/"), answer(headers=((name, "anything"),))))
    assert redacted.exchange.response == answer()


def test_no_listed_header_is_one_that_carries_credentials():
    carriers = ("auth", "cookie", "key", "token", "project", "uploadid")
    assert [
        name for name in REQUEST_HEADERS | RESPONSE_HEADERS if any(word in name for word in carriers)
    ] == []


@pytest.mark.parametrize("name", ["X-Goog-Upload-URL", "x-goog-upload-control-url", "Location"])
def test_upload_url_keeps_what_is_no_secret_and_names_its_upload(name):
    """What stands for the id says to a reader that two requests belong together, and to nobody what the id was."""
    url = "https://u:p@generativelanguage.googleapis.com/upload/v1beta/files?upload_id=abc&upload_protocol=resumable"
    headers = ((name, url), ("X-Goog-Upload-Status", "active"))
    redacted = Redactor().exchange(Exchange(Request("POST", "/"), answer(headers=headers))).exchange
    assert redacted.response is not None
    kept = "https://generativelanguage.googleapis.com/upload/v1beta/files?upload_id=STANDIN&upload_protocol=resumable"
    assert redacted.response.headers == ((name, kept.replace("STANDIN", stand_in("abc"))), headers[1])
    assert request(query="upload_id=abc&upload_protocol=resumable").query in kept.replace(
        "STANDIN", stand_in("abc")
    )
    assert Redactor().exchange(redacted).exchange == redacted


def test_id_of_an_upload_goes_where_the_answer_tells_it():
    secret = "ABPnzsZs0m3th1ngL0ng_-x"
    reply = answer(b'{"error": {"message": "no upload ', secret.encode()[:7], secret.encode()[7:] + b'"}}')
    redacted = Redactor().exchange(Exchange(Request("POST", PATH, f"upload_id={secret}"), reply))
    response = redacted.exchange.response
    assert response is not None
    assert response.body == b'{"error": {"message": "no upload %s"}}' % stand_in(secret).encode()
    assert len(redacted.response_spans) == 1


def test_short_id_of_an_upload_is_no_secret_and_leaves_the_answer_alone():
    reply = answer(b'{"file": {"name": "files/1"}}')
    assert (
        Redactor().exchange(Exchange(Request("POST", PATH, "upload_id=1"), reply)).exchange.response == reply
    )


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", ""),
        ("key=AIza", ""),
        ("alt=sse&key=x", "alt=sse"),
        ("key=x&alt=sse&%6bey=y&KEY=z", "alt=sse"),
        (
            "b=1&access_token=x&a=%2f&oauth_token=x&token=x&a=+&quotaUser=x&userIp=x&c&=&b=2",
            "b=1&a=%2f&a=+&c&=&b=2",
        ),
        ("pageToken=abc&upload_protocol=resumable", "pageToken=abc&upload_protocol=resumable"),
        ("a=1&Upload%5fid=x%2Dy&upload_id=", f"a=1&upload_id={stand_in('x-y')}&upload_id="),
        (f"uri=x{'%3D'}{KEY}&q=1", "uri=x%3DREDACTED&q=1"),
        ("q=%41" + KEY[1:], "q=REDACTED"),
        ("token_count=1", "token_count=1"),
    ],
)
def test_secret_parameters_go_and_the_others_keep_order_and_spelling(query, kept):
    assert request(query=query).query == kept


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        (PATH, PATH),
        ("/v1alpha/auth_tokens/abc-123", "/v1alpha/REDACTED"),
        (f"/v1beta/files/{KEY}:download", "/v1beta/files/REDACTED:download"),
        ("/v1beta/files/%41" + KEY[1:], "/v1beta/files/REDACTED"),
        ("/v1beta/models/a%2Fb:generateContent", "/v1beta/models/a%2Fb:generateContent"),
    ],
)
def test_secrets_in_paths_go(path, kept):
    assert request(path=path).path == kept


def test_upstream_loses_name_and_password():
    assert request(upstream="https://user:pass@host:8443").upstream == "https://host:8443"
    assert request(upstream="https://host").upstream == "https://host"


def test_what_was_replaced_is_counted_and_marked():
    body = json.dumps({"contents": [{"parts": [{"text": f"{KEY} {KEY}"}]}]}).encode()
    reply = json.dumps({"candidates": [{"content": {"parts": [{"text": KEY}]}}]}).encode()
    exchange = Exchange(Request("POST", PATH, f"key={KEY}", (), body), answer(reply[:60], reply[60:]))
    redacted = Redactor().exchange(exchange)
    response = redacted.exchange.response
    assert response is not None
    assert redacted.request_redactions == 3
    assert [response.body[start:end] for start, end in redacted.response_spans] == [b"REDACTED"]
    assert [chunk.offset_ms for chunk in response.chunks] == [0, 1]


def test_secret_that_straddles_two_pieces_does_not_survive_at_any_cut():
    body = b'data: {"candidates":[{"content":{"parts":[{"text":"a %b b"}]}}]}\r\n\r\n' % KEY.encode()
    clean = body.replace(KEY.encode(), b"REDACTED")
    for cut in range(len(body) + 1):
        exchange = Exchange(Request("POST", PATH), answer(body[:cut], body[cut:]))
        response = Redactor().exchange(exchange).exchange.response
        assert response is not None
        assert response.body == clean
        assert len(response.chunks) == 2


def test_clean_exchange_comes_back_equal():
    exchange = Exchange(
        Request(
            "POST",
            PATH,
            "alt=sse",
            (("content-type", "application/json"),),
            b'{"contents": []}',
            "https://host",
        ),
        answer(b"data: {}\r\n\r\n", headers=(("content-type", "text/event-stream"),)),
        started_at=1.5,
        duration_ms=3,
        number=4,
    )
    redacted = Redactor().exchange(exchange)
    assert redacted.exchange == exchange
    assert (redacted.exchange.number, redacted.request_redactions, redacted.response_spans) == (4, 0, ())


@given(
    st.text(),
    st.text(),
    st.lists(st.tuples(st.sampled_from(sorted(REQUEST_HEADERS)), st.text())),
    st.binary(),
)
def test_nothing_raises_and_twice_is_once(path, query, headers, body):
    redactor = Redactor()
    exchange = Exchange(
        Request("POST", path, query, tuple(headers), body, path), answer(body, headers=tuple(headers))
    )
    once = redactor.exchange(exchange).exchange
    assert redactor.exchange(once).exchange == once
    assert redactor.request(exchange.request) == once.request


def test_lookup_sees_the_request_as_it_was_stored():
    """The match key of a recorded request is that of the same request coming again, secret and all."""
    body = json.dumps({"contents": [{"role": "user", "parts": [{"text": f"my key: {KEY}"}]}]}).encode()
    incoming = Request("POST", PATH, f"key={KEY}", (("x-goog-api-key", KEY),), body)
    stored = Redactor().exchange(Exchange(incoming)).exchange.request
    assert Redactor().request(incoming) == stored == Redactor().request(stored)


def test_tag_tells_redactors_apart():
    assert Redactor().tag() == Redactor([]).tag() != Redactor(["x+y"]).tag()
    with pytest.raises(SetupError, match="not a regular expression"):
        Redactor(["("])


def bytes_of(path: Path) -> bytes:
    """The cassette and whatever lies beside it."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_no_secret_of_a_capture_is_in_any_byte_of_the_cassette(capture, tmp_path):
    """Neither while its log lies beside it, nor in the single file afterwards, nor in what it compressed."""
    secrets = capture_secrets(capture)
    assert secrets
    path = tmp_path / "run.db"
    with Cassette.create(path) as cassette:
        for exchange in capture_exchanges(capture):
            cassette.add(exchange)
        stored = list(cassette.exchanges())
        assert Path(f"{path}-wal").stat().st_size
        during = bytes_of(path)
    after = bytes_of(path)
    said = repr(stored).encode()
    for secret in secrets:
        needle = f"upload_id={secret}" if secret.startswith("up") else secret
        assert [place for place in (during, after, said) if needle.encode() in place] == []


def test_credentials_for_agents_go_where_they_are_handed_over():
    """They have no shape: any text may be one."""
    body = (
        b'{"id": "c1", "type": "environment_variable", "value": "hunter2", "trusted_domains": ["a.example"]}'
    )
    given = Request("POST", "/v1beta/credentials", body=body)
    elsewhere = Request("POST", "/v1beta/anything", body=body)

    assert Redactor().request(given).json["value"] == MARKER
    assert Redactor().request(given).json["trusted_domains"] == ["a.example"]
    assert Redactor().request(elsewhere).body == body


FILLER = json.dumps({"rows": ["x" * 100] * 12_000})[:-1].encode()
"""The beginning of an object that is longer than a file may be to be parsed."""


def large_file(end: bytes, **fields) -> Request:
    return Request("POST", "/upload/v1beta/files", "upload_id=u", body=FILLER + end, **fields)


def test_large_clean_file_is_not_parsed():
    file = large_file(b', "a": 1}')
    clean = Redactor().request(file)

    assert clean.body == file.body
    assert "json" not in vars(file) | vars(clean)


@pytest.mark.parametrize(
    "end",
    [
        f', "a": "{KEY}"}}',
        f', "a": "\\u0041{KEY[1:]}"}}',
        ', "client_secret": "SHAPELESS"}',
        ', "tools": [{"mcpServers": [{"headers": {"x": "SHAPELESS"}}]}]}',
        f'}}\n{{"b": "{KEY}"}}\n',
    ],
)
def test_large_file_with_a_secret_is_read_as_any_other(end):
    file = large_file(end.encode())
    body = Redactor().request(file).body

    assert len(body) > len(FILLER)
    assert MARKER.encode() in body
    assert not any(secret in body for secret in (KEY[1:].encode(), b"SHAPELESS"))


def test_large_file_is_searched_for_the_user_s_own_secrets():
    assert b"xyz" not in Redactor(["x[y]z"]).request(large_file(b', "a": "x\\u0079z xyz"}')).body
