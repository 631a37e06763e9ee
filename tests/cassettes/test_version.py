"""One version, wherever it is written."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from gemtape.cassettes.version import VERSION

ROOT = Path(__file__).parent.parent.parent


def test_installed_version_is_that_of_pyproject():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


def test_changelog_begins_with_the_version():
    newest = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert newest
    assert newest[1] == VERSION
