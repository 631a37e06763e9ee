"""What `gemtape drill` does with a cassette: the user's command once for each proposal, with the answers of a script."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import click

from ..cassettes.environment import client_variables
from ..cassettes.errors import SetupError
from ..cassettes.matching import Matching
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette
from ..checks.config import Config
from ..checks.proposals import Proposal, Proposed
from ..checks.strict import Strict
from ..replay.configured import configured
from ..replay.deck import Deck
from ..replay.drill.recording import Recording
from ..replay.drill.run import Run, Verdict, baseline_of
from ..replay.drill.script import Script
from ..replay.drill.targets import Target, targets
from ..replay.drill.told import LONGEST_NAME, Drilled
from ..replay.lines import printable
from ..replay.server import Server
from .beside import no_traffic
from .feeding import Input
from .running import Relay, relayed
from .sources import is_importable, read_source

_LONGEST: Final = 300
_VALID_RUNS: Final = 2
_TAIL: Final = 4000
_TAIL_LINES: Final = 10
"""How much of the command's output, in bytes and lines, is shown where it did not get to the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drilling:
    """How to drill: the cassette, the command, and what the command line says; times in seconds."""

    cassette: Path
    command: tuple[str, ...]
    config: Config
    proposal: Proposal | None = None
    exchange: int | None = None
    repairs: int = 1
    timeout_s: float = 30.0
    openai: bool = False


