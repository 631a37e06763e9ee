"""What passes the proxy is what is recorded: real clients, real upstreams, real cassettes."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from gemtape.cassettes.models import Failure
from tests.proxied import proxied, receive_all, stored
from tests.upstream import HANG_UP, JSON, RESET, Gate, Upstream, chunk, head, script, stream, unary

KEY = "AIzaSyA-1234567890abcdefghijklmnopqrstu"
UNARY = "/v1beta/models/gemini-3-pro:generateContent"
STREAM = "/v1beta/models/gemini-3-pro:streamGenerateContent"
SSE = f"{STREAM}?alt=sse"
BODY = {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


def event(text: str, finish: str = "") -> bytes:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}}
    if finish:
        candidate["finishReason"] = finish
    return b"data: " + json.dumps({"candidates": [candidate]}).encode() + b"\r\n\r\n"


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


@pytest.fixture
def cassette(tmp_path):
    return tmp_path / "run.db"


@pytest.fixture
def proxy(upstream, cassette):
    with proxied(cassette, upstream.url) as running:
        yield running


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_unary_exchange(proxy, upstream, cassette, framing):
    body = event("hi", "STOP")[6:].strip()
    upstream.answers.append(unary(body, 200, ("X-Gemini-Service-Tier", "standard"), framing=framing))
    with proxy.client() as client:
        answer = client.post(f"{UNARY}?%24alt=json", json=BODY, headers={"x-goog-api-client": "gl-python/3"})
    proxy.stop()

    assert (answer.status_code, answer.content) == (200, body)
    [exchange] = stored(cassette)
    request, response = exchange.request, exchange.response
    assert (request.method, request.path, request.query) == ("POST", UNARY, "%24alt=json")
    assert request.upstream == upstream.url
    assert request.json == BODY
    assert request.header("x-goog-api-client") == "gl-python/3"
    assert (response.status, response.body, response.cut) == (200, body, False)
    assert response.header("x-gemini-service-tier") == "standard"
    assert exchange.failure is None
    assert exchange.number == 1


def test_request_reaches_the_upstream_as_sent(proxy, upstream):
    raw = b'{ "contents" : [\n{"parts":[{"text":"\\u00e4"}]}] }'
    with proxy.client() as client:
        client.post(f"/gateway{UNARY}?key={KEY}", content=raw, headers={"x-goog-api-key": KEY, "x-own": "1"})

    [request] = upstream.requests
    assert request.target == f"{UNARY}?key={KEY}"
    assert request.body == raw
    assert request.header("host") == upstream.url.removeprefix("http://")
    assert request.header("x-goog-api-key") == KEY
    assert request.header("x-own") == "1"


def test_chunks_are_recorded_as_the_client_got_them(proxy, upstream, cassette):
    """Each chunk is sent only after the client confirmed the one before, so none can have been held back."""
    gate = Gate()
    chunks = [event("one"), event("t\u00fco")[:-9], event("x")[3:], event("three", "STOP")]
    upstream.answers.append(stream(*chunks, gate=gate))
    received = []
    with proxy.client() as client, client.stream("POST", SSE, json=BODY) as answer:
        for piece in answer.iter_raw():
            received.append(piece)
            gate.open()
    proxy.stop()

    assert received == chunks
    [exchange] = stored(cassette)
    assert [piece.data for piece in exchange.response.chunks] == chunks
    offsets = [piece.offset_ms for piece in exchange.response.chunks]
    assert offsets == sorted(offsets)
    assert exchange.duration_ms >= offsets[-1]


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@pytest.mark.parametrize("path", [SSE, STREAM])
def test_stream_whatever_its_form_and_framing(proxy, upstream, cassette, path, framing):
    array = [b'[{"candidates": []}\n', b',\r\n{"candidates": []}', b"]"]
    pieces = [event("a"), event("b", "STOP")] if "alt" in path else array
    upstream.answers.append(stream(*pieces, framing=framing, content_type=JSON))
    with proxy.client() as client:
        answer = client.post(path, json=BODY)
        again = client.get("/v1beta/models")
    proxy.stop()

    assert answer.content == b"".join(pieces)
    assert answer.headers["transfer-encoding"] == "chunked"
    assert again.status_code == 200
    assert stored(cassette)[0].response.body == b"".join(pieces)


def test_end_of_a_stream_waits_for_its_commit(proxy, upstream, cassette):
    """When a client has seen the end, the exchange is there for a second reader, the recorder still running."""
    for framing in ("chunked", "length", "close"):
        upstream.answers.append(stream(event("a", "STOP"), framing=framing))
    upstream.answers.append(unary(b'{"a": 1}'))
    with proxy.client() as client:
        for number, path in enumerate([SSE, SSE, SSE, UNARY], 1):
            client.post(path, json=BODY)
            assert len(stored(cassette)) == number


def test_gzip_passes_untouched_and_is_stored_decoded(proxy, upstream, cassette):
    body = b'{"candidates": []}' * 50
    engine = zlib.compressobj(wbits=31)
    events = [event("one"), event("two", "STOP")]
    pieces = [engine.compress(e) + engine.flush(zlib.Z_SYNC_FLUSH) for e in events]
    pieces[-1] += engine.flush()
    gate = Gate()
    upstream.answers += [
        unary(gzip.compress(body), 200, ("Content-Encoding", "gzip")),
        stream(*pieces, headers=(("Content-Encoding", "gzip"),), gate=gate),
    ]
    raw = []
    with proxy.client() as client:
        with client.stream("POST", UNARY, json=BODY) as answer:
            assert answer.headers["content-encoding"] == "gzip"
            assert gzip.decompress(b"".join(answer.iter_raw())) == body
        with client.stream("POST", SSE, json=BODY) as answer:
            for piece in answer.iter_raw():
                raw.append(piece)
                gate.open()
    proxy.stop()

    assert raw == pieces
    first, second = stored(cassette)
    assert first.response.body == body
    assert [piece.data for piece in second.response.chunks] == events


def test_gzip_bomb_is_stored_as_it_came(proxy, upstream, cassette):
    bomb = gzip.compress(bytes(40_000_000))
    upstream.answers.append(unary(bomb, 200, ("Content-Encoding", "gzip")))
    with proxy.client() as client, client.stream("GET", "/v1beta/models") as answer:
        assert b"".join(answer.iter_raw()) == bomb
    proxy.stop()

    [exchange] = stored(cassette)
    assert exchange.response.body == bomb
    assert exchange.response.header("content-encoding") == "gzip"


def test_compressed_request_is_stored_decoded(proxy, upstream, cassette):
    content = gzip.compress(json.dumps(BODY).encode())
    with proxy.client() as client:
        client.post(UNARY, content=content, headers={"content-encoding": "gzip"})
    proxy.stop()

    assert upstream.requests[0].body == content
    assert stored(cassette)[0].request.json == BODY


@pytest.mark.parametrize("status", [400, 429, 500, 503])
def test_error_of_the_api_is_an_exchange_like_any_other(proxy, upstream, cassette, status):
    body = json.dumps({"error": {"code": status, "message": "no", "status": "X"}}).encode()
    upstream.answers.append(unary(body, status, ("Retry-After", "3")))
    with proxy.client() as client:
        answer = client.post(UNARY, json=BODY)
    proxy.stop()

    assert (answer.status_code, answer.content, answer.headers["retry-after"]) == (status, body, "3")
    [exchange] = stored(cassette)
    assert (exchange.response.status, exchange.response.body, exchange.failure) == (status, body, None)


@pytest.mark.parametrize(
    ("method", "answer", "status"),
    [
        ("HEAD", script(head(200, ("Content-Length", "10"))), 200),
        ("DELETE", script(head(204)), 204),
        ("GET", script(head(304)), 304),
        ("GET", unary(b""), 200),
        ("GET", unary(b"", framing="chunked"), 200),
    ],
)
def test_answer_without_body(proxy, upstream, cassette, method, answer, status):
    upstream.answers.append(answer)
    with proxy.client() as client:
        assert client.request(method, "/v1beta/files/a").status_code == status
        assert client.get("/v1beta/models").status_code == 200, "the connection lives on"
    proxy.stop()

    first, _ = stored(cassette)
    assert (first.response.status, first.response.body, first.response.cut) == (status, b"", False)


@pytest.mark.parametrize("end", [HANG_UP, RESET, chunk(event("torn"))[:-20]])
def test_cut_stream_shows_to_the_client_and_is_stored_as_cut(proxy, upstream, cassette, end):
    gate = Gate()
    pieces = [event("one"), event("two")]
    upstream.answers.append(
        stream(*pieces, gate=gate, end=end)
        if not isinstance(end, bytes)
        else script(
            head(200, ("Transfer-Encoding", "chunked"), content_type="text/event-stream"),
            *map(chunk, pieces),
            end,
            HANG_UP,
        )
    )
    received: list[bytes] = []

    def read(answer: httpx.Response) -> None:
        for piece in answer.iter_raw():
            received.append(piece)
            gate.open()

    with proxy.client() as client:
        with client.stream("POST", SSE, json=BODY) as answer, pytest.raises(httpx.RemoteProtocolError):
            read(answer)
        assert client.get("/v1beta/models").status_code == 200
    proxy.stop()

    exchange = stored(cassette)[0]
    assert exchange.failure is Failure.RESET
    assert exchange.response.cut
    assert b"".join(received).startswith(b"".join(pieces))
    assert exchange.response.body == b"".join(received)


def test_cut_of_a_unary_answer_keeps_what_came(proxy, upstream, cassette):
    upstream.answers.append(script(head(200, ("Content-Length", "100")) + b'{"candi', HANG_UP))
    with proxy.client() as client, pytest.raises(httpx.RemoteProtocolError):
        client.post(UNARY, json=BODY)
    proxy.stop()

    [exchange] = stored(cassette)
    assert exchange.failure is Failure.RESET
    assert (exchange.response.body, exchange.response.cut) == (b'{"candi', True)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (script(HANG_UP), "gave no answer"),
        (script(RESET), "gave no answer"),
        (script(b"HTTP/1.1 200 OK\r\nContent-", HANG_UP), "gave no answer"),
        (script(b"\x15\x03\x01 garbage\r\n\r\n", HANG_UP), "gave no answer"),
        (
            script(head(200, ("Content-Length", "1"), ("Transfer-Encoding", "chunked")), HANG_UP),
            "gave no answer",
        ),
    ],
)
def test_upstream_that_breaks_off_before_its_answer(proxy, upstream, cassette, answer, words):
    upstream.answers.append(answer)
    with proxy.client() as client:
        got = client.post(UNARY, json=BODY)
    proxy.stop()

    assert got.status_code == 502
    assert got.headers["content-type"].startswith("application/json")
    error = got.json()["error"]
    assert (error["code"], error["status"]) == (502, "UNAVAILABLE")
    assert words in error["message"]
    [exchange] = stored(cassette)
    assert (exchange.response, exchange.failure) == (None, Failure.RESET)
    assert exchange.request.json == BODY


def test_upstream_that_is_down(cassette):
    with Upstream() as gone:
        url = gone.url
    with proxied(cassette, url) as proxy, proxy.client() as client:
        got = client.post(UNARY, json=BODY)

    assert got.status_code == 502
    assert f"cannot connect to {url}" in got.json()["error"]["message"]
    [exchange] = stored(cassette)
    assert (exchange.response, exchange.failure) == (None, Failure.REFUSED)


def test_client_that_leaves_in_the_middle(proxy, upstream, cassette):
    gate = Gate()
    left = threading.Event()
    upstream.answers.append(stream(event("one"), event("two", "STOP"), gate=gate))
    with proxy.client() as client, client.stream("POST", SSE, json=BODY) as answer:
        assert next(answer.iter_raw()) == event("one")
    left.set()
    until(lambda: len(stored(cassette)) == 1)
    gate.open()
    gate.open()

    [exchange] = stored(cassette)
    assert exchange.failure is Failure.CLIENT_GONE
    assert exchange.response.cut
    assert [piece.data for piece in exchange.response.chunks] == [event("one")]


@pytest.mark.parametrize(
    "last",
    [
        event("two", "STOP"),
        b"data: [DONE]\n\n",
        b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\r\n\r\n',
    ],
)
def test_client_that_leaves_after_the_last_event_has_cut_nothing(proxy, upstream, cassette, last):
    gate = Gate()
    upstream.answers.append(stream(event("one"), last, gate=gate))
    with proxy.client() as client, client.stream("POST", SSE, json=BODY) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        gate.open()
        assert next(pieces) == last
    until(lambda: len(stored(cassette)) == 1)
    gate.open()

    [exchange] = stored(cassette)
    assert exchange.failure is None
    assert not exchange.response.cut
    assert exchange.response.body == event("one") + last


def test_client_that_leaves_before_the_answer(proxy, upstream, cassette):
    gate = Gate()

    def late(_):
        gate.wait()
        yield from unary(b"{}")(_)

    upstream.answers.append(late)
    with proxy.connect() as connection:
        connection.sendall(
            f"POST {UNARY} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        until(lambda: len(upstream.requests) == 1)
    until(lambda: len(stored(cassette)) == 1)
    gate.open()

    [exchange] = stored(cassette)
    assert (exchange.response, exchange.failure) == (None, Failure.CLIENT_GONE)


def test_pipelined_requests_are_answered_in_order(proxy, upstream, cassette):
    for n in range(3):
        upstream.answers.append(stream(event(str(n)), framing="length"))
    ask = f"POST {SSE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    last = ask.replace(b"Host: localhost", b"Host: localhost\r\nConnection: close")
    with proxy.connect() as connection:
        connection.sendall(ask + ask + last)
        received = receive_all(connection)
    proxy.stop()

    assert received.count(b"HTTP/1.1 200") == 3
    assert [e.response.body for e in stored(cassette)] == [event(str(n)) for n in range(3)]


def test_http_1_0_client(proxy, upstream, cassette):
    upstream.answers += [stream(event("a"), event("b", "STOP")), unary(b'{"a": 1}')]
    received = []
    for path in (SSE, UNARY):
        with proxy.connect() as connection:
            connection.sendall(f"POST {path} HTTP/1.0\r\nContent-Length: 2\r\n\r\n{{}}".encode())
            received.append(receive_all(connection).partition(b"\r\n\r\n"))
    proxy.stop()

    assert [body for _, _, body in received] == [event("a") + event("b", "STOP"), b'{"a": 1}']
    assert b"chunked" not in received[0][0]


def test_thirty_streams_at_once(proxy, upstream, cassette):
    """Each is told apart from the others, in the client's hands and in the cassette."""
    upstream.default = lambda request: stream(
        *(event(f"{json.loads(request.body)['n']}-{step}", "STOP" if step == 9 else "") for step in range(10))
    )(request)

    def ask(number: int) -> bytes:
        with proxy.client() as client:
            return client.post(SSE, json={"n": number}).content

    with ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(ask, range(30)))
    proxy.stop()

    expected = {
        n: b"".join(event(f"{n}-{s}", "STOP" if s == 9 else "") for s in range(10)) for n in range(30)
    }
    assert dict(enumerate(answers)) == expected
    assert {e.request.json["n"]: e.response.body for e in stored(cassette)} == expected
    assert sorted(e.number for e in stored(cassette)) == list(range(1, 31))


