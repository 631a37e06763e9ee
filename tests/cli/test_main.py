"""The `gemtape` command as a shell sees it: output, exit codes, and what it imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from textwrap import indent

import click
import pytest

from gemtape.cassettes.version import VERSION
from gemtape.cli.main import COMMANDS

HEAVY = {"mitmproxy", "uvicorn", "sqlite_utils", "httpx", "uvloop"}
EACH_COMMAND = pytest.mark.parametrize("name", COMMANDS)


def gemtape(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """Run the installed console script."""
    script = Path(sys.executable).with_name("gemtape")
    return subprocess.run([script, *arguments], capture_output=True, text=True, check=False, **options)


def probe(
    tmp_path: Path, body: str, *, through: tuple[str, ...] = (), **options
) -> subprocess.CompletedProcess[str]:
    """Run `gemtape probe`, a command made for one test from the statements in `body`; `through` starts it."""
    (tmp_path / "probe.py").write_text(
        "import os, signal, click\nfrom gemtape.cassettes.errors import *\n"
        "@click.command()\n@click.pass_context\ndef command(context):\n" + indent(body, "    ")
    )
    start = "from gemtape.cli import main; main.COMMANDS['probe'] = main.Entry('probe', ''); main.main()"
    options = {"capture_output": True, "text": True, "cwd": tmp_path} | options
    return subprocess.run([*through, sys.executable, "-c", start, "probe"], check=False, **options)


def imported_by(*arguments: str) -> set[str]:
    """The packages that a run of the command imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "gemtape.cli", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in run.stderr.splitlines()}


def test_help_lists_every_command_with_its_line():
    run = gemtape("--help")

    lines = [" ".join(line.split()) for line in run.stdout.splitlines()]
    assert run.returncode == 0
    assert lines[-len(COMMANDS) :] == [f"{name} {entry.help}" for name, entry in COMMANDS.items()]


def test_help_imports_nothing_that_it_does_not_need():
    imported = imported_by("--help")

    assert "click" in imported, "the list of imports was read"
    assert imported & HEAVY == set()


@EACH_COMMAND
def test_help_of_a_command_never_imports_mitmproxy(name: str):
    assert "mitmproxy" not in imported_by(name, "--help")


@EACH_COMMAND
def test_command_and_its_options_have_help(name: str):
    command = import_module(COMMANDS[name].module, "gemtape.cli").command

    assert command.get_short_help_str(limit=200) == COMMANDS[name].help
    assert [o.name for o in command.params if isinstance(o, click.Option) and not o.help] == []


def test_every_command_is_in_the_table():
    folder = Path(__file__).parents[2] / "cli"
    made = {
        "." + ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if re.search(r"^def command\(", path.read_text(), re.MULTILINE)
    }

    assert made == {entry.module for entry in COMMANDS.values()}


def test_version():
    run = gemtape("--version")

    assert (run.returncode, run.stdout) == (0, f"gemtape {VERSION}\n")


def test_runs_as_a_module():
    run = subprocess.run(
        [sys.executable, "-m", "gemtape.cli", "--version"], capture_output=True, text=True, check=True
    )

    assert run.stdout == f"gemtape {VERSION}\n"


@pytest.mark.parametrize(
    "arguments", [["no-such-command"], ["--no-such-option"], ["report", "--no-such-option"]]
)
def test_usage_error_exits_2(arguments: list[str]):
    run = gemtape(*arguments)

    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.splitlines()[-1].startswith("Error: No such ")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("raise CassetteMissing('there is no runs/a.db')", "gemtape: there is no runs/a.db\n"),
        ("raise NotACassette('two\\n  lines')", "gemtape: two lines\n"),
        ("open('absent/report.html', 'w')", "gemtape: absent/report.html: No such file or directory\n"),
    ],
)
def test_what_a_user_can_cause_is_one_line_and_exit_code_2(tmp_path: Path, body: str, line: str):
    run = probe(tmp_path, body)

    assert (run.returncode, run.stdout, run.stderr) == (2, "", line)


@pytest.mark.parametrize("body", ["raise RuntimeError('ours')", "raise OSError(5, 'of no file')"])
def test_a_fault_of_ours_keeps_its_traceback(tmp_path: Path, body: str):
    run = probe(tmp_path, body)

    assert run.returncode == 1
    assert "Traceback" in run.stderr


def test_exit_code_of_a_command_is_kept(tmp_path: Path):
    run = probe(tmp_path, "context.exit(1)")

    assert (run.returncode, run.stderr) == (1, "")


def test_interrupt_exits_130_without_a_traceback(tmp_path: Path):
    run = probe(tmp_path, "os.kill(os.getpid(), signal.SIGINT)")

    assert (run.returncode, run.stderr) == (130, "\n")


@pytest.mark.parametrize(
    "body",
    ["print('row')", "print('row' * 100_000)", "print('row')\ncontext.exit(1)"],
    ids=["few", "many", "exit"],
)
def test_reader_that_left_is_no_error_to_speak_of(tmp_path: Path, body: str):
    reader, writer = os.pipe()
    os.close(reader)

    run = probe(tmp_path, body, capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)

    assert (run.returncode, run.stderr) == (141, "")


@pytest.mark.parametrize("closing", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault_of_ours(tmp_path: Path, closing: str):
    """What starts a program may have closed its streams, as some supervisors do: there is nobody to read."""
    body = (
        "import sys\nclick.echo('row')\nsys.stdout.buffer.write(b'row')\nsys.stderr.flush()\ncontext.exit(3)"
    )
    errors = tmp_path / "errors"

    run = probe(tmp_path, body, through=("sh", "-c", f'exec "$@" 2>{errors} {closing}', "sh"))

    assert run.returncode == 3
    assert not errors.read_text()


@pytest.mark.parametrize("name", ["ca", "addon"])
def test_a_command_line_in_help_can_be_copied(name: str):
    """It is not wrapped as prose is: each of its lines but the last ends in a backslash."""
    lines = gemtape(name, "--help").stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(("  curl ", "  mitmdump ")))

    assert lines[start].endswith(" \\")
    assert lines[start + 1].startswith("    ")
    assert lines[start + 2] == ""


def test_help_says_how_to_begin():
    assert "\n  gemtape record tapes/run.db -- python agent.py" in gemtape("--help").stdout
