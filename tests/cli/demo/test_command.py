"""``gemtape demo`` from beginning to end, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gemtape.cassettes.store import Cassette


def _demo(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gemtape.cli", "demo", *arguments],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_records_replays_breaks_and_reports(tmp_path: Path):
    """Twice in one folder: what the first run left does not disturb the second."""
    _demo(tmp_path)
    done = _demo(tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert words.count("The agent answers: Both orders are refunded: 45.99 and 12.50.") == 2
    assert "refundOrder(orderId=ORD-100, amountCents=4599)" in words
    assert "HTTP 400: Function call is missing a thought_signature in functionCall parts." in words
    assert "HTTP 400: Please ensure that function response turn comes immediately after" in words
    assert "missing-signature /contents/1/parts/0" in words
    assert "orphan-response /contents/1/parts/0" in words
    assert "dropped-model-turn /contents/1 the answer of exchange" in words
    with Cassette.read(tmp_path / "gemtape-demo" / "refunds.db") as refunds:
        assert [entry.status for entry in refunds.entries()] == [200, 200, 200]
    with Cassette.read(tmp_path / "gemtape-demo" / "broken.db") as broken:
        assert [entry.status for entry in broken.entries()] == [200, 400, 200, 400]
    assert sorted(path.name for path in (tmp_path / "gemtape-demo").iterdir()) == ["broken.db", "refunds.db"]


def test_the_commands_at_the_end_can_be_typed_as_they_are(tmp_path: Path):
    """Also where no shell finds gemtape by its name, as after ``make demo``."""
    program = Path(sys.executable).with_name("gemtape")

    done = subprocess.run(
        [program, "demo"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    _, _, farewell = done.stdout.partition("worth a look:\n")
    command = next(line for line in farewell.splitlines() if "report" in line)
    assert command.split() == [str(program), "report", str(Path("gemtape-demo", "broken.db"))]


def test_live_without_a_key_is_one_line_and_exit_code_2(tmp_path: Path):
    done = _demo(tmp_path, "--live", "gemini-3-flash-preview", GEMINI_API_KEY="")

    assert done.returncode == 2
    assert done.stderr == "gemtape: --live needs an API key in GEMINI_API_KEY\n"