def test_long_answer_is_not_held_back(proxy, upstream, cassette):
    """A download passes piece by piece: here the second half waits for the client to have the first."""
    gate = Gate()
    halves = [b"a" * 400_000, b"b" * 400_000]
    upstream.answers.append(stream(*halves, framing="length", gate=gate, content_type="video/mp4"))
    size = 0
    with proxy.client() as client, client.stream("GET", "/v1beta/files/x:download?alt=media") as answer:
        for piece in answer.iter_raw():
            before, size = size, size + len(piece)
            if before < 400_000 <= size or size == 800_000:
                gate.open()
    proxy.stop()

    assert size == 800_000
    assert stored(cassette)[0].response.body == b"".join(halves)


@pytest.mark.parametrize(
    ("head_lines", "status", "words"),
    [
        ("GET http://generativelanguage.googleapis.com/v1/models HTTP/1.1\r\nHost: generativelanguage.googleapis.com", 400, "no forward proxy"),
        ("CONNECT generativelanguage.googleapis.com:443 HTTP/1.1\r\nHost: generativelanguage.googleapis.com:443", 400, "no forward proxy"),
        ("GET /v1/models HTTP/1.1\r\nHost: evil.example", 403, "evil.example"),
        ("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade", 501, "WebSocket"),
        ("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", 400, ""),
        ("GET /v1/mod els HTTP/1.1\r\nHost: localhost", 400, ""),
        ("GET /favicon.ico HTTP/1.1\r\nHost: localhost", 404, "no API at this path"),
    ],
)  # fmt: skip
def test_what_is_no_request_for_the_api_goes_nowhere(proxy, upstream, cassette, head_lines, status, words):
    with proxy.connect() as connection:
        connection.sendall(f"{head_lines}\r\nConnection: close\r\n\r\n".encode())
        received = receive_all(connection)
    proxy.stop()

    assert received.startswith(b"HTTP/1.1 %d " % status)
    assert b"x-should-retry: false" in received.lower()
    error = json.loads(received.partition(b"\r\n\r\n")[2])["error"]
    assert error["code"] == status
    assert words in error["message"]
    assert upstream.requests == []
    assert not cassette.exists()


