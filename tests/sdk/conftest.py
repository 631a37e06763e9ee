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
GOOGLE_GENAI_2 = "google-genai==2.34.0"
AIOHTTP = "aiohttp==3.14.5"


def _environment(name: str, environ: dict[str, str], *requirements: str) -> Path:
    """The Python of an environment with these packages; made once, then quick."""
    folder = ROOT / f".venv-{name}-{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / "bin" / "python"
    stamp = folder / "made-of.txt"
    wanted = "\n".join(requirements)
    with FileLock(f"{folder}.lock"):
        if not (stamp.is_file() and stamp.read_text() == wanted):
            if find_spec("uv"):
                uv = [sys.executable, "-m", "uv"]
                subprocess.run(
                    [*uv, "venv", "-q", "--clear", "-p", sys.executable, folder], check=True, env=environ
                )
                subprocess.run(
                    [*uv, "pip", "install", "-q", "-p", python, *requirements], check=True, env=environ
                )
            else:
                subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
                subprocess.run([python, "-m", "pip", "install", "-q", *requirements], check=True, env=environ)
            stamp.write_text(wanted)
    return python


@pytest.fixture(scope="session")
def genai_python(outside_environ: dict[str, str]) -> Path:
    """A Python with google-genai, and without gemtape and mitmproxy."""
    return _environment("genai", outside_environ, GOOGLE_GENAI)


@pytest.fixture(scope="session")
def genai2_python(outside_environ: dict[str, str]) -> Path:
    """A Python with the major version before."""
    return _environment("genai2", outside_environ, GOOGLE_GENAI_2)


@pytest.fixture(scope="session")
def aiohttp_python(outside_environ: dict[str, str]) -> Path:
    """A Python with google-genai and aiohttp, which its async client then prefers."""
    return _environment("genai-aiohttp", outside_environ, GOOGLE_GENAI, AIOHTTP)


@pytest.fixture(scope="session")
def genai_gemtape_python(outside_environ: dict[str, str]) -> Path:
    """A Python with google-genai and gemtape without extras, as in-process replay needs it."""
    return _environment("genai-gemtape", outside_environ, GOOGLE_GENAI, "-e", str(ROOT))
