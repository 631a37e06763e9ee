"""Compare what was built with the source folders: every file of theirs is in it, and nothing else.

Usage: dist_contents.py CHECKOUT WHEEL SDIST
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

FOLDERS = ("cassettes", "checks", "cli", "proxy", "replay")


def main() -> None:
    """Print what is in both, or exit with what is missing or too much."""
    checkout, wheel, sdist = map(Path, sys.argv[1:])
    sources = {
        path.relative_to(checkout).as_posix()
        for folder in FOLDERS
        for path in (checkout / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        installed = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(sdist) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames() if archive.getmember(name).isfile()}

    compare(wheel.name, {f"gemtape/{name}" for name in sources}, installed)
    compare(sdist.name, sources, {name for name in shipped if name.split("/")[0] in FOLDERS})
    loose = {"CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}
    compare(
        f"{sdist.name}, beside the folders",
        loose,
        {name for name in shipped - sources if not name.startswith("gemtape.egg-info/")},
    )


def compare(title: str, wanted: set[str], found: set[str]) -> None:
    """Exit with the difference, if there is one."""
    if wanted != found:
        sys.exit(f"{title}: missing {sorted(wanted - found)}, too much {sorted(found - wanted)}")
    print(f"{title}: {len(found)} files, as they should be")


main()
