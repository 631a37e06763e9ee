"""pytest with `--gemtape=new` and a real client: a suite that grows by a talk asks the upstream for that talk only."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.another import CITY, write_another
from tests.e2e.clients import CLIENTS
from tests.e2e.running import BIN, HERE, KEY
from tests.e2e.upstream import Google
from tests.environments import ROOT, python_environment

pytestmark = pytest.mark.e2e

FLOW = HERE / "flows" / "chat.jsonl"
STEPS = len(FLOW.read_text().splitlines())
SUITE = """
import os

import pytest
from google import genai
from google.genai import types


def get_weather(city: str) -> dict:
    "Get the weather of a city."
    return {"celsius": int(os.environ.get("CELSIUS", "31"))}


def get_time(tz: str) -> str:
    "Get the time in a time zone."
    return "12:00"


@pytest.mark.gemtape
def test_talks():
    client = genai.Client()
    tools = types.GenerateContentConfig(tools=[get_weather, get_time])
    for city in os.environ["CITIES"].split():
        chat = client.chats.create(model="gemini-3-pro-preview", config=tools)
        messages = [f"Weather and time in {city}?", "Thank you."]
        assert [chat.send_message(message).text for message in messages] == [
            "31 degrees, and it is noon.",
            "You are welcome.",
        ]
"""


def test_suite_that_grows_by_a_talk(tmp_path: Path, outside_environ: dict[str, str]):
    packages = next(client for client in CLIENTS if client.name == "google-genai 3.x").packages
    python = python_environment("e2e-pytest", outside_environ, *packages, "pytest", "-e", str(ROOT))
    (tmp_path / "test_city.py").write_text(SUITE)
    cassette = tmp_path / "cassettes" / "test_city" / "test_talks.db"

    def suite(upstream: Google | None, key: str = "", **environ: str) -> str:
        """Run it, with an upstream to go on recording; gives what it said."""
        arguments = [python, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path]
        if upstream:
            recorder = f"--gemtape-recorder={BIN / 'gemtape'}"
            arguments += ["--gemtape=new", f"--gemtape-upstream={upstream.url}", recorder]
        variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **environ}
        if key:
            variables["GEMINI_API_KEY"] = key
        done = subprocess.run(
            arguments, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=180, check=False
        )
        return done.stdout + done.stderr

    google = Google(FLOW, KEY)
    said = suite(google, KEY, CITIES="Pune")
    google.close()
    assert "1 passed" in said, said
    assert (len(google.received), google.problems) == (STEPS, [])

    # This upstream holds, and has issued, nothing of the first talk.
    google = Google(write_another(FLOW, tmp_path / "another.jsonl"), KEY)
    try:
        said = suite(google, KEY, CITIES=f"Pune {CITY}")
        assert "1 passed" in said, said
        assert (len(google.received), google.problems, google.refusals) == (STEPS, [], [])
        assert f"recorded cassettes/test_city/test_talks.db: {STEPS} more exchanges" in said
        kept = cassette.read_bytes()

        said = suite(google, KEY, CITIES="Pune", CELSIUS="12")
        assert "1 failed" in said, said
        assert re.search(
            "^miss  request 2, .*It goes on from exchange 1 of the cassette", said, re.MULTILINE
        ), said
        assert len(google.received) == STEPS
        assert cassette.read_bytes() == kept
    finally:
        google.close()

    said = suite(None, CITIES=f"Pune {CITY}")
    assert "1 passed" in said, said
