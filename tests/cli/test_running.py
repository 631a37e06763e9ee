"""A command of the user's, run by ours: what it gets, what its end is told as, and the signals that reach it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.cli.feeding import Input
from gemtape.cli.running import relayed

# Runs the command in its arguments, as the runners do, and tells its exit code.
RUNNER = """
import os, sys
from gemtape.cli.running import relayed
with relayed() as relay:
    print('code', relay.run(sys.argv[1:], os.environ))
"""
# Says that it is there, then which signals come, until the second line of its input or of them.
LISTENER = """
import signal, sys, time
def told(number, _):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        sys.exit(7)
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"):
    if signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        print(name, "is ignored", flush=True)
    else:
        signal.signal(getattr(signal, name), told)
print("ready", flush=True)
while True:
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def not_ignored() -> Iterator[None]:
    """What runs under nohup, or in the background of a shell, inherits ignored signals; these tests are about others."""
    numbers = [getattr(signal, name) for name in ("SIGHUP", "SIGINT", "SIGQUIT")]
    before = [signal.getsignal(number) for number in numbers]
    for number, handler in zip(numbers, before, strict=True):
        if handler is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def run(command: list[str], environ: Mapping[str, str]) -> int:
    with relayed() as relay:
        return relay.run(command, environ)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_exit_code_is_the_commands():
    assert run(python("raise SystemExit(3)"), os.environ) == 3
    assert run(python(""), os.environ) == 0


def test_command_that_a_signal_ended_is_told_as_by_a_shell():
    assert run(python("import os; os.kill(os.getpid(), 9)"), os.environ) == 137


def test_command_gets_its_environment_and_our_output(tmp_path: Path, capfd):
    code = run(python("import os; print(os.environ['GREETING'], 'PATH' in os.environ)"), {"GREETING": "hi"})

    assert code == 0
    assert capfd.readouterr().out == "hi False\n"


def test_command_is_looked_up_on_its_own_path(tmp_path: Path, capfd):
    program = tmp_path / "greet"
    program.write_text("#!/bin/sh\necho hello $1\n")
    program.chmod(0o755)

    assert run(["greet", "you"], {"PATH": str(tmp_path)}) == 0
    assert capfd.readouterr().out == "hello you\n"


@pytest.mark.parametrize("name", ["no-such-program", "/", ""])
def test_command_that_cannot_be_started_is_said_so(name: str):
    with pytest.raises(SetupError, match=f"cannot run {name}: "):
        run([name], os.environ)


@pytest.fixture
def runner():
    """The listener under the runner, in a process group of its own and with no terminal."""
    with subprocess.Popen(
        [*python(RUNNER), *python(LISTENER)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"])
def test_signals_are_passed_on_and_the_command_decides(runner: subprocess.Popen[str], name: str):
    assert runner.stdout
    runner.send_signal(getattr(signal, name))
    assert runner.stdout.readline() == f"{name}\n"

    runner.send_signal(signal.SIGTERM)
    assert runner.stdout.read() == "SIGTERM\ncode 7\n"


def test_signal_that_comes_before_the_command_reaches_it():
    with relayed() as relay:
        os.kill(os.getpid(), signal.SIGTERM)

        assert relay.run(python("import time; time.sleep(60)"), os.environ) == 128 + signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_that_comes_after_the_command_breaks_nothing_off(number: int):
    with relayed() as relay:
        assert relay.run(python(""), os.environ) == 0
        os.kill(os.getpid(), number)


def test_ignored_signals_stay_ignored():
    """As under nohup."""
    ignoring = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); {RUNNER}"
    with subprocess.Popen(
        [*python(ignoring), *python(LISTENER)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "SIGHUP is ignored\n"
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)

        assert "SIGHUP" not in process.stdout.read()


def test_ctrl_c_at_a_terminal_reaches_the_command_once():
    """The terminal sends it to the command as well as to us."""
    at_terminal = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {RUNNER}"
    ours, theirs = pty.openpty()
    with (
        os.fdopen(ours, "wb", buffering=0) as keyboard,
        subprocess.Popen(
            [*python(at_terminal), *python(LISTENER)],
            stdin=theirs,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        os.close(theirs)
        assert process.stdout
        try:
            while (
                process.stdout.readline() != "ready\n"
            ):  # what is ignored, such as SIGHUP under nohup, comes first
                assert process.poll() is None
            keyboard.write(b"\x03")
            assert process.stdout.readline() == "SIGINT\n"
            process.send_signal(signal.SIGTERM)
            assert process.stdout.read() == "SIGTERM\ncode 7\n"
        finally:
            process.kill()


def test_our_own_handlers_are_back_afterwards():
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = [signal.getsignal(number) for number in numbers]
    run(python(""), os.environ)

    assert [signal.getsignal(number) for number in numbers] == before


def test_a_command_that_hangs_is_ended_and_its_output_kept_apart(tmp_path: Path):
    output = tmp_path / "said"
    asked = []

    def hangs() -> bool:
        asked.append(True)
        return output.read_text().strip() == "here"

    with output.open("wb") as file, relayed() as relay:
        code = relay.run_apart(
            [sys.executable, "-uc", "print('here'); import time; time.sleep(60)"],
            os.environ,
            given=Input(),
            output=file.fileno(),
            hangs=hangs,
        )

    assert code == 128 + signal.SIGTERM
    assert len(asked) > 1
    assert relay.signalled == 0


def test_a_command_that_does_not_mind_is_killed(tmp_path: Path):
    ready = tmp_path / "ready"
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"open({str(ready)!r}, 'w'); time.sleep(60)"
    )
    with relayed() as relay:
        code = relay.run_apart(
            python(program),
            os.environ,
            given=Input(),
            output=subprocess.DEVNULL,
            hangs=ready.exists,
        )

    assert code == 128 + signal.SIGKILL


@pytest.mark.parametrize("hangs", [True, False])
def test_what_a_command_leaves_behind_is_ended_with_it(tmp_path: Path, hangs: bool):
    ready = tmp_path / "ready"
    child = f"import os, time; open({str(ready)!r}, 'w').write(str(os.getppid())); time.sleep(60)"
    program = (
        f"import subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"while not {hangs} and not __import__('os').path.exists({str(ready)!r}): time.sleep(0.01)\n"
        f"{'child.wait()' if hangs else ''}"
    )
    ours, theirs = os.pipe()
    with relayed() as relay:
        relay.run_apart(python(program), os.environ, given=Input(), output=theirs, hangs=ready.exists)
    os.close(theirs)

    with os.fdopen(ours, "rb") as said:
        assert said.read() == b""  # at its end only once nobody holds the other side


def test_a_command_apart_gets_input_and_signals(tmp_path: Path):
    """Also those of the keyboard, which know only our own process group."""
    said, ours = tmp_path / "said", tmp_path / "ours"
    ours.write_bytes(b"stop\n")
    sent = False

    def hangs() -> bool:
        nonlocal sent
        if not sent and "ready" in said.read_text():
            os.kill(os.getpid(), signal.SIGINT)
            sent = True
        if "SIGINT" in said.read_text():
            os.kill(os.getpid(), signal.SIGTERM)
        return False

    listener = f"import sys; print(sys.stdin.readline(), flush=True)\n{LISTENER}"
    with said.open("wb") as file, ours.open("rb") as source, relayed() as relay:
        given = Input(source.fileno())
        code = relay.run_apart(python(listener), os.environ, given=given, output=file.fileno(), hangs=hangs)

    assert code == 7
    assert said.read_text().split() == ["stop", "ready", "SIGINT", "SIGTERM"]
    assert relay.signalled == signal.SIGTERM