def test_bare_post_of_vertex_clients_is_explained(proxy, upstream):
    with proxy.client() as client:
        got = client.post("/", json=BODY)
        other = client.post("/", json={"a": 1})

    assert got.status_code == other.status_code == 404
    assert "GOOGLE_GENAI_USE_VERTEXAI" in got.json()["error"]["message"]
    assert "GOOGLE_GENAI_USE_VERTEXAI" not in other.json()["error"]["message"]
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("method", "path", "headers", "words"),
    [
        ("GET", "/", {}, "where that of Google would stand"),
        ("GET", "/", {"x-goog-api-client": "google-genai-sdk/3.6.1"}, "GOOGLE_GENAI_USE_VERTEXAI"),
        ("POST", "/chat/completions", {}, "/v1beta/openai"),
        ("POST", "/interactions", {}, "end in a version"),
        ("POST", "/_gemtape/reset", {}, "only gemtape replay"),
    ],
)
def test_path_without_an_api_is_explained(proxy, upstream, method, path, headers, words):
    with proxy.client(headers=headers) as client:
        got = client.request(method, path)

    assert got.status_code == 404
    assert words in got.json()["error"]["message"]
    assert upstream.requests == []


def test_google_is_reached_by_path_and_nothing_else(cassette):
    """Without an upstream of the user's own, a location that is none is refused before any name is looked up."""
    with proxied(cassette) as proxy, proxy.client() as client:
        got = client.post(
            "/v1/projects/p/locations/evil.example%2F/publishers/google/models/m:generateContent", json=BODY
        )

    assert got.status_code == 400
    assert "not a Vertex location" in got.json()["error"]["message"]


