"""Stopping closes what mitmproxy leaves open."""

from __future__ import annotations

import socket

import pytest

from tests.proxied import proxied, receive_all, stored
from tests.proxy.test_addon import SSE, event
from tests.upstream import Gate, Upstream, stream


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


def receive_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while end not in received:
        received += connection.recv(65_536)
    return received
