"""Environments of their own for real clients: never the one that the proxy runs in, as a user's would not be."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).parents[1]


def python_environment(name: str, environ: Mapping[str, str], *requirements: str) -> Path:
    """The Python of an environment with these packages; made once, then quick.

    Args:
        name: what it is kept under.
        environ: the environment of the installer, which may need the user's own indexes and proxies.
        requirements: packages with their bounds.

    Raises:
        AssertionError: they cannot be installed.
    """
    folder = ROOT / f".venv-{name}-{sys.version_info.major}.{sys.version_info.minor}"
    _made(folder, requirements, partial(_install_python, folder, environ, requirements))
    return folder / "bin" / "python"


def node_environment(name: str, environ: Mapping[str, str], *packages: str) -> Path:
    """The folder with these packages in its ``node_modules``; made once for each version of Node, then quick.

    Raises:
        AssertionError: they cannot be installed.
    """
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    folder = ROOT / f".venv-{name}-node{version.removeprefix('v').partition('.')[0]}"
    _made(folder, packages, partial(_install_node, folder, environ, packages))
    return folder


def _made(folder: Path, packages: tuple[str, ...], make: Callable[[], None]) -> None:
    stamp = folder / "made-of.txt"
    wanted = "\n".join(packages)
    with FileLock(f"{folder}.lock"):
        if not (stamp.is_file() and stamp.read_text() == wanted):
            make()
            stamp.write_text(wanted)


def _install_python(folder: Path, environ: Mapping[str, str], requirements: tuple[str, ...]) -> None:
    """With uv, which needs seconds where pip needs a minute; with pip where uv is missing or cannot."""
    python = folder / "bin" / "python"
    if find_spec("uv"):
        uv = [sys.executable, "-m", "uv"]
        with contextlib.suppress(AssertionError):
            _run(environ, *uv, "venv", "-q", "--clear", "-p", sys.executable, folder)
            _run(environ, *uv, "pip", "install", "-q", "-p", python, *requirements)
            return
    _run(environ, sys.executable, "-m", "venv", "--clear", folder)
    _run(environ, python, "-m", "pip", "install", "-q", *requirements)


def _install_node(folder: Path, environ: Mapping[str, str], packages: tuple[str, ...]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}))
    _run(environ, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *packages, cwd=folder)


def _run(environ: Mapping[str, str], *command: str | Path, cwd: Path = ROOT) -> None:
    done = subprocess.run(
        command, env=dict(environ), cwd=cwd, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
