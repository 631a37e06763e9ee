"""The proxy in a thread: up when the block begins, its cassette closed when it ends, and no end that goes unnoticed."""

from __future__ import annotations

import socket
import threading
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from gemtape.cassettes.errors import CassetteError, SetupError
from gemtape.proxy.background import Background
from gemtape.proxy.routing import Router, parse_upstream
from gemtape.proxy.run import Listener, Ready, Running, serve
from gemtape.proxy.tape import Recorded
from gemtape.proxy.tapes import Tapes
from tests.proxied import stored
from tests.proxy.test_addon import BODY, UNARY
from tests.upstream import Upstream


@pytest.fixture
def said() -> list[str]:
    return []


def background(target: Path, said: list[str], upstream: str = "http://127.0.0.1:9", port: int = 0):
    listener = Listener("127.0.0.1", port, Router(parse_upstream(upstream)))
    serving = partial(serve, listener, Tapes(target, folder=False), said.append, environ={})
    return Background(serving, said.append)


def post(url: str) -> int:
    return httpx.post(url + UNARY, json=BODY, trust_env=False, timeout=20).status_code


def test_records_while_the_block_lasts(tmp_path: Path, said: list[str]):
    with Upstream() as upstream, background(tmp_path / "run.db", said, upstream.url) as proxy:
        assert post(proxy.url) == 200

    assert not proxy.failed
    assert len(stored(tmp_path / "run.db")) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]
    with pytest.raises(httpx.ConnectError):
        post(proxy.url)


def test_what_keeps_it_from_beginning_is_raised_before_the_block(tmp_path: Path, said: list[str]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        proxy = background(tmp_path / "run.db", said, port=taken.getsockname()[1])
        with pytest.raises(SetupError, match="is in use"), proxy:
            pytest.fail("it cannot have begun")

    assert said == []
    assert list(tmp_path.iterdir()) == []


def test_error_in_the_block_closes_the_cassette_all_the_same(tmp_path: Path, said: list[str]):
    with pytest.raises(ZeroDivisionError), background(tmp_path / "run.db", said):
        raise ZeroDivisionError

    assert list(tmp_path.iterdir()) == []


class Run:
    """What `serve` is to its caller: up, then told to stop or ended by itself, well or not."""

    def __init__(self, problem: BaseException | None, *, at_once: bool) -> None:
        self._problem = problem
        self._stopped = threading.Event()
        if at_once:
            self._stopped.set()

    def __call__(self, *, ready: Ready) -> list[Recorded]:
        ready(Running("http://127.0.0.1:1", self._stopped.set))
        self._stopped.wait()
        if self._problem:
            raise self._problem
        return []


@pytest.mark.parametrize(
    ("problem", "at_once", "line"),
    [
        (None, True, "the proxy has ended: no more is recorded"),
        (OSError(5, "io"), True, "the proxy has ended: no more is recorded (OSError(5, 'io'))"),
        (CassetteError("disk full"), False, "the proxy could not end well (disk full)"),
    ],
)
def test_end_that_is_none_is_told_of(
    said: list[str], problem: BaseException | None, at_once: bool, line: str
):
    proxy: Any = Background(Run(problem, at_once=at_once), said.append)
    with proxy:
        if at_once:
            proxy._thread.join()

    assert proxy.failed
    assert said == [f"gemtape: {line}"]
