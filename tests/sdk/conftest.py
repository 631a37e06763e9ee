"""Environments of their own for real SDKs: never the one that the proxy runs in, as a user's would not be."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
GOOGLE_GENAI = "google-genai==3.6.1"


def _environment(name: str, *requirements: str) -> Path:
    """The Python of an environment with these packages; made once, then quick."""
    folder = ROOT / f".venv-{name}-{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / "bin" / "python"
    stamp = folder / "made-of.txt"
    wanted = "\n".join(requirements)
    with FileLock(f"{folder}.lock"):
        if not (stamp.is_file() and stamp.read_text() == wanted):
            if find_spec("uv"):
                uv = [sys.executable, "-m", "uv"]
                subprocess.run([*uv, "venv", "-q", "--clear", "-p", sys.executable, folder], check=True)
                subprocess.run([*uv, "pip", "install", "-q", "-p", python, *requirements], check=True)
            else:
                subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
                subprocess.run([python, "-m", "pip", "install", "-q", *requirements], check=True)
            stamp.write_text(wanted)
    return python


@pytest.fixture(scope="session")
def genai_python() -> Path:
    """A Python with google-genai, and without gemtape and mitmproxy."""
    return _environment("genai", GOOGLE_GENAI)