class Drill:
    """Drills one recording, call by call."""

    def __init__(self, drilling: Drilling) -> None:
        """Open the recording and find what can be drilled.

        Raises:
            GemtapeError: it cannot be read.
            SetupError: nothing in it can be drilled.
        """
        self._how = drilling
        self._given = Input()
        self._added: Mapping[str, str] = {}
        self._asked = 0
        self._options = configured(drilling.config)
        config = drilling.config
        redactor = Redactor(config.secrets)
        with ExitStack() as undo:
            self._path = undo.enter_context(_as_cassette(drilling.cassette, redactor, config.matching))
            opened = Cassette.read(self._path, redactor, config.matching)
            self._cassette = undo.enter_context(closing(opened))
            self._recording = Recording(self._cassette)
            asked = [
                item for item in targets(self._recording.played) if drilling.exchange in (None, item.exchange)
            ]
            self.targets: Final = [target for target in asked if target.proposals]
            self.left_out: Final = [target for target in asked if not target.proposals]
            if not self.targets:
                raise SetupError(self._nothing())
            self._undo = undo.pop_all()

    def _nothing(self) -> str:
        where = f"exchange {self._how.exchange} of " if self._how.exchange is not None else ""
        why = [f"{target.function} of exchange {target.exchange}: {target.why}" for target in self.left_out]
        return (
            f"{where}{self._how.cassette} holds no call to drill: a call of a declared function whose arguments fit"
            + "".join(f"; {printable(words, _LONGEST)}" for words in why[:1])
        )

    def close(self) -> None:
        """Close the recording."""
        self._undo.close()

    def proposals(self, target: Target) -> list[Proposed]:
        """What is proposed in place of a call, besides the valid one."""
        wanted = self._how.proposal
        return [
            item
            for item in target.proposals
            if item.proposal is not Proposal.VALID and wanted in (None, item.proposal)
        ]

    def run(self) -> tuple[list[Drilled], int]:
        """Drill every call. To be called on the main thread.

        Returns:
            What it showed, and the number of the signal that broke it off, 0 where none did.

        Raises:
            SetupError: the command cannot be started.
        """
        found: list[Drilled] = []
        with relayed() as relay:
            for target in self.targets:
                drilled = Drilled(target)
                found.append(drilled)
                self._drill(drilled, relay)
                if relay.signalled or not self._asked:
                    break
        return found, relay.signalled

    def _drill(self, drilled: Drilled, relay: Relay) -> None:
        valid = drilled.target.proposals[0]
        for _ in range(_VALID_RUNS):
            drilled.runs.append(self._run(drilled, valid, relay))
            if relay.signalled:
                return
            if drilled.runs[-1].verdict(drilled.baseline) is not Verdict.RAN:
                break
        baseline = baseline_of(drilled.runs)
        if baseline is None:
            if not self._asked:
                drilled.note = no_traffic(self._added, "read from one of them")
                return
            last = drilled.runs[-1]
            drilled.note = (
                f"the valid call brought no result ({last.verdict(drilled.baseline)}), so there is nothing to compare with"
                if last.calls or last.constrained
                else "the command asked for nothing that this call answers, so it was not proposed; "
                "--exchange N drills the calls of one exchange"
            )
            return
        drilled.baseline = baseline
        for proposed in self.proposals(drilled.target):
            drilled.runs.append(self._run(drilled, proposed, relay))
            if relay.signalled:
                break
        drilled.note = self._doubt(drilled)

    def _doubt(self, drilled: Drilled) -> str:
        """Why the verdicts may be wrong; empty where nothing says so."""
        if mixed := next((run.mixed for run in drilled.runs if run.mixed), ""):
            return f"{mixed}, so the verdicts may be wrong"
        twin = self._recording.twin(drilled.target.position)
        if twin is not None:
            number = self._recording.played[twin].number
            return f"exchange {number} was asked for alike at the same time, so it is left to chance which of the two is drilled"
        doubtful = dict.fromkeys(
            run.proposed.proposal for run in drilled.runs if run.is_doubtful(drilled.baseline)
        )
        if not doubtful:
            return ""
        return (
            f"{', '.join(doubtful)} brought the result of the valid call, though no validator makes such a call fit: "
            "if that result would not show the argument, it may have run as it was"
        )

    def _run(self, drilled: Drilled, proposed: Proposed, relay: Relay) -> Run:
        how, config = self._how, self._how.config
        with ExitStack() as stack:
            deck = stack.enter_context(closing(Deck(self._path, self._options)))
            output = stack.enter_context(tempfile.TemporaryFile())
            script = Script(
                self._recording,
                deck,
                drilled.target,
                proposed,
                repairs=how.repairs,
                error_results=config.error_results,
                strict=Strict(str(how.cassette), self._options.selection, self._options.settings),
            )
            server = stack.enter_context(Server(script))
            self._added = client_variables(server.url, os.environ, dummy_key=True, openai=how.openai)
            ended = False

            def hangs() -> bool:
                nonlocal ended
                ended = ended or time.monotonic() - script.heard_at > how.timeout_s
                return ended

            code = relay.run_apart(
                how.command,
                {**os.environ, **self._added},
                given=self._given,
                output=output.fileno(),
                hangs=hangs,
            )
            self._asked += script.asked
            run = script.run
            run.exit_code = None if ended else code
            run.trace.add(
                "exit", "the command was ended" if ended else f"the command ended with {code}", code=code
            )
            said = _tail(output)
            run.said = printable(said[-1], _LONGEST) if said else ""
            verdict = run.verdict(drilled.baseline)
            if sys.stderr.isatty():  # a drill takes a while; nobody needs that in a log
                function = printable(drilled.target.function, LONGEST_NAME)
                click.echo(f"{drilled.target.exchange} {function} {proposed.proposal}: {verdict}", err=True)
            if proposed.proposal is Proposal.VALID and verdict is not Verdict.RAN:
                click.echo("the command brought no result of the valid call; it said:", err=True)
                click.echo("\n".join(said) or "(nothing)", err=True)
        return run


def _tail(output: IO[bytes]) -> list[str]:
    """The last lines that the command wrote."""
    output.seek(max(0, output.seek(0, os.SEEK_END) - _TAIL))
    return output.read().decode(errors="replace").strip().splitlines()[-_TAIL_LINES:]


@contextmanager
def _as_cassette(source: Path, redactor: Redactor, matching: Matching) -> Iterator[Path]:
    """Where a recording lies as a cassette; one is made of what can be imported.

    Raises:
        GemtapeError: it cannot be read.
    """
    if not is_importable(source):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="gemtape-") as folder:
        path = Path(folder) / f"{source.stem}.db"
        with Cassette.create(path, redactor, matching) as cassette:
            for exchange in read_source(source):
                cassette.add(exchange)
        yield path
