"""An upstream that says nothing is given up in the end, and that is recorded."""

from __future__ import annotations

import socket

import httpx
import pytest

from gemtape.cassettes.models import Failure
from gemtape.proxy.timeouts import Timeouts
from tests.proxied import proxied, stored
from tests.proxy.test_addon import BODY, SSE, UNARY, event
from tests.upstream import Gate, Upstream, stream, unary

SHORT = 0.3
LONG = 60.0


@pytest.fixture
def cassette(tmp_path):
    return tmp_path / "run.db"


def test_upstream_that_never_answers(cassette):
    gate = Gate()
    with Upstream(lambda _: gate.wait() or ()) as upstream:
        with (
            proxied(cassette, upstream.url, timeouts=Timeouts(LONG, SHORT, LONG)) as proxy,
            proxy.client() as client,
        ):
            answer = client.post(UNARY, json=BODY)
        gate.open()

    assert answer.status_code == 504
    error = answer.json()["error"]
    assert (error["status"], error["message"]) == (
        "DEADLINE_EXCEEDED",
        "gemtape: no answer from the upstream within 0.3 seconds",
    )
    [exchange] = stored(cassette)
    assert (exchange.response, exchange.failure) == (None, Failure.TIMEOUT)


def test_second_request_of_a_connection_is_timed_too(cassette):
    gate = Gate()
    with Upstream(lambda _: gate.wait() or ()) as upstream:
        upstream.answers.append(unary(b"{}"))
        with (
            proxied(cassette, upstream.url, timeouts=Timeouts(LONG, SHORT, LONG)) as proxy,
            proxy.client() as client,
        ):
            assert client.post(UNARY, json=BODY).status_code == 200
            assert client.post(UNARY, json=BODY).status_code == 504
        gate.open()
        assert upstream.connections == 1


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_stream_that_stops_in_the_middle(cassette, framing):
    gate = Gate()
    with Upstream(stream(event("a"), event("b"), framing=framing, gate=gate)) as upstream:
        with (
            proxied(cassette, upstream.url, timeouts=Timeouts(LONG, LONG, SHORT)) as proxy,
            proxy.client() as client,
            pytest.raises(httpx.RemoteProtocolError),
        ):
            client.post(SSE, json=BODY)
        gate.open()
        gate.open()

    [exchange] = stored(cassette)
    assert exchange.failure is Failure.TIMEOUT
    assert exchange.response.cut
    assert exchange.response.body == event("a")


def test_held_answer_that_stops_in_the_middle(cassette):
    gate = Gate()
    with Upstream(
        stream(b'{"a": ', b"1}", framing="close", gate=gate, content_type="application/json")
    ) as upstream:
        with (
            proxied(cassette, upstream.url, timeouts=Timeouts(LONG, LONG, SHORT)) as proxy,
            proxy.client() as client,
            pytest.raises(httpx.RemoteProtocolError),
        ):
            client.post(UNARY, json=BODY)
        gate.open()
        gate.open()

    [exchange] = stored(cassette)
    assert exchange.failure is Failure.TIMEOUT
    assert (exchange.response.cut, exchange.response.body) == (True, b'{"a": ')


@pytest.fixture
def deaf():
    """An address whose queue of connections is full, so that further ones hang."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        queued = []
        for _ in range(8):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
            queued.append(waiting)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        for waiting in queued:
            waiting.close()


def test_upstream_that_cannot_be_connected_to(cassette, deaf):
    with proxied(cassette, deaf, timeouts=Timeouts(SHORT, LONG, LONG)) as proxy, proxy.client() as client:
        answer = client.post(UNARY, json=BODY)

    assert answer.status_code == 504
    assert "no connection to the upstream within 0.3 seconds" in answer.json()["error"]["message"]
    assert stored(cassette)[0].failure is Failure.TIMEOUT


def test_handshake_that_hangs_counts_as_connecting(cassette):
    """The upstream takes the connection and never answers the TLS greeting."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        with proxied(cassette, url, timeouts=Timeouts(SHORT, LONG, LONG)) as proxy, proxy.client() as client:
            answer = client.post(UNARY, json=BODY)

    assert answer.status_code == 504
    assert stored(cassette)[0].failure is Failure.TIMEOUT


def test_patience_is_generous():
    """A thinking model may be silent for minutes."""
    assert Timeouts().first_byte >= 20 * 60
    assert Timeouts().idle >= 10 * 60
