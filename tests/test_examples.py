"""The projects in examples/ are what a user could have: they run as their READMEs say, in a copy of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(
            EXAMPLES / "pytest-project",
            tmp_path / "project",
            ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"),
        )
    )


def run_pytest(project: Path, *arguments: str) -> tuple[int, str]:
    """What a user types, with proxies that lead nowhere: nothing may leave this machine."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=project,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def cassettes(project: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project / "cassettes").rglob("*") if path.is_file()}


def test_pytest_project_passes_from_its_cassettes(project: Path):
    before = cassettes(project)
    code, said = run_pytest(project, "-v")

    assert code == 0, said
    assert "4 passed" in said
    assert "4 tests replayed: 10 requests" in said
    assert cassettes(project) == before
    assert all(len(content) < 40_000 for content in before.values())


def test_pytest_project_explains_what_an_edited_prompt_changes(project: Path):
    agent = project / "agent.py"
    agent.write_text(agent.read_text().replace("You answer customers", "You help customers"))
    code, said = run_pytest(project)

    assert code == 1
    assert "4 failed" in said
    assert len(re.findall(r"^miss  request 1, POST ", said, re.MULTILINE)) == 4
    assert 'recorded "You answer customers who ask' in said
    assert 'got "You help customers who ask' in said
    assert "JSON Pointer: /systemInstruction/parts/0/text" in said
    assert "record it again: pytest --gemtape=record test_agent.py::test_does_not_make_up_an_order" in said


def test_pytest_project_tells_of_a_cassette_that_is_missing(project: Path):
    (project / "cassettes/test_agent/test_does_not_make_up_an_order.db").unlink()
    code, said = run_pytest(project)

    assert code == 1
    assert "3 passed" in said
    assert (
        "gemtape: there is no cassette cassettes/test_agent/test_does_not_make_up_an_order.db. To record it: "
        "pytest --gemtape=record test_agent.py::test_does_not_make_up_an_order\n"
    ) in said
