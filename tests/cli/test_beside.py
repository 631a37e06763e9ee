"""What recording and replaying beside a command have in common."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
import pytest

from gemtape.cassettes.environment import client_variables
from gemtape.cassettes.errors import SetupError
from gemtape.cli.beside import check_beside, no_traffic, overridden, run_beside


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
    check_beside("run.db", [], openai=False, name="replay")
    check_beside("run.db", ["npm", "test"], openai=True, name="record")


@pytest.mark.parametrize(
    ("target", "command", "openai", "words"),
    [
        (
            "run.db",
            ["other.db"],
            False,
            "record takes one cassette or folder of them; other.db cannot be run",
        ),
        ("run.db", [], True, "--openai is for a COMMAND: gemtape record CASSETTE --openai -- COMMAND"),
        (
            "sh",
            ["agent.sh"],
            False,
            "name a cassette or a folder before the command: gemtape record run.db -- sh",
        ),
    ],
)
def test_slip_in_the_command_line_is_named(target: str, command: list[str], openai: bool, words: str):
    with pytest.raises(click.UsageError) as slip:
        check_beside(target, command, openai=openai, name="record")

    assert words in slip.value.message


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
