"""A folder in which nothing can be written, also for a test that runs as root."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_NOBODY = 65534


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user can enter; pytest's own can only be entered by its user."""
    folder = Path(tempfile.mkdtemp(prefix="gemtape-test-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@contextlib.contextmanager
def write_protected(folder: Path) -> Iterator[None]:
    """The folder and what is in it can only be read inside."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs users and permissions as on Unix")
    files = [folder, *folder.rglob("*")]
    modes = {file: file.stat().st_mode for file in files}
    for file in files:
        file.chmod(0o555 if file.is_dir() else 0o444)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(_NOBODY)
        yield
    finally:
        if root:
            os.seteuid(0)
        for file, mode in modes.items():
            file.chmod(mode)
