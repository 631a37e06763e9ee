"""Starting, listening, stopping, and what the proxy takes from its surroundings."""

from __future__ import annotations

import datetime as dt
import gc
import socket
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gemtape.cassettes.errors import CassetteExists, SetupError
from gemtape.cassettes.models import Failure
from gemtape.proxy.routing import Router, parse_upstream
from gemtape.proxy.run import Listener, base_url, serve
from gemtape.proxy.tapes import Tapes
from tests.proxied import Proxy, proxied, stored
from tests.proxy.test_addon import BODY, UNARY
from tests.upstream import Upstream


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


@pytest.mark.parametrize(
    ("host", "port", "url"),
    [
        ("127.0.0.1", 8090, "http://127.0.0.1:8090"),
        ("0.0.0.0", 1, "http://127.0.0.1:1"),
        ("::", 1, "http://[::1]:1"),
        ("::1", 8090, "http://[::1]:8090"),
    ],
)
def test_base_url(host, port, url):
    assert base_url(host, port) == url


def test_port_zero_takes_a_free_one_and_gives_it_back(tmp_path, upstream):
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as client:
        assert proxy.address[1] > 0
        assert client.post(UNARY, json=BODY).status_code == 200

    socket.create_server(proxy.address).close()


def test_one_run_after_the_other(tmp_path, upstream):
    for name in ("a.db", "b.db"):
        with proxied(tmp_path / name, upstream.url) as proxy, proxy.client() as client:
            client.post(UNARY, json=BODY)

    assert len(stored(tmp_path / "a.db")) == len(stored(tmp_path / "b.db")) == 1
    assert gc.get_freeze_count() == 0


def test_port_in_use_is_said_and_leaves_no_file(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listener = Listener(port=taken.getsockname()[1])
        with pytest.raises(SetupError, match=r"is in use.*--port"):
            serve(listener, Tapes(tmp_path / "run.db", folder=False), print, environ={})

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", ["no-such-host.invalid", "192.0.2.1"])
def test_address_that_is_not_ours(tmp_path, host):
    with pytest.raises(SetupError, match=f"cannot listen on {host}:0: "):
        serve(Listener(host, 0), Tapes(tmp_path / "run.db", folder=False), print, environ={})


def test_upstream_that_is_the_proxy_itself(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    router = Router(parse_upstream(f"http://localhost:{port}"))

    with pytest.raises(SetupError, match="is this proxy itself"):
        serve(Listener(port=port, router=router), Tapes(tmp_path / "run.db", folder=False), print, environ={})


def test_existing_cassette_is_refused_before_anything_listens(tmp_path, upstream):
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as client:
        client.post(UNARY, json=BODY)

    with pytest.raises(CassetteExists):
        Proxy(Listener(port=0), Tapes(tmp_path / "run.db", folder=False))


def test_a_broken_ready_ends_the_run(tmp_path):
    def broken(_running):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        serve(Listener(port=0), Tapes(tmp_path / "run.db", folder=False), print, ready=broken, environ={})


def test_nothing_is_written_to_the_home_folder(tmp_path, upstream, monkeypatch):
    """Mitmproxy would make a certificate authority there, for a plain reverse proxy too."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as client:
        client.post(UNARY, json=BODY)

    assert list(home.iterdir()) == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A self-signed certificate for localhost, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gemtape tests")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(pem) + secret)
    return path


@pytest.mark.parametrize("trusted", [True, False])
def test_certificate_of_the_upstream_is_verified(tmp_path, certificate, trusted):
    """Trusted once the environment names who signed for it; else nothing is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    environ = {"SSL_CERT_FILE": str(certificate)} if trusted else {}
    with (
        Upstream(tls=context) as upstream,
        proxied(tmp_path / "run.db", upstream.url, environ=environ) as proxy,
        proxy.client() as client,
    ):
        answers = [client.post(UNARY, json=BODY) for _ in range(2)]

    exchange = stored(tmp_path / "run.db")[0]
    assert exchange.request.upstream == upstream.url
    if trusted:
        assert [answer.status_code for answer in answers] == [200, 200]
        assert exchange.failure is None
    else:
        assert [answer.status_code for answer in answers] == [502, 502]
        assert "ertificate verify failed" in answers[0].json()["error"]["message"]
        assert exchange.failure is Failure.REFUSED
        assert upstream.requests == []
