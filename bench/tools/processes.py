"""Servers in processes of their own: started, waited for, measured, ended."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server that listens."""

    def __init__(self, name: str, process: subprocess.Popen, port: int) -> None:
        self.name = name
        self.port = port
        self._process = process

    def cpu(self) -> float:
        """CPU seconds that it has used; not a number where the system does not tell."""
        try:
            fields = (
                Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            )
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / _TICKS


def script(name: str) -> str:
    """A command that is installed in this environment."""
    return str(Path(sysconfig.get_path("scripts")) / name)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def serving(name: str, command: Sequence[str], port: int) -> Iterator[Server]:
    """Run a server until the end of the block; it has to listen on the port within 30 seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{name} does not listen: {' '.join(command)}")
            time.sleep(0.05)
        yield Server(name, process, port)
    finally:
        process.terminate()
        process.wait()
