"""A forward proxy records what goes to the Gemini API, and nothing else is any of its business."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.forwarding import forward_variables
from gemtape.proxy.authority import Authority, find_authority
from gemtape.proxy.forward import GRPC, NO_BASE_URL, PLAIN, Forward
from gemtape.proxy.trust import trust_files
from tests.certificates import offering, self_signed
from tests.parentproxy import ParentProxy
from tests.proxied import Proxy, proxied, receive_all, stored
from tests.proxy.test_addon import BODY, KEY, SSE, UNARY, event
from tests.upstream import Gate, Upstream, stream, unary

# mitmproxy 11 is older than what it stands on.
pytestmark = pytest.mark.filterwarnings("ignore:Passing pyOpenSSL (X509|PKey) objects:DeprecationWarning")

GOOGLE = "https://generativelanguage.googleapis.com"
HOST = "generativelanguage.googleapis.com"


@pytest.fixture(scope="module")
def authority(tmp_path_factory) -> Authority:
    return find_authority({"XDG_DATA_HOME": str(tmp_path_factory.mktemp("data"))})


@pytest.fixture
def forward(authority) -> Forward:
    return Forward(authority)


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream(unary(event("hi", "STOP")[6:].strip())) as server:
        yield server


@pytest.fixture
def cassette(tmp_path) -> Path:
    return tmp_path / "run.db"


@pytest.fixture
def proxy(cassette, upstream, forward) -> Iterator[Proxy]:
    with proxied(cassette, upstream.url, forward=forward) as running:
        yield running


@pytest.fixture
def client(proxy, authority) -> Iterator[httpx.Client]:
    with through(proxy, authority) as made:
        yield made


@pytest.fixture(scope="module")
def foreign(tmp_path_factory) -> Iterator[Upstream]:
    """A server of somebody else, with a certificate of its own."""
    certificate = self_signed(tmp_path_factory.mktemp("tls") / "localhost.pem", "localhost")
    with Upstream(unary(b"theirs"), tls=offering(certificate)) as server:
        yield server


def through(proxy: Proxy, authority: Authority, **options: object) -> httpx.Client:
    trusting = ssl.create_default_context(cafile=authority.certificate)
    return httpx.Client(proxy=proxy.url, verify=trusting, trust_env=False, timeout=20, **options)


def tunnel(proxy: Proxy, target: str) -> tuple[socket.socket, bytes]:
    """A connection through the proxy, and what it said to the wish for it."""
    connection = proxy.connect()
    connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    said = b""
    while b"\r\n\r\n" not in said:
        said += connection.recv(1)
    return connection, said


def speak_tls(proxy: Proxy, target: str, *offers: str) -> ssl.SSLSocket:
    """TLS in a tunnel, with a client that trusts whoever is there."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if offers:
        context.set_alpn_protocols(list(offers))
    return context.wrap_socket(tunnel(proxy, target)[0], server_hostname=target.rpartition(":")[0])


def test_request_to_the_api_is_recorded(client, proxy, upstream, cassette):
    answer = client.post(f"{GOOGLE}{UNARY}", json=BODY, headers={"x-goog-api-key": KEY})
    proxy.stop()

    [exchange] = stored(cassette)
    assert exchange.request.path == UNARY
    assert exchange.request.upstream == upstream.url
    assert exchange.response
    assert exchange.response.body == answer.content == event("hi", "STOP")[6:].strip()
    assert upstream.requests[0].header("x-goog-api-key") == KEY
    assert KEY not in str(exchange)
    assert [line.split("  ")[:3] for line in proxy.lines] == [["#1", "gemini-3-pro", "generateContent"]]


@pytest.mark.parametrize(
    "host",
    [
        "us-central1-aiplatform.googleapis.com",
        "aiplatform.eu.rep.googleapis.com",
        "aiplatform.googleapis.com",
        "cloudcode-pa.googleapis.com",
    ],
)
def test_every_host_of_the_api_is_recorded(client, proxy, cassette, host):
    path = "/v1beta1/projects/p/locations/us-central1/publishers/google/models/gemini-3-pro:generateContent"
    client.post(f"https://{host}{path}", json=BODY)
    proxy.stop()

    assert [exchange.request.path for exchange in stored(cassette)] == [path]


