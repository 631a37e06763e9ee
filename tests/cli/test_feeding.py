"""One standard input for several commands."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from gemtape.cli.feeding import Input

LARGE = b"line\n" * 100_000


def _run(given: Input, code: str = "print(sys.stdin.read(), end='')") -> bytes:
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; {code}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        with given.into(process.stdin):
            return process.stdout.read()


@pytest.fixture
def ends():
    ours, theirs = os.pipe()
    yield ours, theirs
    os.close(ours)


def test_every_command_gets_all_of_it(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(LARGE)
    with path.open("rb") as file:
        given = Input(file.fileno())

        assert [_run(given) == LARGE for _ in range(3)] == [True] * 3


def test_what_comes_later_reaches_the_command_that_runs(ends: tuple[int, int]):
    ours, theirs = ends
    given = Input(ours)
    os.write(theirs, b"one\n")

    assert _run(given, "print(sys.stdin.readline(), end='')") == b"one\n"
    os.write(theirs, b"two\n")
    assert _run(given, "print(sys.stdin.readline() + sys.stdin.readline(), end='')") == b"one\ntwo\n"
    os.close(theirs)
    assert _run(given) == b"one\ntwo\n"


def test_a_command_that_reads_nothing_is_not_waited_for(ends: tuple[int, int]):
    ours, theirs = ends
    os.write(theirs, b"x" * 60_000)

    assert _run(Input(ours), "print('done')") == b"done\n"
    os.close(theirs)


def test_a_terminal_counts_as_empty():
    ours, theirs = pty.openpty()
    os.write(ours, b"typed\n")

    assert _run(Input(theirs)) == b""
    os.close(ours)
    os.close(theirs)


def test_no_standard_input_counts_as_empty():
    assert _run(Input(999)) == b""
