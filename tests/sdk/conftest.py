"""The environments of the SDKs that these tests drive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.environments import ROOT, python_environment

GOOGLE_GENAI = "google-genai==3.6.1"
GOOGLE_GENAI_2 = "google-genai==2.34.0"
AIOHTTP = "aiohttp==3.14.5"


@pytest.fixture(scope="session")
def genai_python(outside_environ: dict[str, str]) -> Path:
    """A Python with google-genai, and without gemtape and mitmproxy."""
    return python_environment("genai", outside_environ, GOOGLE_GENAI)


@pytest.fixture(scope="session")
def genai2_python(outside_environ: dict[str, str]) -> Path:
    """A Python with the major version before."""
    return python_environment("genai2", outside_environ, GOOGLE_GENAI_2)


@pytest.fixture(scope="session")
def aiohttp_python(outside_environ: dict[str, str]) -> Path:
    """A Python with google-genai and aiohttp, which its async client then prefers."""
    return python_environment("genai-aiohttp", outside_environ, GOOGLE_GENAI, AIOHTTP)


@pytest.fixture(scope="session")
def genai_gemtape_python(outside_environ: dict[str, str]) -> Path:
    """A Python with google-genai and gemtape without extras, as in-process replay needs it."""
    return python_environment("genai-gemtape", outside_environ, GOOGLE_GENAI, "-e", str(ROOT))
