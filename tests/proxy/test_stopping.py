"""Stopping closes what mitmproxy leaves open."""

from __future__ import annotations

import gc
import socket
from collections.abc import Iterator

import pytest
from mitmproxy import ctx

from tests.proxied import proxied, receive_all, stored
from tests.proxy.test_addon import SSE, UNARY, event
from tests.upstream import Gate, Received, Upstream, stream, unary


def test_everything_open_is_cut_and_stored(tmp_path):
    """Streams in the middle, clients that are only connected, and the port itself."""
    gate = Gate()
    with Upstream(stream(event("a"), event("b"), gate=gate)) as upstream:
        with proxied(tmp_path / "run.db", upstream.url) as proxy:
            ask = f"POST {SSE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode()
            clients = [proxy.connect() for _ in range(6)]
            for client in clients[:5]:
                client.sendall(ask)
                assert event("a") in receive_until(client, event("a"))
            recorded = proxy.stop()
            endings = [receive_all(client) for client in clients]
            for client in clients:
                client.close()
            with pytest.raises(ConnectionRefusedError):
                proxy.connect()
        for _ in range(20):
            gate.open()

    assert recorded[0].exchanges == 5
    assert endings == [b""] * 6, "no end marker"
    assert [(e.response.cut, e.response.body) for e in stored(tmp_path / "run.db")] == [
        (True, event("a"))
    ] * 5


def test_no_socket_is_forgotten_where_an_answer_ends_as_the_run_does(tmp_path):
    """One that is told twice to close is left open by mitmproxy: the client waits, and Python warns when it is collected."""

    def end(received: Received) -> Iterator[object]:
        ctx.master.shutdown()
        yield from unary(b"{}")(received)

    ask = f"POST {UNARY} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}".encode()
    for attempt in range(8):
        with Upstream(end) as upstream, proxied(tmp_path / f"{attempt}.db", upstream.url) as proxy:
            with proxy.connect() as client:
                client.sendall(ask)
                receive_all(client)
            proxy.stop()
        assert len(stored(tmp_path / f"{attempt}.db")) == 1
    gc.collect()


def receive_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while end not in received:
        received += connection.recv(65_536)
    return received
