"""The proxy of the demo: ``gemtape record`` in a process of its own, as a user would run it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ...cassettes.errors import SetupError

_START_TIMEOUT_S: Final = 30
_STOP_TIMEOUT_S: Final = 15


def require_proxy() -> None:
    """Say before anything is begun or written that the demo cannot record here.

    Raises:
        SetupError: the proxy extra is missing.
    """
    if find_spec("mitmproxy") is None:
        raise SetupError("the demo records, which needs the proxy extra: pipx install 'gemtape[proxy]'")


@contextmanager
def recording(cassette: Path, upstream: str = "") -> Iterator[str]:
    """Record into `cassette`, replacing what is there, until the block ends.

    Yields:
        The proxy's base URL.

    Raises:
        SetupError: the proxy did not start.
    """
    port = _free_port()
    arguments = ["record", str(cassette), "--port", str(port)]
    arguments += ["--replace"] if cassette.exists() else []
    arguments += ["--upstream", upstream] if upstream else []
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "gemtape.cli", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        _wait_until_listening(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=_STOP_TIMEOUT_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_listening(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SetupError(f"the proxy did not start: {(process.communicate()[1] or '').strip()}")
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SetupError(f"the proxy did not listen within {_START_TIMEOUT_S} s")
