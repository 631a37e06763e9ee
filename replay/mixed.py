"""A test that is answered from its cassette where that knows its conversations, and recorded where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import orjson

from ..cassettes.environment import client_variables
from ..cassettes.errors import SetupError
from ..cassettes.models import Exchange, Violation
from ..cassettes.naming import status_file
from ..checks.config import Config
from ..checks.finding import Severity
from .fixture import Case, Gemtape, explained, told
from .keeping import copy, faults, keep, recorded, stamp
from .lines import printable, runs
from .outcomes import NEW, Outcome, counted

_UNASKED: Final[dict[str, Any]] = {
    "requests": {"hit": 0, "repeat": 0, "miss": 0, "rejected": 0, "live": 0},
    "recorded": 0,
    "errors": 0,
    "warnings": 0,
    "complaints": [],
}
"""What a recorder tells that was asked nothing."""
_LONGEST: Final = 3000


class Mixed(Gemtape):
    """A test that a recorder with `--mode new` plays and records; what it adds goes into the cassette if the test passes."""

    mode = NEW

    def __init__(self, case: Case, config: Config, source: Path, base_url: str) -> None:
        """Give the recorder a copy of the cassette, where there is one.

        Args:
            case: the test.
            config: the user's configuration.
            source: where the recorder has the cassette of this base URL.
            base_url: where it answers.

        Raises:
            CassetteError: the cassette cannot be read.
        """
        super().__init__(case)
        self.base_url = base_url
        self._config = config
        self._source = source
        self._stamp = stamp(self.cassette)
        if self._stamp is not None:
            copy(self.cassette, source)
        self._before = len(recorded(source))
        self._kept: int | None = None

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of the cassette, and those that were recorded so far."""
        return recorded(self._source)

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that lead clients to the recorder; a dummy key where all may be recorded and there is no other."""
        return client_variables(self.base_url, environ, dummy_key=self._stamp is not None)

    def explanation(self) -> str:
        """Misses and refusals so far, and errors in what was answered or recorded."""
        status, found = self._status(), self._errors()
        complaints = [printable(text, _LONGEST) for text in status["complaints"]]
        return explained(counted(self._outcome(status, found)), self.case, [*complaints, *map(told, found)])

    def unused(self) -> str:
        """The exchanges of the cassette that were not asked for."""
        numbers = tuple(self._status()["unused"])
        return f"gemtape: not asked for in {self.case.shown}: exchange {runs(numbers)}" if numbers else ""

    def close(self, *, passed: bool) -> Outcome:
        """Keep what was recorded if the test passed; a cassette that got nothing stays as it is.

        Raises:
            GemtapeError: it cannot be kept.
        """
        outcome = self._outcome(self._status(), self._errors())
        if passed:
            self._kept = self._before
            self._keep(always=self._stamp is None)
        return replace(outcome, kept=passed)

    def complete(self) -> None:
        """Once the recorder has ended: add what it stored after the test was over, such as a stream that was left early.

        Raises:
            GemtapeError: it cannot be kept.
        """
        if self._kept is not None:
            self._keep(always=False)

    def _keep(self, *, always: bool) -> None:
        if always or len(recorded(self._source)) > (self._kept or 0):
            self._kept = keep(self._source, self.cassette, self._config, grown_from=self._stamp)
            self._stamp = stamp(self.cassette)

    def _errors(self) -> list[Violation]:
        """Errors in what was recorded; what was answered, the recorder has judged."""
        found = faults(self._source, str(self.cassette), self._config)
        return [item for item in found if item.severity == Severity.ERROR and item.exchange > self._before]

    def _outcome(self, status: dict[str, Any], found: list[Violation]) -> Outcome:
        requests = status["requests"]
        return Outcome(
            self.case.name,
            self.mode,
            self.case.shown,
            exchanges=self._before,
            asked=sum(requests.values()),
            repeated=requests["repeat"],
            missed=requests["miss"],
            refused=requests["rejected"],
            recorded=status["recorded"],
            errors=status["errors"] + len(found),
            warnings=status["warnings"],
            unused=tuple(status["unused"]),
        )

    def _status(self) -> dict[str, Any]:
        """What the recorder was asked for this test.

        Raises:
            SetupError: what it told cannot be read.
        """
        try:
            told = orjson.loads(status_file(self._source).read_bytes())
        except FileNotFoundError:
            return _UNASKED | {"unused": list(range(1, self._before + 1))}
        except (OSError, ValueError) as error:
            raise SetupError(f"what the recorder was asked cannot be read: {error}") from error
        return _UNASKED | told