def test_java_client_that_offers_http_2_stays_on_http_1(proxy, upstream):
    headers = {
        "Connection": "Upgrade, HTTP2-Settings",
        "Upgrade": "h2c",
        "HTTP2-Settings": "AAEAAEAA",
        "TE": "trailers",
    }
    with proxy.client() as client:
        assert client.post(UNARY, json=BODY, headers=headers).status_code == 200

    assert not {"upgrade", "http2-settings", "te"} & {
        name.lower() for name, _ in upstream.requests[0].headers
    }


@pytest.mark.parametrize("status", [100, 101, 103])
def test_interim_answer_that_nobody_asked_for_ends_the_exchange(proxy, upstream, cassette, status: int):
    upstream.answers.append(script(head(status, ("Upgrade", "h2c"), ("Connection", "Upgrade")), HANG_UP))
    with proxy.connect() as connection:
        connection.sendall(
            f"POST {UNARY} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        )
        assert receive_all(connection) == b""
    proxy.stop()

    assert stored(cassette)[0].failure is Failure.RESET


def test_alt_svc_does_not_lead_clients_around_the_proxy(proxy, upstream):
    upstream.answers.append(unary(b"{}", 200, ("Alt-Svc", 'h3=":443"')))
    with proxy.client() as client:
        assert "alt-svc" not in client.post(UNARY, json=BODY).headers


def test_no_secret_on_disk_or_in_the_terminal(proxy, upstream, cassette):
    """Wherever a key stands in a request or in an answer."""
    token = "ya29.a0AfH6SMBx-abcdefghijklmnopqrstuvwxyz"
    upstream.answers += [
        unary(
            json.dumps({"error": {"message": f"bad key {KEY}"}}).encode(),
            400,
            ("Set-Cookie", "SID=cookie-SECRET"),
        ),
        script(HANG_UP),
    ]
    headers = {
        "x-goog-api-key": "plain-SECRET",
        "authorization": f"Bearer {token}",
        "cookie": "a=cookie-SECRET",
    }
    with proxy.client() as client:
        client.post(
            f"{UNARY}?key=query-SECRET", json={"contents": [{"parts": [{"text": KEY}]}]}, headers=headers
        )
        client.post(f"{UNARY}?key=query-SECRET", json=BODY, headers=headers)
    with proxy.connect() as connection:
        connection.sendall(b"GET /v1/models?key=query-SECRET\r\nx-goog-api-key: plain-SECRET\r\n\r\n")
        assert b"SECRET" not in receive_all(connection)
    live = b"".join(path.read_bytes() for path in cassette.parent.iterdir())
    proxy.stop()

    said = "\n".join(proxy.lines)
    assert len(stored(cassette)) == 2
    for secret in (KEY, token, "SECRET"):
        assert secret.encode() not in live + cassette.read_bytes()
        assert secret not in said


def test_stopping_keeps_what_an_open_stream_brought(proxy, upstream, cassette):
    gate = Gate()
    upstream.answers.append(stream(event("one"), event("two"), gate=gate))
    with proxy.client() as client, client.stream("POST", SSE, json=BODY) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        recorded = proxy.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            next(pieces)
    gate.open()
    gate.open()

    assert recorded[0].exchanges == 1
    [exchange] = stored(cassette)
    assert exchange.response.cut
    assert exchange.response.body == event("one")
    assert not list(cassette.parent.glob("run.db-*")), "a single file again"


def test_request_in_chunks_is_stored_whole(proxy, upstream, cassette):
    def pieces():
        yield b'{"contents": '
        yield b"[]}"

    with proxy.client() as client:
        client.post(UNARY, content=pieces())
    proxy.stop()

    assert upstream.requests[0].body == b'{"contents": []}'
    assert stored(cassette)[0].request.json == {"contents": []}


def until(condition) -> None:
    """Wait for what happens soon, and fail if it does not."""
    for _ in range(2000):
        if condition():
            return
        threading.Event().wait(0.01)
    pytest.fail("it never happened")
