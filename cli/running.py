"""Running the user's command beside a door: signals passed on, its end told as a shell tells it."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

from ..cassettes.errors import SetupError
from .feeding import Input

_PASSED_ON: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
"""Signals that are meant for the command; not all of them exist everywhere."""
_FROM_THE_KEYBOARD: Final = ("SIGINT", "SIGQUIT")
_LOOKED_EVERY_S: Final = 0.05
_LAST_WORDS_S: Final = 2.0
"""How long a command that is ended has to clean up."""
_SIGNALLED: Final = 128
"""What a shell adds to the number of the signal that ended a command."""


class Relay:
    """Runs a command that gets the signals which come to us; those from before its start reach it then."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._apart = False
        """Whether the command is the first of a process group of its own."""
        self._early: list[int] = []
        self.signalled = 0
        """The signal that came last; 0 while none did."""

    def run(self, command: Sequence[str], environ: Mapping[str, str]) -> int:
        """Run a command until it ends, with our own input and output.

        Args:
            command: the program, looked up on the path, and its arguments.
            environ: its whole environment.

        Returns:
            Its exit code; 128 and the signal's number where a signal ended it.

        Raises:
            SetupError: it cannot be started.
        """
        return _as_a_shell(self._start(command, environ).wait())

    def run_apart(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        given: Input,
        output: int,
        hangs: Callable[[], bool],
    ) -> int:
        """Run a command that may hang until it ends or is ended, and with it all that it started and left behind.

        Args:
            command: the program, looked up on the path, and its arguments.
            environ: its whole environment.
            given: its input.
            output: a file descriptor for what it writes.
            hangs: asked again and again while it runs; once true, the command is ended.

        Returns:
            Its exit code; 128 and the signal's number where a signal ended it.

        Raises:
            SetupError: it cannot be started.
        """
        self._apart = os.name == "posix"
        how: dict[str, Any] = {"process_group": 0} if self._apart else {}
        process = self._start(command, environ, stdin=subprocess.PIPE, stdout=output, stderr=output, **how)
        assert process.stdin  # noqa: S101 - asked for
        try:
            with given.into(process.stdin):
                return _as_a_shell(_wait(process, hangs, self._send))
        finally:
            self._send(getattr(signal, "SIGKILL", signal.SIGTERM))  # whoever is still there

    def _start(
        self, command: Sequence[str], environ: Mapping[str, str], **how: Any
    ) -> subprocess.Popen[bytes]:
        program = find_program(command[0], environ)
        try:
            words = [program, *command[1:]]
            process = cast("subprocess.Popen[bytes]", subprocess.Popen(words, env=dict(environ), **how))  # noqa: S603 - the user's own
        except OSError as error:
            raise SetupError(f"cannot run {command[0]}: {error.strerror}") from error
        self._process = process
        for number in self._early:
            self._send(number)
        return process

    def _send(self, number: int) -> None:
        """Send a signal to the command, and where it runs apart to all that it started."""
        if self._process is None:
            return
        if not self._apart:
            self._process.send_signal(number)
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def pass_on(self, number: int) -> None:
        """Let the command have a signal; when it has ended there is nobody to have it.

        What the keyboard sends reaches a command by itself that shares a terminal with us, and twice would be once too
        often: the second Ctrl-C ends most programs before they have cleaned up.
        """
        self.signalled = number
        if self._process is None:
            self._early.append(number)
        elif self._apart or signal.Signals(number).name not in _FROM_THE_KEYBOARD or not _at_the_terminal():
            self._send(number)


def _as_a_shell(code: int) -> int:
    """An exit code as a shell tells it."""
    return code if code >= 0 else _SIGNALLED - code


def _wait(process: subprocess.Popen[bytes], hangs: Callable[[], bool], send: Callable[[int], None]) -> int:
    """The exit code of a process that ends by itself, or is ended."""
    while not hangs():
        with suppress(subprocess.TimeoutExpired):
            return process.wait(_LOOKED_EVERY_S)
    send(signal.SIGTERM)
    try:
        return process.wait(_LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def find_program(name: str, environ: Mapping[str, str]) -> str:
    """Where a program is; Windows starts scripts such as npm.cmd only by their whole name.

    Raises:
        SetupError: it is nowhere, or cannot be run.
    """
    program = shutil.which(name, path=environ.get("PATH"))
    if program is None:
        code = errno.EACCES if Path(name).name != name and Path(name).exists() else errno.ENOENT
        raise SetupError(f"cannot run {name}: {os.strerror(code)}")
    return program


@contextmanager
def relayed() -> Iterator[Relay]:
    """Take the signals that are meant for a command; to be used on the main thread.

    They are what they were afterwards, so what must not be broken off when the command has ended, such as closing what
    it worked with, belongs into this block too. Those that we are to ignore stay ignored.
    """
    relay = Relay()
    with _signals(relay.pass_on):
        yield relay


@contextmanager
def _signals(pass_on: Callable[[int], None]) -> Iterator[None]:
    def handle(number: int, _: Any) -> None:
        pass_on(number)

    numbers = [getattr(signal, name) for name in _PASSED_ON if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    handled = [number for number in numbers if before[number] is not signal.SIG_IGN]
    for number in handled:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, before[number])


def _at_the_terminal() -> bool:
    """Whether the keyboard's signals go to our process group, and so to the command."""
    if os.name == "nt":
        return True
    try:
        with Path("/dev/tty").open("rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
