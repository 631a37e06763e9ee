"""The way to an upstream leads through the user's own proxy where the environment names one."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.models import Failure
from gemtape.proxy.parents import Parents
from gemtape.proxy.routing import Router, parse_upstream
from gemtape.proxy.run import Listener
from gemtape.proxy.tapes import Tapes
from gemtape.proxy.timeouts import Timeouts
from tests.certificates import offering, self_signed
from tests.parentproxy import ParentProxy
from tests.proxied import Proxy, proxied, stored
from tests.proxy.test_addon import BODY, SSE, UNARY, event
from tests.upstream import Gate, Upstream, stream, unary

NAME = "gateway.test"
"""No name server knows it: only a proxy leads there."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    return self_signed(tmp_path_factory.mktemp("tls") / "gateway.pem", NAME)


@pytest.fixture
def upstream(certificate) -> Iterator[Upstream]:
    with Upstream(unary(b"{}"), tls=offering(certificate)) as server:
        yield server


@pytest.fixture
def cassette(tmp_path) -> Path:
    return tmp_path / "run.db"


@pytest.fixture
def parent(upstream) -> Iterator[ParentProxy]:
    with ParentProxy(upstream.port) as server:
        yield server


def by(parent: ParentProxy, certificate: Path, **more: str) -> dict[str, str]:
    return {"SSL_CERT_FILE": str(certificate), "HTTPS_PROXY": parent.url, **more}


def test_upstream_is_reached_through_the_proxy(cassette, parent, upstream, certificate):
    with (
        proxied(cassette, f"https://{NAME}/base", environ=by(parent, certificate)) as proxy,
        proxy.client() as client,
    ):
        answers = [client.post(UNARY, json=BODY) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200] * 3
    assert parent.asked == [f"CONNECT {NAME}:443 HTTP/1.1"], "one tunnel serves them all"
    assert parent.header("proxy-authorization") is None
    assert [request.target for request in upstream.requests] == [f"/base{UNARY}"] * 3
    assert [exchange.request.upstream for exchange in stored(cassette)] == [f"https://{NAME}"] * 3


def test_streams_pass_as_they_come_there_too(cassette, parent, upstream, certificate):
    gate, pieces = Gate(), [event("a"), event("b", "STOP")]
    upstream.answers.append(stream(*pieces, gate=gate))
    with (
        proxied(cassette, f"https://{NAME}", environ=by(parent, certificate)) as proxy,
        proxy.client() as client,
        client.stream("POST", SSE, json=BODY) as answer,
    ):
        for piece, got in zip(pieces, answer.iter_raw(), strict=True):
            assert got == piece
            gate.open()


def test_proxy_learns_who_we_are_and_the_upstream_does_not(cassette, parent, upstream, certificate):
    url = parent.url.replace("://", "://me:p%40ss@")
    with (
        proxied(cassette, f"https://{NAME}", environ=by(parent, certificate, https_proxy=url)) as proxy,
        proxy.client() as client,
    ):
        client.post(UNARY, json=BODY)

    assert parent.header("proxy-authorization") == f"Basic {base64.b64encode(b'me:p@ss').decode()}"
    assert upstream.requests[0].header("proxy-authorization") is None
    assert "p@ss" not in str(stored(cassette))


def test_plain_upstream_is_asked_for_the_older_way(cassette):
    """Many proxies open no tunnel to any port but 443."""
    with (
        Upstream(unary(b"{}")) as upstream,
        ParentProxy(upstream.port) as parent,
        proxied(
            cassette,
            f"http://{NAME}:8000/base",
            environ={"http_proxy": parent.url.replace("://", "://me@")},
        ) as proxy,
        proxy.client() as client,
    ):
        answers = [client.post(f"{UNARY}?a=b", json=BODY) for _ in range(2)]
        assert parent.asked == [f"POST http://{NAME}:8000/base{UNARY}?a=b HTTP/1.1"]
        assert parent.header("host") == f"{NAME}:8000"
        assert parent.header("proxy-authorization") == "Basic bWU6"

    assert [answer.status_code for answer in answers] == [200, 200]
    assert [exchange.request.upstream for exchange in stored(cassette)] == [f"http://{NAME}:8000"] * 2


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "403 Forbidden"])
def test_proxy_that_refuses_is_named(cassette, certificate, status):
    with (
        ParentProxy(0, refuses=status) as parent,
        proxied(cassette, f"https://{NAME}", environ=by(parent, certificate)) as proxy,
        proxy.client() as client,
    ):
        answer = client.post(UNARY, json=BODY)

    assert answer.status_code == 502
    assert f"cannot connect to https://{NAME}: " in answer.json()["error"]["message"]
    assert status in answer.json()["error"]["message"]
    assert [exchange.failure for exchange in stored(cassette)] == [Failure.REFUSED]


