"""The floors of the house, read from the imports: cli → proxy, replay → checks → cassettes."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = {
    "cassettes": set(),
    "checks": {"cassettes"},
    "proxy": {"cassettes", "checks"},
    "replay": {"cassettes", "checks"},
    "cli": {"cassettes", "checks", "proxy", "replay"},
}
"""Each folder with the folders that it may import from, besides itself."""

SOURCES = sorted(path for folder in FLOORS for path in (ROOT / folder).rglob("*.py"))


def module_of(path: Path) -> str:
    """``cassettes/store.py`` → ``gemtape.cassettes.store``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("gemtape", *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {module_of(path): path for path in SOURCES}


@cache
def imports_of(path: Path) -> list[tuple[int, str]]:
    """Every import of a file, wherever it stands, as line and absolute dotted name."""
    package = module_of(path).split(".") if path.name == "__init__.py" else module_of(path).split(".")[:-1]
    found = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                # `from . import store` names a module, `from .store import Cassette` a thing in one.
                whole = f"{source}.{alias.name}"
                found.append((node.lineno, whole if whole in MODULES else source))
    return found


def each_source(*folders: str) -> pytest.MarkDecorator:
    """Run a test for every source file in the folders; in all of them when none is named."""
    chosen = [p for p in SOURCES if not folders or p.relative_to(ROOT).parts[0] in folders]
    return pytest.mark.parametrize("path", chosen, ids=[p.relative_to(ROOT).as_posix() for p in chosen])


@each_source()
def test_imports_only_from_lower_floors(path: Path):
    folder = path.relative_to(ROOT).parts[0]
    allowed = {folder} | FLOORS[folder]

    wrong = [
        f"line {line}: {name}"
        for line, name in imports_of(path)
        if name.split(".")[0] == "gemtape" and not set(name.split(".")[1:2]) <= allowed
    ]

    assert wrong == []


@each_source("cassettes", "checks", "replay", "cli")
def test_only_the_proxy_imports_mitmproxy(path: Path):
    assert [line for line, name in imports_of(path) if name.split(".")[0] == "mitmproxy"] == []


def test_imports_inside_the_house_are_relative():
    """But for the file that stock mitmproxy loads by its path, where there is nothing to be relative to."""
    absolute = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if (isinstance(node, ast.Import) and any(a.name.split(".")[0] == "gemtape" for a in node.names))
        or (
            isinstance(node, ast.ImportFrom)
            and not node.level
            and (node.module or "").split(".")[0] == "gemtape"
        )
    }

    assert absolute == {"proxy/addon_file.py"}


def test_no_module_imports_itself_through_others():
    graph = {
        module: {name for _, name in imports_of(path) if name in MODULES} - {module}
        for module, path in MODULES.items()
    }

    # What has no unresolved import is taken off until nothing more can be: what stays is a cycle, or leads to one.
    while leaves := {module for module, needs in graph.items() if not needs & graph.keys()}:
        graph = {module: needs for module, needs in graph.items() if module not in leaves}

    assert graph == {}


def test_every_package_is_mapped():
    """A folder that pyproject does not list works in this checkout and is missing from the wheel."""
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in SOURCES}

    assert tables["package-dir"] == {"gemtape." + folder.replace("/", "."): folder for folder in folders}
    assert sorted(tables["packages"]) == sorted(tables["package-dir"])


def test_every_folder_of_sources_is_a_package():
    assert [path.parent for path in SOURCES if not (path.parent / "__init__.py").is_file()] == []
