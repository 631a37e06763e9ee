"""What recording and replaying beside a command have in common."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
import pytest
from click.testing import CliRunner

from gemtape.cassettes.environment import client_variables
from gemtape.cassettes.errors import SetupError
from gemtape.cli.beside import COMMAND, BesideCommand, check_beside, no_traffic, overridden, run_beside
from gemtape.cli.main import gemtape


@contextmanager
def door(events: list[str]) -> Iterator[str]:
    events.append("opened")
    yield "http://127.0.0.1:1"
    os.kill(os.getpid(), signal.SIGTERM)
    events.append("closed")


def variables(url: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    return {"WHERE": url, "BEFORE": str("WHERE" in environ)}


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_command_runs_while_the_door_is_open_and_a_signal_lets_it_close(capfd: pytest.CaptureFixture[str]):
    events: list[str] = []
    shown = "import os; print(os.environ['WHERE'], os.environ['BEFORE'], 'PATH' in os.environ)"
    code = run_beside(python(f"{shown}; raise SystemExit(3)"), door(events), variables)

    assert code == 3
    assert events == ["opened", "closed"]
    assert capfd.readouterr().out == "http://127.0.0.1:1 False True\n"
    assert "WHERE" not in os.environ


def test_door_is_not_opened_for_a_command_that_is_nowhere():
    events: list[str] = []
    with pytest.raises(SetupError, match="cannot run no-such-program: "):
        run_beside(["no-such-program"], door(events), variables)

    assert events == []


def test_command_line_without_a_slip_passes():
    check_beside([], openai=False, name="replay")
    check_beside(["npm", "test"], openai=True, name="record")


@pytest.mark.parametrize(
    ("command", "openai", "words"),
    [
        (["other.db"], False, "record takes one cassette or folder of them; other.db cannot be run"),
        ([], True, "--openai is for a COMMAND: gemtape record CASSETTE --openai -- COMMAND"),
    ],
)
def test_slip_in_the_command_line_is_named(command: list[str], openai: bool, words: str):
    with pytest.raises(click.UsageError) as slip:
        check_beside(command, openai=openai, name="record")

    assert words in slip.value.message


@click.command(cls=BesideCommand)
@click.argument("target")
@COMMAND
@click.option("--port")
@click.option("--append", is_flag=True)
def door_for(**given: object) -> None:
    click.echo(" ".join(str(value) for value in given.values()))


@pytest.mark.parametrize(
    ("arguments", "beside"),
    [
        ("run.db", ()),
        ("run.db --port 0 --append", ()),
        ("sh --append", ()),
        ("run.db -- sh -c exit", ("sh", "-c", "exit")),
        ("run.db --append -- npm test -- --watch", ("npm", "test", "--", "--watch")),
        ("sh -- sh -e", ("sh", "-e")),
        ("-- run.db sh -e", ("sh", "-e")),
        ("run.db sh run.sh -", ("sh", "run.sh", "-")),
    ],
)
def test_command_is_told_from_options_by_dashes(arguments: str, beside: tuple[str, ...]):
    outcome = CliRunner().invoke(door_for, arguments.split())

    assert outcome.exit_code == 0, outcome.output
    assert str(beside) in outcome.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run.db sh -c exit", "before that: door-for run.db -- sh -c exit"),
        ("run.db --port 0 sh run.sh --port 1", "before that: door-for run.db --port 0 -- sh run.sh --port 1"),
        ("--append run.db sh --help", "before that: door-for --append run.db -- sh --help"),
        ("run.db npm test -- --watch", "before that: door-for run.db -- npm test -- --watch"),
        ("run.db sh -c a\nb", "before that: door-for run.db -- sh …"),
        (f"run.db sh -c {'a' * 300}", "before that: door-for run.db -- sh …"),
        ("sh -c exit", "name a cassette or a folder before the command: door-for run.db -- sh …"),
        ("sh run.sh -e", "name a cassette or a folder before the command: door-for run.db -- sh …"),
        ("sh run.sh", "name a cassette or a folder before the command: door-for run.db -- sh …"),
        ("-- sh -e", "name a cassette or a folder before the command: door-for run.db -- sh …"),
    ],
)
def test_missing_dashes_or_cassette_is_one_line_with_the_right_command(arguments: str, words: str):
    outcome = CliRunner().invoke(door_for, arguments.split(" "))

    assert outcome.exit_code == 2
    assert outcome.output.endswith(f"{words}\n")


@pytest.mark.parametrize("arguments", ["run.db --prot 0 sh -e", "sh --prot 0", "run.db -x", "--prot sh -e"])
def test_misspelt_option_of_ours_is_called_that(arguments: str):
    outcome = CliRunner().invoke(door_for, arguments.split())

    assert outcome.exit_code == 2
    assert "Error: No such option" in outcome.output


@pytest.mark.parametrize("name", ["record", "replay", "drill"])
def test_every_command_that_runs_one_knows_of_forgotten_dashes(name: str):
    outcome = CliRunner().invoke(gemtape, [name, "run.db", "sh", "-c", "exit 3"], prog_name="gemtape")

    assert outcome.exit_code == 2
    assert outcome.output.endswith(f": gemtape {name} run.db -- sh -c 'exit 3'\n")


def test_base_urls_of_the_users_own_are_noticed():
    own = {
        "GOOGLE_GEMINI_BASE_URL": "https://gateway.example",
        "GOOGLE_VERTEX_BASE_URL": "",
        "GEMINI_API_BASE": "http://127.0.0.1:1/v1beta",
        "OPENAI_BASE_URL": "https://elsewhere.example",
        "NO_PROXY": "internal.example",
    }
    added = client_variables("http://127.0.0.1:1", own, dummy_key=False)

    assert overridden(added, own) == {"GOOGLE_GEMINI_BASE_URL": "https://gateway.example"}


def test_words_of_no_traffic_name_what_leads_clients_here():
    given = client_variables("http://127.0.0.1:1", {}, dummy_key=True, openai=True)

    assert (
        "by GOOGLE_GEMINI_BASE_URL, GOOGLE_VERTEX_BASE_URL, GEMINI_API_BASE or OPENAI_BASE_URL, read"
    ) in no_traffic(given)
