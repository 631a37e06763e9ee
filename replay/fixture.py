"""What a test gets as `gemtape`: where its cassette is played or recorded, and what it held in the end."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..cassettes.environment import client_variables
from ..cassettes.errors import CassetteError, CassetteMissing
from ..cassettes.models import Exchange, Violation
from ..cassettes.store import Cassette
from ..checks.config import Config
from ..checks.finding import Severity
from .answering import Options, Verdict
from .deck import Deck
from .keeping import faults, keep, recorded
from .lines import printable, runs
from .outcomes import LIVE, RECORD, REPLAY, Outcome, counted
from .shelf import Shelf
from .transport import ReplayTransport
from .watch import Watch

GOOGLE: Final = "https://generativelanguage.googleapis.com"
_LONGEST: Final = 3000


@dataclass(frozen=True, slots=True)
class Case:
    """A test: its name as pytest has it, its cassette, and the path of that as people read it."""

    name: str
    cassette: Path
    shown: str

    @property
    def recording(self) -> str:
        """The command that records it."""
        return f"pytest --gemtape=record {shlex.quote(self.name)}"


class Gemtape:
    """The fixture of one test. What follows `transport` is for the plugin."""

    mode: str = LIVE
    """``replay``, ``record``, ``new`` or ``live``."""
    base_url: str = GOOGLE
    """Where the test's clients are to go; the variables that name it are set."""

    def __init__(self, case: Case) -> None:
        self.case: Final = case
        self.cassette: Final = case.cassette
        """The file that the test is played from, or recorded into."""
        self.problem = ""
        """Why the test cannot run."""

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of the cassette, in recorded order; while recording, those that are recorded so far.

        Raises:
            CassetteError: they cannot be read.
        """
        return []

    def transport(self) -> Any:
        """A transport for clients of httpx and httpx2 that needs no socket; None where there is something to call.

        With ``transport=None`` those clients use their own, so that one line does for all modes.
        """
        return None

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that lead clients here."""
        del environ
        return {}

    def explanation(self) -> str:
        """What the test must not pass with, each in a paragraph; empty where there is nothing."""
        return ""

    def unused(self) -> str:
        """The exchanges that were not asked for, in a sentence; empty where there are none."""
        return ""

    def close(self, *, passed: bool) -> Outcome | None:
        """The test is over; gives what became of it, None where it could not run.

        Raises:
            GemtapeError: what was recorded cannot be kept.
        """
        del passed
        return Outcome(self.case.name, self.mode, self.case.shown)


class Replayed(Gemtape):
    """A test that is played from its cassette."""

    mode = REPLAY

    def __init__(self, case: Case, options: Options, shelf: Shelf, url: str) -> None:
        """Open the cassette; one that cannot be opened is the test's `problem`."""
        super().__init__(case)
        self.base_url = f"{url}/none"
        self._shelf = shelf
        try:
            self._deck = self._opened(options)
        except CassetteMissing:
            self.problem = f"gemtape: there is no cassette {case.shown}. To record it: {case.recording}"
        except CassetteError as error:
            self.problem = f"gemtape: {error}. To record it again: {case.recording}"
        else:
            self._watch = Watch(self._deck, options)
            self._name = shelf.put(self._deck, self._watch.heard)
            self.base_url = f"{url}/{self._name}"

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of the cassette, in recorded order."""
        with Cassette.read(self.cassette) as cassette:
            return list(cassette.exchanges())

    def transport(self) -> ReplayTransport:
        """A transport for clients of httpx and httpx2, sync and async, that answers without a socket."""
        return ReplayTransport(self._deck, heard=self._watch.heard)

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that lead clients here, and a key where there is none."""
        return client_variables(self.base_url, environ, dummy_key=True)

    def explanation(self) -> str:
        """Misses, refusals and errors so far."""
        if self.problem:
            return ""
        return explained(counted(self._outcome()), self.case, self._watch.complaints())

    def unused(self) -> str:
        """The exchanges that were not asked for."""
        numbers = () if self.problem else self._outcome().unused
        return f"gemtape: not asked for in {self.case.shown}: exchange {runs(numbers)}" if numbers else ""

    def close(self, *, passed: bool) -> Outcome | None:
        """Play it no more."""
        del passed
        if self.problem:
            return None
        self._shelf.take(self._name)
        self._deck.close()
        return self._outcome()

    def _opened(self, options: Options) -> Deck:
        if self.cassette.is_dir():
            raise CassetteError(f"{self.case.shown} is a folder, and a test has one cassette")
        return Deck(self.cassette, options, self.case.recording)

    def _outcome(self) -> Outcome:
        [(_, tally)] = self._deck.tallies()
        watch = self._watch
        return Outcome(
            self.case.name,
            self.mode,
            self.case.shown,
            exchanges=tally.exchanges,
            asked=watch.asked,
            repeated=watch.verdicts[Verdict.REPEAT],
            missed=watch.verdicts[Verdict.MISS],
            refused=watch.verdicts[Verdict.REJECTED],
            errors=watch.count(Severity.ERROR),
            warnings=watch.count(Severity.WARNING),
            suppressed=watch.suppressed,
            unused=tally.unused,
        )


class Recorded(Gemtape):
    """A test that is recorded; its recording becomes its cassette if it passes."""

    mode = RECORD

    def __init__(self, case: Case, config: Config, source: Path, base_url: str) -> None:
        """Record into `source`, which the recorder makes at the first request."""
        super().__init__(case)
        self.base_url = base_url
        self._config = config
        self._source = source
        self._kept: int | None = None

    @property
    def exchanges(self) -> list[Exchange]:
        """What was recorded so far."""
        return recorded(self._source)

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that lead clients to the recorder."""
        return client_variables(self.base_url, environ, dummy_key=False)

    def explanation(self) -> str:
        """Errors in what was recorded so far."""
        found = self._errors()
        asked = len(recorded(self._source))
        outcome = Outcome(self.case.name, self.mode, asked=asked, errors=len(found))
        return explained(counted(outcome), self.case, list(map(told, found)))

    def close(self, *, passed: bool) -> Outcome:
        """Keep the recording if the test passed.

        Raises:
            GemtapeError: it cannot be kept.
        """
        if passed:
            self._kept = keep(self._source, self.cassette, self._config)
        return Outcome(self.case.name, self.mode, self.case.shown, exchanges=self._kept or 0, kept=passed)

    def complete(self) -> None:
        """Once the recorder has ended: add what it stored after the test was over, such as a stream that was left early.

        Raises:
            GemtapeError: it cannot be kept.
        """
        if self._kept is not None and len(recorded(self._source)) > self._kept:
            self._kept = keep(self._source, self.cassette, self._config)

    def _errors(self) -> list[Violation]:
        found = faults(self._source, str(self.cassette), self._config)
        return [violation for violation in found if violation.severity == Severity.ERROR]


def explained(counts: str, case: Case, complaints: list[str]) -> str:
    """What a test must not pass with, each in a paragraph, under counts and cassette; empty where there is nothing."""
    if not complaints:
        return ""
    return "\n\n".join([f"gemtape: {counts}; {case.shown}", *complaints])


def told(found: Violation) -> str:
    """A violation of a recorded exchange in words."""
    words = f"{found.severity}  {found.rule} at {found.pointer} of exchange {found.exchange}: {found.message}"
    return printable(words, _LONGEST)
