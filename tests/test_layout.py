"""The shape of the house: one test file a source file, files that fit a screen or four, docstrings on top."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("cassettes", "checks", "cli", "proxy", "replay")
LONGEST = 250
LONG: dict[str, int] = {}
"""Files that are longer, with the lines that they may have; entries may shrink and go, never grow."""

ACROSS = {
    Path("tests/checks/test_cases.py"),
    Path("tests/checks/test_hostile.py"),
    Path("tests/checks/test_pages.py"),
}
"""Tests of no single file: what they prove holds across a floor."""

WHOLE = {
    "tests/checks/test_cases.py",  # recorded conversations against all rules at once
    "tests/checks/test_hostile.py",  # malformed input against all rules at once
    "tests/checks/test_pages.py",  # the pages of all rules
}
"""Tests of a folder as a whole, which have no source file of their own."""

SOURCES = sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def test_every_source_file_has_its_test_file():
    """And every test file its source file: ``checks/rules/a.py`` is proved by ``tests/checks/rules/test_a.py``."""
    wanted = WHOLE | {
        f"tests/{path.parent}/test_{path.name}" for path in SOURCES if not path.name.startswith("_")
    }
    found = {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / "tests" / folder).rglob("test_*.py")
    }

    assert sorted(wanted - found) == [], "missing"
    assert sorted(found - wanted) == [], "of no source file"


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_source_file_is_short(path: Path):
    lines = len((ROOT / path).read_bytes().splitlines())
    allowed = LONG.get(str(path), LONGEST)

    assert lines <= allowed
    assert str(path) not in LONG or lines > LONGEST, "short enough now: take it off the list"


def test_list_of_long_files_names_files_that_exist():
    assert set(LONG) <= set(map(str, SOURCES))


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_source_file_says_what_lives_in_it(path: Path):
    tree = ast.parse((ROOT / path).read_bytes())
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]

    assert ast.get_docstring(tree)
    assert futures or path.name == "__init__.py" or len(tree.body) == 1