def test_proxy_that_is_not_there(cassette):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}"
    with proxied(cassette, f"https://{NAME}", environ={"ALL_PROXY": url}) as proxy, proxy.client() as client:
        answer = client.post(UNARY, json=BODY)

    assert answer.status_code == 502
    assert [exchange.failure for exchange in stored(cassette)] == [Failure.REFUSED]


def test_upstream_that_is_silent_behind_a_proxy_is_cut(cassette, parent, upstream, certificate):
    """On a tunnel that served before, which has no socket by that name."""
    gate = Gate()
    upstream.answers.extend([unary(b"{}"), stream(b"", gate=gate, framing="close")])
    timeouts = Timeouts(connect=20, first_byte=20, idle=0.2)
    with (
        proxied(cassette, f"https://{NAME}", timeouts=timeouts, environ=by(parent, certificate)) as proxy,
        proxy.client() as client,
    ):
        client.post(UNARY, json=BODY)
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(SSE, json=BODY)
        gate.open()

    assert [exchange.failure for exchange in stored(cassette)] == [None, Failure.TIMEOUT]
    assert len(parent.heads) == 1


def test_loopback_is_reached_directly(cassette, parent):
    with (
        Upstream(unary(b"{}")) as upstream,
        proxied(cassette, upstream.url, environ={"HTTP_PROXY": parent.url}) as proxy,
        proxy.client() as client,
    ):
        assert client.post(UNARY, json=BODY).status_code == 200

    assert parent.heads == []


def test_gemtape_never_goes_through_itself(cassette):
    """As happens in the shell that its clients are to be started from."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    router = Router(parse_upstream(f"http://{NAME}"))
    url = f"http://localhost:{port}"
    proxy = Proxy(
        Listener(port=port, router=router, timeouts=Timeouts(connect=5)),
        Tapes(cassette, folder=False),
        environ={"HTTPS_PROXY": url, "HTTP_PROXY": url},
    )
    with proxy.client() as client:
        answer = client.post(UNARY, json=BODY)
    proxy.stop()

    assert proxy.lines[0].startswith(f"{url} is gemtape itself")
    assert answer.status_code == 502
    assert len(stored(cassette)) == 1, "it went out once, to a name that nobody knows"


@pytest.mark.parametrize(
    ("environ", "scheme", "found"),
    [
        ({}, "https", "None"),
        ({"HTTPS_PROXY": "http://a.test:3128"}, "https", "http://a.test:3128"),
        ({"HTTPS_PROXY": "a.test:3128"}, "https", "http://a.test:3128"),
        ({"HTTPS_PROXY": "https://a.test"}, "https", "https://a.test:443"),
        ({"HTTPS_PROXY": "http://[2001:db8::1]:3128"}, "https", "http://[2001:db8::1]:3128"),
        ({"HTTPS_PROXY": "http://a.test"}, "http", "None"),
        ({"HTTP_PROXY": "http://a.test"}, "https", "None"),
        ({"all_proxy": "http://a.test"}, "http", "http://a.test:80"),
        ({"https_proxy": "http://b.test", "HTTPS_PROXY": "http://a.test"}, "https", "http://b.test:80"),
        ({"https_proxy": "", "HTTPS_PROXY": "http://a.test"}, "https", "http://a.test:80"),
        ({"HTTPS_PROXY": "http://a.test", "NO_PROXY": ".test"}, "https", "None"),
        ({"HTTPS_PROXY": "http://a.test", "no_proxy": "*"}, "https", "None"),
        ({"HTTPS_PROXY": "http://a.test", "NO_PROXY": "other.test"}, "https", "http://a.test:80"),
    ],
)
def test_variables_are_read_as_other_clients_read_them(environ, scheme, found):
    assert str(Parents(environ).of(scheme, NAME, 443)) == found


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("socks5://me:secret@a.test", "HTTPS_PROXY names a proxy of the kind 'socks5'"),
        ("http://me:secret@a.test:99999", "HTTPS_PROXY names no address such as"),
        ("http://me:secr/et@a.test", "HTTPS_PROXY names no address such as"),
        ("http://:80", "HTTPS_PROXY names no address such as"),
        ("http://a.test:0", "HTTPS_PROXY names no address such as"),
    ],
)
def test_what_is_no_proxy_is_said_when_it_is_needed(cassette, value, complaint):
    environ = {"HTTPS_PROXY": value}
    with pytest.raises(SetupError, match=complaint) as raised, proxied(cassette, environ=environ):
        pass

    assert "secr" not in str(raised.value)
    assert not cassette.exists()
    assert Parents(environ).of("https", "127.0.0.1", 443) is Parents(environ).of("http", NAME, 80) is None
