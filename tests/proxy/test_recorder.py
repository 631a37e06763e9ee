"""What is kept, what is said about it, and what happens when it cannot be kept."""

from __future__ import annotations

import random
import sqlite3

import pytest

from tests.proxied import proxied, receive_all, stored
from tests.proxy.test_addon import BODY, SSE, UNARY, event
from tests.upstream import HANG_UP, Upstream, stream, unary


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


@pytest.fixture
def cassette(tmp_path):
    return tmp_path / "run.db"


def test_each_exchange_is_said_as_it_ends(upstream, cassette):
    upstream.answers += [unary(b"{}"), unary(b"{}", 503), stream(event("a", "STOP"))]
    with proxied(cassette, upstream.url) as proxy, proxy.client() as client:
        for path in (UNARY, UNARY, SSE):
            client.post(path, json=BODY)
        said = [line.split("  ")[:4] for line in proxy.lines]

    assert said == [
        ["#1", "gemini-3-pro", "generateContent", "200"],
        ["#2", "gemini-3-pro", "generateContent", "503"],
        ["#3", "gemini-3-pro", "streamGenerateContent", "200"],
    ]


def test_only_success_keeps_whole_answers_of_2xx(upstream, cassette):
    upstream.answers += [
        unary(b"{}", 503),
        unary(b"{}", 201),
        stream(event("a"), end=HANG_UP),
        unary(b"{}", 302),
    ]
    with proxied(cassette, upstream.url, only_success=True) as proxy, proxy.client() as client:
        assert client.post(UNARY, json=BODY).status_code == 503
        assert client.post(UNARY, json=BODY).status_code == 201
        with proxy.connect() as connection:
            ask = f"POST {SSE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}"
            connection.sendall(ask.encode())
            assert event("a") in receive_all(connection)
        client.get("/v1beta/models")

    assert [exchange.status for exchange in stored(cassette)] == [201]
    assert [line.split()[0] for line in proxy.lines] == ["#-", "#1", "#-", "#-"]


def test_request_that_could_not_be_recorded_is_not_sent(upstream, cassette):
    with proxied(cassette, upstream.url) as proxy, proxy.client() as client:
        client.post(UNARY, json=BODY)
        cassette.rename(cassette.with_name("away.db"))
        refused = client.post(UNARY, json=BODY)
        cassette.with_name("away.db").rename(cassette)
        again = client.post(UNARY, json=BODY)

    assert refused.status_code == 412
    assert refused.headers["x-should-retry"] == "false"
    assert "not recorded, so not sent" in refused.json()["error"]["message"]
    assert again.status_code == 200
    assert len(upstream.requests) == 2
    assert len(stored(cassette)) == 2


@pytest.mark.parametrize(
    ("path", "framing"),
    [(UNARY, "length"), (UNARY, "chunked"), (SSE, "chunked"), (SSE, "length"), (SSE, "close")],
)
def test_answer_that_cannot_be_recorded_is_cut_visibly(upstream, cassette, path, framing):
    """The disk is full by the time that the answer ends."""
    body = event(random.Random(1).randbytes(50_000).hex(), "STOP")
    content_type = "text/event-stream" if path == SSE else "application/json"
    upstream.answers += [unary(b"{}"), unary(body, framing=framing, content_type=content_type)]
    with proxied(cassette, upstream.url) as proxy:
        with proxy.client() as client:
            client.get("/v1beta/models")
        fill_the_disk(proxy.tapes.tape("")._cassette)
        with proxy.connect() as connection:
            ask = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}"
            connection.sendall(ask.encode())
            received = receive_all(connection)

    head, _, rest = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    if path == UNARY:
        assert rest == b"", "not one byte of an answer that was held"
    else:
        assert b"chunked" in head
        assert not rest.endswith(b"0\r\n\r\n"), "no end marker"
    assert any("NOT RECORDED" in line and "full" in line for line in proxy.lines)
    assert len(stored(cassette)) == 1


def fill_the_disk(cassette) -> None:
    """Let this cassette grow no further, as on a full disk."""
    connection: sqlite3.Connection = cassette._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_folder_decides_at_the_first_request_of_each_name(upstream, tmp_path):
    for _ in range(2):
        with proxied(tmp_path, upstream.url, folder=True) as proxy:
            with proxy.client("/refunds/happy") as client:
                happy = client.post(UNARY, json=BODY)
            with proxy.client("/refunds/new") as client:
                new = client.post(UNARY, json=BODY)
        (tmp_path / "refunds" / "new.db").unlink()

    assert happy.status_code == 412
    assert "--replace" in happy.json()["error"]["message"]
    assert new.status_code == 200
    assert len(stored(tmp_path / "refunds" / "happy.db")) == 1
    assert [line.split("  ")[0] for line in proxy.lines] == ["REFUSED", "refunds/new#1"]


@pytest.mark.parametrize(
    "prefix", ["", "/..", "/%2e%2e/%2e%2e/etc", "/a//b", "/a%00", "/a%0d%0ab", "/" + "a" * 200]
)
def test_hostile_name_reaches_neither_disk_nor_upstream(upstream, tmp_path, prefix):
    folder = tmp_path / "a" / "b" / "tapes"
    with proxied(folder, upstream.url, folder=True) as proxy, proxy.connect() as connection:
        connection.sendall(
            f"GET {prefix}/v1beta/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        received = receive_all(connection)

    assert received.startswith(b"HTTP/1.1 400 ")
    assert b"cassette" in received
    assert upstream.requests == []
    assert list(tmp_path.rglob("*.db*")) == []


def test_line_of_a_refused_request_shows_no_key(upstream, tmp_path):
    """Neither as it is nor percent-encoded."""
    key = "AIzaSy" + "k" * 33
    with proxied(tmp_path / "tapes", upstream.url, folder=True) as proxy, proxy.client() as client:
        client.get(f"/..{key}/v1beta/models")
        client.get(f"/..%41{key[1:]}/v1beta/models")

    assert [line.split("  ")[-1] for line in proxy.lines] == [
        "(GET /..REDACTED/v1beta/models)",
        "(GET /REDACTED/v1beta/models)",
    ]