def test_stream_passes_as_it_comes(client, proxy, upstream, cassette):
    gate, pieces = Gate(), [event("a"), event("b"), event("c", "STOP")]
    upstream.answers.append(stream(*pieces, gate=gate))
    with client.stream("POST", f"{GOOGLE}{SSE}", json=BODY) as answer:
        for piece, got in zip(pieces, answer.iter_raw(), strict=True):
            assert got == piece
            gate.open()
    proxy.stop()

    assert [chunk.data for chunk in stored(cassette)[0].response.chunks] == pieces


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl here")
def test_curl(proxy, authority, cassette):
    command = ["curl", "-sS", "--proxy", proxy.url, "--cacert", str(authority.certificate), "--json", "{}"]
    said = subprocess.run(
        [*command, f"{GOOGLE}{UNARY}?key={KEY}"], capture_output=True, check=True, timeout=60
    )
    proxy.stop()

    assert b"STOP" in said.stdout
    assert [exchange.request.path for exchange in stored(cassette)] == [UNARY]
    assert KEY not in str(stored(cassette))


def test_python_finds_its_way_by_the_variables(proxy, authority, cassette, tmp_path):
    trust = trust_files(authority, {"NO_PROXY": "*"})
    added = forward_variables(
        proxy.url,
        {"NO_PROXY": "*"},
        certificate=trust.certificate,
        bundle=trust.bundle,
        java_store=trust.java,
    )
    script = f"import httpx; print(httpx.post({GOOGLE + UNARY!r}, json={BODY!r}).status_code)"
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "NO_PROXY": "*", **added}
    said = subprocess.run(
        [sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True, timeout=60
    )
    proxy.stop()

    assert said.stdout == "200\n"
    assert len(stored(cassette)) == 1


def test_other_hosts_show_their_own_certificate(proxy, foreign, forward, authority):
    with speak_tls(proxy, f"localhost:{foreign.port}", "h2", "http/1.1") as connection:
        connection.sendall(
            f"GET /?key={KEY} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        shown = connection.getpeercert(binary_form=True)
        assert b"theirs" in connection.recv(65_536)
    recorded = proxy.stop()

    assert shown == ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", foreign.port)))
    assert recorded[0].exchanges == 0
    assert proxy.lines == []
    assert forward.tunnelled == 1


@pytest.mark.parametrize("name", [f"{HOST}:8443", f"{HOST}.evil.test:443", "storage.googleapis.com:443"])
def test_only_the_apis_own_addresses_are_decrypted(cassette, forward, foreign, name):
    """All others lead to the same server here, by a proxy of the user's, so its own certificate can be seen."""
    with (
        ParentProxy(foreign.port) as parent,
        proxied(cassette, forward=forward, environ={"HTTPS_PROXY": parent.url}) as proxy,
        speak_tls(proxy, name) as connection,
    ):
        shown = connection.getpeercert(binary_form=True)
        assert parent.asked == [f"CONNECT {name} HTTP/1.1"]

    assert shown == ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", foreign.port)))


def test_what_is_no_tls_passes_a_tunnel_too(proxy):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connection, _ = tunnel(proxy, f"127.0.0.1:{listener.getsockname()[1]}")
        with connection:
            connection.sendall(b"SSH-2.0-x\r\n")
            server, _ = listener.accept()
            with server:
                assert server.recv(100) == b"SSH-2.0-x\r\n"
                server.sendall(b"\x00\xffwelcome")
                assert connection.recv(100) == b"\x00\xffwelcome"


def test_plain_http_passes_as_it_comes_and_unrecorded(client, proxy, upstream):
    gate, uploaded = Gate(), threading.Event()
    with Upstream(stream(b"one", b"two", gate=gate)) as other:

        def pieces():
            yield b"x" * 1000
            uploaded.set()
            yield b"y"

        with client.stream(
            "POST",
            f"{other.url}/a?key={KEY}",
            content=pieces(),
            headers={"proxy-authorization": "x", "te": "trailers"},
        ) as answer:
            for expected, got in zip((b"one", b"two"), answer.iter_raw(), strict=True):
                assert got == expected
                gate.open()
        [request] = other.requests
    recorded = proxy.stop()

    assert (request.target, request.header("host")) == (f"/a?key={KEY}", f"127.0.0.1:{other.port}")
    assert request.body == b"x" * 1000 + b"y"
    assert request.header("proxy-authorization") is request.header("te") is None
    assert upstream.requests == proxy.lines == []
    assert recorded[0].exchanges == 0


def test_plain_http_to_nowhere_is_an_answer(client, proxy):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    answer = client.get(f"http://127.0.0.1:{port}/")

    assert answer.status_code == 502
    assert "gemtape: " in answer.json()["error"]["message"]


def test_api_by_plain_http_is_refused(client, proxy, upstream, forward):
    answer = client.post(f"http://{HOST}{UNARY}", json=BODY, headers={"x-goog-api-key": KEY})

    assert (answer.status_code, answer.json()["error"]["message"]) == (400, f"gemtape: {PLAIN}")
    assert f"{HOST}: {PLAIN}" in forward.silence()
    assert upstream.requests == []


def test_own_address_is_no_place_to_go(proxy, upstream, forward):
    """It would come back here for ever."""
    with proxy.client() as client:
        as_base_url = client.post(UNARY, json=BODY)
    with httpx.Client(proxy=proxy.url, trust_env=False, timeout=20) as client:
        as_target = client.get(f"http://localhost:{proxy.address[1]}/")
    connection, said = tunnel(proxy, f"127.0.0.1:{proxy.address[1]}")
    connection.close()

    assert as_base_url.json()["error"]["message"] == f"gemtape: {NO_BASE_URL}"
    assert (as_base_url.status_code, as_target.status_code) == (400, 400)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert NO_BASE_URL in forward.silence()
    assert proxy.lines[-1].endswith(f"(CONNECT 127.0.0.1:{proxy.address[1]})")
    assert upstream.requests == []


def test_websocket_is_refused_with_one_line(client, proxy, upstream):
    headers = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    answer = client.get(f"{GOOGLE}/ws/google.ai.generativelanguage.v1beta.X", headers=headers)
    proxy.stop()

    assert answer.status_code == 501
    assert [line.split("  ")[:2] for line in proxy.lines] == [["REFUSED", "501"]]
    assert upstream.requests == []


def test_host_header_must_name_the_host_of_the_tunnel(client, proxy, upstream):
    """Google's front door goes by that header, and would lead to another API."""
    answer = client.post(f"{GOOGLE}{UNARY}", json=BODY, headers={"host": "storage.googleapis.com"})

    assert answer.status_code == 421
    assert upstream.requests == []


def test_host_is_known_however_it_is_written(client, proxy, cassette):
    with speak_tls(proxy, f"{HOST.upper()}.:443") as connection:
        connection.sendall(
            f"GET /v1beta/models HTTP/1.1\r\nHost: {HOST}:443\r\nConnection: close\r\n\r\n".encode()
        )
        assert receive_all(connection).startswith(b"HTTP/1.1 200 ")
    proxy.stop()

    assert len(stored(cassette)) == 1


def test_client_that_leaves_tls_to_the_proxy(proxy, upstream, cassette):
    """As axios asks by a proxy: the whole https address in the request line, and no tunnel."""
    with Upstream(unary(b"other")) as other, proxy.connect() as connection:
        body = b"Content-Length: 2\r\n\r\n{}"
        connection.sendall(f"POST {GOOGLE}{UNARY} HTTP/1.1\r\nHost: {HOST}\r\n".encode() + body)
        assert connection.recv(12) == b"HTTP/1.1 200"
        connection.sendall(
            f"GET {other.url}/ HTTP/1.1\r\nHost: 127.0.0.1:{other.port}\r\nConnection: close\r\n\r\n".encode()
        )
        assert receive_all(connection).endswith(b"other")
    proxy.stop()

    assert [request.target for request in upstream.requests] == [UNARY]
    assert [exchange.request.path for exchange in stored(cassette)] == [UNARY]


def test_client_that_offers_http2_too_gets_http1(proxy, authority, cassette):
    with through(proxy, authority, http2=True) as client:
        assert client.post(f"{GOOGLE}{UNARY}", json=BODY).http_version == "HTTP/1.1"
    proxy.stop()

    assert len(stored(cassette)) == 1


def test_client_that_speaks_http2_alone_is_told_once(proxy, forward):
    for _ in range(2):
        with speak_tls(proxy, f"{HOST}:443", "h2", "grpc-exp") as connection:
            assert connection.selected_alpn_protocol() is None
    proxy.stop()

    assert proxy.lines == [f"NOT RECORDED  {HOST}: {GRPC}"]
    assert GRPC in forward.silence()


def test_client_that_does_not_trust_us_is_told_of(proxy, forward):
    with httpx.Client(proxy=proxy.url, trust_env=False) as client:
        for _ in range(2):
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                client.post(f"{GOOGLE}{UNARY}", json=BODY)
    proxy.stop()

    [line] = proxy.lines
    assert line.startswith(f"NOT RECORDED  {HOST}: The client does not trust the proxy's certificate")
    assert "`gemtape ca`" in line
    assert line.removeprefix("NOT RECORDED  ") in forward.silence()


def test_silence_is_explained(authority):
    assert "HTTPS_PROXY" in Forward(authority).silence()
    assert "only 1 connection to other hosts" in Forward(authority, tunnelled=1).silence()
    assert "2 connections" in Forward(authority, tunnelled=2).silence()


def test_upload_url_leads_to_the_host_that_the_client_knows(client, proxy, upstream):
    """The upstream's own address would lead around the proxy."""
    location = f"{upstream.url}/upload/v1beta/files?upload_id=abc&upload_protocol=resumable"
    upstream.answers.append(unary(b"", 200, ("X-Goog-Upload-URL", location)))
    begun = client.post(f"{GOOGLE}/upload/v1beta/files", headers={"x-goog-upload-command": "start"})
    led = begun.headers["x-goog-upload-url"]
    client.post(led, content=b"data", headers={"x-goog-upload-command": "upload, finalize"})

    assert led.startswith(f"{GOOGLE}/upload/v1beta/files?upload_id=abc")
    assert [request.body for request in upstream.requests] == [b"", b"data"]


def test_upstream_is_googles_host_without_another_one(cassette, forward, authority, tmp_path):
    """Reached through a proxy of the user's, which leads to a server that stands for Google."""
    certificate = self_signed(tmp_path / "google.pem", HOST)
    with (
        Upstream(unary(b"{}"), tls=offering(certificate)) as google,
        ParentProxy(google.port) as parent,
        proxied(
            cassette, forward=forward, environ={"HTTPS_PROXY": parent.url, "SSL_CERT_FILE": str(certificate)}
        ) as proxy,
        through(proxy, authority) as client,
    ):
        assert client.post(f"{GOOGLE}{UNARY}", json=BODY).status_code == 200
        assert parent.asked == [f"CONNECT {HOST}:443 HTTP/1.1"]
        assert google.requests[0].header("host") == HOST

    assert [exchange.request.upstream for exchange in stored(cassette)] == [GOOGLE]


def test_no_proxy_that_can_be_gone_through_is_said_to_whoever_needs_it(cassette, upstream, forward):
    """The upstream does without it, and other hosts do not."""
    with proxied(
        cassette, upstream.url, forward=forward, environ={"HTTPS_PROXY": "socks5://me:secret@a.test"}
    ) as proxy:
        connection, said = tunnel(proxy, "other.test:443")
        connection.close()

    assert said.startswith(b"HTTP/1.1 502 ")
    assert "HTTPS_PROXY names a proxy of the kind 'socks5'" in proxy.lines[0]
    assert "secret" not in proxy.lines[0]


def test_other_hosts_are_reached_through_the_users_proxy_who_learns_who_we_are(
    cassette, upstream, forward, foreign
):
    with ParentProxy(foreign.port) as parent:
        url = parent.url.replace("://", "://me@")
        with (
            proxied(cassette, upstream.url, forward=forward, environ={"HTTPS_PROXY": url}) as proxy,
            speak_tls(proxy, "other.test:8443") as connection,
        ):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: other.test\r\n\r\n")
            assert connection.recv(65_536).endswith(b"theirs")
        assert parent.asked == ["CONNECT other.test:8443 HTTP/1.1"]
        assert parent.header("proxy-authorization") == "Basic bWU6"


def test_tunnel_to_nowhere_is_closed(proxy):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    connection, said = tunnel(proxy, f"127.0.0.1:{port}")
    with connection:
        connection.sendall(b"x")
        assert receive_all(connection) == b""
    assert said.startswith(b"HTTP/1.1 200 ")
