"""What the tests of one run share: a server or a recorder, started by the first test that needs it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from ..cassettes.errors import SetupError
from ..cassettes.lookup import Repeat
from ..checks.config import Config, load_config
from .configured import configured
from .fixture import Case, Gemtape, Recorded, Replayed
from .mixed import Mixed
from .outcomes import LIVE, NEW, REPLAY
from .recorder import Recorder
from .server import Server
from .shelf import Shelf
from .testnames import cassette_of_test

_AGAIN: Final = "pytest --gemtape=record"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the markers of a test ask for; None where they say nothing."""

    cassette: str | None = None
    repeat: Repeat | None = None
    lenient: bool | None = None


def wanted(markers: Iterable[tuple[Sequence[Any], Mapping[str, Any]]]) -> Wanted:
    """Read markers, the closest to the test last: ``gemtape("tapes/run.db", repeat="last", lenient=True)``.

    Raises:
        SetupError: one says something else.
    """
    said: dict[str, Any] = {}
    for args, keywords in markers:
        said |= {**dict(zip(("cassette",), args, strict=False)), **keywords}
        unknown = [repr(name) for name in keywords if name not in ("cassette", "repeat", "lenient")]
        if unknown or len(args) > 1:
            raise SetupError(
                f"the marker takes cassette, repeat and lenient, not {', '.join(unknown) or args[1:]}"
            )
    cassette, repeat, lenient = said.get("cassette"), said.get("repeat"), said.get("lenient")
    if not isinstance(cassette, str | os.PathLike | None) or cassette == "":
        raise SetupError(f"a marker's cassette is a path, not {cassette!r}")
    if repeat not in (None, *Repeat):
        raise SetupError(f"a marker's repeat is {', '.join(Repeat)}, not {repeat!r}")
    if not isinstance(lenient, bool | None):
        raise SetupError(f"a marker's lenient is True or False, not {lenient!r}")
    return Wanted(os.fspath(cassette) if cassette else None, Repeat(repeat) if repeat else None, lenient)


class Studio:
    """Makes the fixture of each test. Used by one thread, as pytest runs tests."""

    def __init__(self, mode: str, root: Path, recorder: str = "", upstream: str = "") -> None:
        """Read the configuration; nothing is started yet.

        Args:
            mode: ``replay``, ``record``, ``new`` or ``live``.
            root: the folder that paths are shown from, and where the configuration is looked for.
            recorder: the command of a gemtape that can record, where it is not found by itself.
            upstream: where recorded requests are sent instead of to Google.

        Raises:
            ConfigError: the configuration cannot be read.
        """
        self._mode = mode
        self._root = root
        self._command = recorder
        self._upstream = upstream
        self._config: Config = load_config(root)
        self._shelf = Shelf()
        self._server: Server[Shelf] | None = None
        self._recorder: Recorder | None = None
        self._numbers = count(1)
        self._recorded: dict[Path, Recorded | Mixed] = {}

    def open(self, name: str, module: Path, names: Sequence[str], asked: Wanted) -> Gemtape:
        """The fixture of a test.

        Args:
            name: the test as pytest names it, from the root.
            module: its file.
            names: its classes and itself.
            asked: what its markers say.

        Raises:
            GemtapeError: the recorder does not start, or another test was recorded into the same cassette.
        """
        named = asked.cassette and Path(os.path.normpath(module.parent / asked.cassette))
        cassette = named or cassette_of_test(module, names)
        shown = str(cassette.relative_to(self._root) if cassette.is_relative_to(self._root) else cassette)
        case = Case(name, cassette, shown)
        if self._mode == LIVE:
            return Gemtape(case)
        if self._mode == REPLAY:
            options = configured(
                self._config, repeat=asked.repeat, lenient=asked.lenient, default=Repeat.ONCE
            )
            return Replayed(case, options, self._shelf, self._url())
        return self._mixing(case) if self._mode == NEW else self._recording(case)

    def close(self) -> None:
        """End what was started, and complete what was kept. Closing twice is harmless.

        Raises:
            GemtapeError: what was kept cannot be completed.
        """
        if self._server:
            self._server.stop()
        if self._recorder:
            self._recorder.end()
            try:
                for tape in self._recorded.values():
                    tape.complete()
            finally:
                self._recorder.stop()
        self._server = self._recorder = None

    def _url(self) -> str:
        if self._server is None:
            self._server = Server(self._shelf)
            self._server.start()
        return self._server.url

    def _recording(self, case: Case) -> Recorded:
        before = self._recorded.get(case.cassette)
        if before is not None and before.case.name != case.name:
            raise SetupError(f"{case.shown} is recorded by {before.case.name} already, in this run")
        tape = Recorded(case, self._config, *self._booth())
        self._recorded[case.cassette] = tape
        return tape

    def _mixing(self, case: Case) -> Mixed:
        tape = Mixed(case, self._config, *self._booth("--mode", "new", "--status", "--again", _AGAIN))
        self._recorded[case.cassette] = tape
        return tape

    def _booth(self, *options: str) -> tuple[Path, str]:
        """Where a test is recorded: the recorder's cassette, and the base URL."""
        if self._recorder is None:
            self._recorder = Recorder(self._command, self._upstream, more=options, cwd=self._root)
        name = f"t{next(self._numbers)}"
        return self._recorder.cassette(name), f"{self._recorder.url}/{name}"
