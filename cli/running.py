"""Running the user's command beside a door: signals passed on, its end told as a shell tells it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ..cassettes.errors import SetupError

_PASSED_ON: Final = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
"""Signals that are meant for the command; not all of them exist everywhere."""
_FROM_THE_KEYBOARD: Final = ("SIGINT", "SIGQUIT")
_SIGNALLED: Final = 128
"""What a shell adds to the number of the signal that ended a command."""


def run(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a command until it ends, with our own input and output. To be called on the main thread.

    Args:
        command: the program, looked up on the path, and its arguments.
        environ: its whole environment.

    Returns:
        Its exit code; 128 and the signal's number where a signal ended it.

    Raises:
        SetupError: it cannot be started.
    """
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def pass_on(number: int) -> None:
        if process is None:
            early.append(number)
        else:
            process.send_signal(number)

    with _signals(pass_on):
        # Windows starts scripts such as npm.cmd only by their whole name.
        program = shutil.which(command[0], path=environ.get("PATH")) or command[0]
        try:
            process = subprocess.Popen([program, *command[1:]], env=dict(environ))  # noqa: S603 - the user's own
        except OSError as error:
            raise SetupError(f"cannot run {command[0]}: {error.strerror}") from error
        for number in early:
            process.send_signal(number)
        code = process.wait()
    return code if code >= 0 else _SIGNALLED - code


@contextmanager
def _signals(pass_on: Callable[[int], None]) -> Iterator[None]:
    """Hand on the signals that come, and be what they were afterwards; those that we are to ignore stay ignored.

    What the keyboard sends reaches a command by itself that shares a terminal with us, and twice would be once too often:
    the second Ctrl-C ends most programs before they have cleaned up.
    """

    def handle(number: int, _: Any) -> None:
        if signal.Signals(number).name not in _FROM_THE_KEYBOARD or not _at_the_terminal():
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
