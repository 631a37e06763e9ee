"""Where the cassette of a test lies: beside its file, under the test's own name, made safe for any file system."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ..cassettes.errors import CassetteNameError
from ..cassettes.naming import LONGEST_SEGMENT, SUFFIX, cassette_name

FOLDER: Final = "cassettes"
_UNSAFE: Final = re.compile(r"[^\w.,+=()\[\]~-]+")
_HASHED: Final = 8
"""Hexadecimal digits that tell apart names which would be made the same."""


def cassette_of_test(module: Path, names: Sequence[str]) -> Path:
    """The cassette of a test: ``cassettes/test_refunds/TestHappy.test_twice[2].db`` beside ``test_refunds.py``.

    A name that no file can have everywhere is changed and gets a short hash of what it was. Every such cassette can also
    be played by `gemtape replay` with the folder of cassettes.

    Args:
        module: the file of the test.
        names: its classes, outermost first, and the test with its parameters.
    """
    return module.parent / FOLDER / _safe(module.stem) / f"{_safe('.'.join(names))}{SUFFIX}"


def _safe(name: str) -> str:
    made = _UNSAFE.sub("_", name)
    if made == name and len(f"{made}{SUFFIX}".encode()) <= LONGEST_SEGMENT and _may_name(made):
        return made
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:_HASHED]
    room = LONGEST_SEGMENT - len(f"-{digest}{SUFFIX}")
    kept = made.encode(errors="replace")[:room].decode(errors="ignore")
    # What may not begin a name, or stand for one, is harmless behind a letter.
    return next(form for form in (f"{kept}-{digest}", f"t-{kept[: room // 4]}-{digest}") if _may_name(form))


def _may_name(name: str) -> bool:
    try:
        return cassette_name(name) == name
    except CassetteNameError:
        return False
