"""Starting, listening, stopping, and what the proxy takes from its surroundings."""

from __future__ import annotations

import gc
import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gemtape.cassettes.errors import CassetteExists, SetupError
from gemtape.cassettes.models import Failure
from gemtape.proxy.routing import Router, parse_upstream
from gemtape.proxy.run import Listener, Running, base_url, serve
from gemtape.proxy.tape import Existing
from gemtape.proxy.tapes import Tapes
from tests.certificates import offering, self_signed
from tests.proxied import Proxy, proxied, receive_all, stored
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


def test_a_crowd_that_comes_at_once_is_let_in(tmp_path, upstream):
    """Clients that knock while the proxy is busy wait in a queue; that of asyncio has 100 places, and others are reset."""
    answers: list[bytes] = []

    def ready(running: Running) -> None:
        host, _, port = running.url.removeprefix("http://").partition(":")
        clients = [socket.create_connection((host, int(port)), 5) for _ in range(300)]
        threading.Thread(target=ask, args=(clients, running.stop)).start()

    def ask(clients: list[socket.socket], stop: Callable[[], None]) -> None:
        for client in clients:
            client.sendall(b"GET /v1beta/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        for client in clients:
            with client:
                answers.append(receive_all(client))
        stop()

    listener = Listener(port=0, router=Router(parse_upstream(upstream.url)))
    serve(listener, Tapes(tmp_path / "run.db", folder=False), lambda _: None, ready=ready, environ={})

    assert len(answers) == 300
    assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)


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


@pytest.mark.parametrize("existing", Existing)
def test_signal_while_it_starts_ends_the_run_and_leaves_what_was_there(tmp_path, upstream, existing):
    """Also with a replacement begun beside a cassette, and however early the signal comes."""

    class Interrupted(Tapes):
        def prepare(self) -> str:
            note = super().prepare()
            os.kill(os.getpid(), signal.SIGTERM)
            return note

    path = tmp_path / "run.db"
    if existing is not Existing.REFUSE:
        with proxied(path, upstream.url) as proxy, proxy.client() as client:
            client.post(UNARY, json=BODY)
    before = {file.name: stored(file) for file in tmp_path.iterdir()}
    began: list[Running] = []
    tapes = Interrupted(path, folder=False, existing=existing)
    recorded = serve(Listener(port=0), tapes, print, ready=began.append, environ={})

    assert began == []
    assert [item.exchanges for item in recorded] == [0]
    assert {file.name: stored(file) for file in tmp_path.iterdir()} == before


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
    return self_signed(tmp_path_factory.mktemp("tls") / "localhost.pem", "localhost")


@pytest.mark.parametrize("trusted", [True, False])
def test_certificate_of_the_upstream_is_verified(tmp_path, certificate, trusted):
    """Trusted once the environment names who signed for it; else nothing is sent."""
    environ = {"SSL_CERT_FILE": str(certificate)} if trusted else {}
    with (
        Upstream(tls=offering(certificate)) as upstream,
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
