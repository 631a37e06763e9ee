"""The drill against real applications: google-genai with automatic function calling, and google-adk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gemtape.cli.main import gemtape
from tests.e2e.clients import CLIENTS
from tests.environments import ROOT, python_environment

pytestmark = pytest.mark.e2e

PACKAGES = {client.name: client.packages for client in CLIENTS}
PROGRAMS = Path(__file__).parent / "programs"
EXAMPLE = ROOT / "examples" / "forecast-agent"
REPAIRED = ("rejected", "right", 1)
ALWAYS = {
    "valid": ("ran", "right", 0),
    "undeclared-argument": ("ignored", "right", 0),
    "undeclared-function": ("crashed", "crashed", 0),
}
"""What google-genai decides before the function is called."""
EXECUTED = ("executed", "wrong", 0)
VERDICTS = {
    "none": {
        "bad-enum": EXECUTED,
        "string-number": EXECUTED,
        "missing-required": EXECUTED,
        "out-of-range": EXECUTED,
    },
    "coerce": {
        "bad-enum": REPAIRED,
        "string-number": ("coerced", "right", 0),
        "missing-required": REPAIRED,
        "out-of-range": REPAIRED,
    },
    "strict": {
        "bad-enum": REPAIRED,
        "string-number": REPAIRED,
        "missing-required": REPAIRED,
        "out-of-range": REPAIRED,
    },
}


def _drilled(cassette: Path, *command: object) -> tuple[int, dict[str, tuple[str, str, int]]]:
    """The exit code of a drill, and verdict, outcome and repair turns of each proposal."""
    transcript = EXAMPLE / "forecast.jsonl"
    runner = CliRunner()
    assert runner.invoke(gemtape, ["import", str(transcript), str(cassette)]).exit_code == 0
    arguments = ["drill", str(cassette), "--format", "json", "--", *map(str, command)]
    outcome = runner.invoke(gemtape, arguments)
    (drill,) = json.loads(outcome.stdout)["drills"]
    assert drill["stable"], outcome.output
    found = {run["proposal"]: (run["verdict"], run["outcome"], run["repair_turns"]) for run in drill["runs"]}
    return outcome.exit_code, found


@pytest.mark.parametrize("validation", VERDICTS)
def test_google_genai_under_each_validation(validation: str, tmp_path: Path, outside_environ: dict[str, str]):
    python = python_environment("e2e-google-genai-3", outside_environ, *PACKAGES["google-genai 3.x"])

    code, found = _drilled(tmp_path / "forecast.db", python, EXAMPLE / "agent.py", validation)

    assert found == {**ALWAYS, **VERDICTS[validation]}
    assert code == (1 if validation == "none" else 0)


def test_the_example_is_sound(tmp_path: Path):
    outcome = CliRunner().invoke(gemtape, ["report", str(EXAMPLE / "forecast.jsonl")])

    assert outcome.exit_code == 0
    assert "0 errors, 0 warnings" in outcome.output


def test_google_adk_with_a_function_that_checks_nothing(tmp_path: Path, outside_environ: dict[str, str]):
    python = python_environment("e2e-google-adk", outside_environ, *PACKAGES["google-adk"])

    code, found = _drilled(tmp_path / "forecast.db", python, "-P", PROGRAMS / "adk_forecast.py")

    assert found == {
        "valid": ("ran", "right", 0),
        "bad-enum": EXECUTED,
        "string-number": EXECUTED,
        "missing-required": REPAIRED,  # ADK asks for mandatory arguments itself, and knows its functions
        "out-of-range": EXECUTED,
        "undeclared-argument": ("ignored", "right", 0),
        "undeclared-function": REPAIRED,
    }
    assert code == 1
