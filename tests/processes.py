"""Programs under test as processes of their own: started, waited for, ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BIN = Path(sys.executable).parent


class Program:
    """A running program; `said` is what it wrote to stderr so far."""

    def __init__(self, name: str, *arguments: str | Path, cwd: Path, **environ: str) -> None:
        self.said = ""
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            [BIN / name, *arguments],
            cwd=cwd,
            env={**os.environ, "HOME": str(cwd), "PYTHONWARNINGS": "default::ResourceWarning", **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until it has said something."""
        with self._news:
            self._news.wait_for(lambda: re.search(pattern, self.said) or self._process.poll() is not None, 30)
        match = re.search(pattern, self.said)
        assert match, f"not said: {pattern}\n{self.said}"
        return match

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait; gives the exit code."""
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait until it ends by itself; gives the exit code."""
        code = self._process.wait(30)
        self._reader.join(30)
        return code

    def output(self) -> str:
        """What it wrote to stdout; it must have ended."""
        assert self._process.stdout
        return self._process.stdout.read()

    def pause(self) -> None:
        """Give it a moment; fails when it has ended."""
        with self._news:
            self._news.wait(0.1)
        assert self._process.poll() is None, self.said

    def close(self) -> None:
        """End it for good."""
        if self._process.poll() is None:
            self._process.kill()
        self.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()

    def _read(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            with self._news:
                self.said += line
                self._news.notify_all()
        self._process.wait()
        with self._news:
            self._news.notify_all()


@contextmanager
def program(name: str, *arguments: str | Path, cwd: Path, **environ: str) -> Iterator[Program]:
    """Run a program of this environment, and make sure that it ends."""
    running = Program(name, *arguments, cwd=cwd, **environ)
    try:
        yield running
    finally:
        running.close()
