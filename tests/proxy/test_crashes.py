"""A crash of mitmproxy ends its connection, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proxied import proxied, receive_all, stored
from tests.upstream import END, Upstream, chunk, head, script, unary

PATH = "/v1beta/models/m:generateContent"
WITH_TRAILER = END.removesuffix(b"\r\n") + b"X-T: 1\r\n\r\n"
POST = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\n".encode()
CHUNKED = ("Transfer-Encoding", "chunked")


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(b"{}") + WITH_TRAILER, unary(b"{}")),
        (POST + b"Content-Length: 2\r\n\r\n{}", script(head(200, CHUNKED) + chunk(b"{}") + WITH_TRAILER)),
    ],
    ids=["of a request", "of an answer"],
)
def test_trailers_do_not_leave_a_client_waiting(tmp_path: Path, request_: bytes, answer):
    with Upstream(answer) as upstream, proxied(tmp_path / "run.db", upstream.url) as proxy:
        with proxy.connect() as connection:
            connection.sendall(request_)
            assert END not in receive_all(connection)

        upstream.default = unary(b'{"next": 1}')
        with proxy.client() as client:
            assert client.post(PATH, json={"contents": []}).json() == {"next": 1}

    assert stored(tmp_path / "run.db")[-1].status == 200
