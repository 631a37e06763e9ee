"""A test's recording becomes its cassette: judged, and put in the place of what was there before."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from ..cassettes.errors import CassetteBusy, CassetteError
from ..cassettes.locks import lock, unlock
from ..cassettes.models import Exchange, Violation
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette
from ..cassettes.swapping import swap_in
from ..checks.config import Config
from ..checks.judge import Judge
from ..checks.live import checked_by, judges

_NEW: Final = ".new"

Stamp = tuple[int, int, int, int]


def stamp(path: Path) -> Stamp | None:
    """What changes when a file is written or replaced; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def copy(cassette: Path, target: Path) -> None:
    """Copy a cassette, with what a recorder that was killed left beside it.

    Raises:
        CassetteError: it cannot be copied.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for suffix in ("", "-wal"):
            if Path(f"{cassette}{suffix}").exists():
                shutil.copyfile(f"{cassette}{suffix}", f"{target}{suffix}")
    except OSError as error:
        raise CassetteError(f"cannot copy {cassette}: {error.strerror}") from error


def recorded(source: Path, redactor: Redactor | None = None) -> list[Exchange]:
    """The exchanges that a recorder has stored so far; none where it made no file.

    Raises:
        CassetteError: the file cannot be read.
    """
    if not source.exists():
        return []
    with Cassette.read(source, redactor) as cassette:
        return list(cassette.exchanges())


def faults(source: Path, name: str, config: Config) -> list[Violation]:
    """What is wrong with the requests of a recording, by the rules that are configured.

    Args:
        source: the recording; there may be none.
        name: the path of the cassette that it is to become, by which a selection may make a difference.
        config: the user's configuration.

    Raises:
        CassetteError: the recording cannot be read.
        ConfigError: the configured baseline cannot be read.
    """
    if not source.exists():
        return []
    judge = Judge(settings=config.settings)
    with Cassette.read(source, Redactor(config.secrets)) as cassette:
        found = [item for entry in cassette.entries() for item in judge.judge(entry) if item.at == "request"]
    return config.selection().apply(found, name)[0]


def keep(source: Path, target: Path, config: Config, *, grown_from: Stamp | None = None) -> int:
    """Make a recording the cassette of its test; a test without a request gets an empty one.

    Args:
        source: the recording, which the recorder may still have open.
        target: the cassette, which may be there already.
        config: the user's configuration.
        grown_from: the stamp of the cassette that the recording began with, if it began with one.

    Returns:
        How many exchanges it holds.

    Raises:
        CassetteBusy: another run is writing the cassette, or wrote it since the recording began.
        CassetteError: one of them cannot be read or written; what was there before is as it was then.
        ConfigError: the configured baseline cannot be read.
    """
    exchanges = recorded(source, Redactor(config.secrets))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CassetteError(f"cannot write {target}: {error.strerror}") from error
    held = lock(target)
    try:
        if grown_from is not None and stamp(target) != grown_from:
            raise CassetteBusy(
                f"{target} was written by another run meanwhile; what was added to it here is lost"
            )
        _write(exchanges, target, config)
    finally:
        unlock(target, held)
    return len(exchanges)


def _write(exchanges: list[Exchange], target: Path, config: Config) -> None:
    new = target.with_name(target.name + _NEW)
    try:
        for suffix in ("", "-wal", "-shm"):  # of a run that was killed
            Path(f"{new}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise CassetteError(f"cannot write {new}: {error.strerror}") from error
    with Cassette.create(new, Redactor(config.secrets), config.matching) as cassette:
        judge = judges(config)(cassette)
        for exchange in exchanges:
            cassette.append(cassette.prepare(exchange), judge, checked_by())
    if problem := swap_in(new, target):
        raise CassetteError(problem)
