"""`gemtape drill`: the bundled example on the command line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gemtape.cli.main import gemtape


def _run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(gemtape, ["drill", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_the_example_shows_the_plausible_wrong_answer_first():
    said = _run("--example", "forecast")

    assert 'get_forecast(city: "Pune", days: 3, unit: "kelvin") runs' in said
    assert "Pune: 24, 26, 25 kelvin" in said
    assert "wrong" in said


def test_all_combinations_stand_in_one_table():
    lines = _run("--example", "forecast", "--all").splitlines()

    assert len(lines) == 2 + 7 * 3
    assert sum("wrong" in line for line in lines) == 4
    assert '"103"' in next(line for line in lines if "string-number" in line and "none" in line)


def test_json_of_one_run():
    runs = json.loads(
        _run(
            "--example",
            "forecast",
            "--proposal",
            "bad-enum",
            "--validate",
            "strict",
            "--repairs",
            "0",
            "--format",
            "json",
        )
    )["runs"]

    assert [(run["outcome"], run["repairs"], run["calls"], run["result"]) for run in runs] == [
        ("rejected", 0, 1, None)
    ]


def test_json_of_all_runs():
    assert len(json.loads(_run("--example", "forecast", "--all", "--format", "json"))["runs"]) == 21


def test_mode_and_allowed_names_are_heeded():
    said = _run(
        *(
            "--example",
            "forecast",
            "--mode",
            "ANY",
            "--allowed",
            "get_forecast",
            "--proposal",
            "undeclared-function",
        )
    )
    assert "only get_forecast may be called" in said

    assert "outcome      text" in _run("--example", "forecast", "--mode", "NONE")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--example forecast"),
        (("--example", "forecast", "--all", "--proposal", "valid"), "--all takes every proposal"),
        (("--example", "forecast", "--allowed", "get_weather"), "declares get_forecast and nothing else"),
        (("--example", "weather"), "weather"),
        (("--example", "forecast", "--repairs", "-1"), "-1"),
    ],
)
def test_bad_usage_is_one_clear_error(arguments: tuple[str, ...], words: str):
    assert words in _run(*arguments, code=2)
