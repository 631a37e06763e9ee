"""What `gemtape drill` does with a cassette: the user's command once for each proposal, with the answers of a script."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import click

from ..cassettes.environment import client_variables
from ..cassettes.errors import SetupError
from ..cassettes.redaction import Redactor
from ..cassettes.store import Cassette
from ..checks.config import Config
from ..checks.proposals import Proposal, Proposed
from ..checks.strict import Strict
from ..replay.configured import configured
from ..replay.deck import Deck
from ..replay.drill.run import Run, Verdict, baseline_of
from ..replay.drill.script import Script
from ..replay.drill.targets import Target, generating, targets
from ..replay.drill.told import Drilled
from ..replay.server import Server
from .running import Relay, relayed

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
            CassetteError: it cannot be read.
            SetupError: nothing in it can be drilled.
        """
        self._how = drilling
        config = drilling.config
        self._cassette = Cassette.read(drilling.cassette, Redactor(config.secrets), config.matching)
        self._played = generating(self._cassette.entries())
        found = targets(self._played)
        if drilling.exchange is not None:
            found = [target for target in found if target.exchange == drilling.exchange]
        if not found:
            self._cassette.close()
            where = f"exchange {drilling.exchange} of " if drilling.exchange is not None else ""
            raise SetupError(
                f"{where}{drilling.cassette} holds no call to drill: a call of a declared function whose arguments fit"
            )
        self.targets: Final = found

    def close(self) -> None:
        """Close the recording."""
        self._cassette.close()

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
                if relay.signalled:
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
            verdict = drilled.runs[-1].verdict(drilled.baseline)
            drilled.note = f"the valid call brought no result ({verdict}), so there is nothing to compare with"
            return
        drilled.baseline = baseline
        for proposed in self.proposals(drilled.target):
            drilled.runs.append(self._run(drilled, proposed, relay))
            if relay.signalled:
                return

    def _run(self, drilled: Drilled, proposed: Proposed, relay: Relay) -> Run:
        how, config = self._how, self._how.config
        with ExitStack() as stack:
            deck = stack.enter_context(closing(Deck(how.cassette, configured(config))))
            output = stack.enter_context(tempfile.TemporaryFile())
            script = Script(
                self._cassette,
                deck,
                self._played,
                drilled.target,
                proposed,
                repairs=how.repairs,
                error_results=config.error_results,
                strict=Strict(str(how.cassette), config.selection(), config.settings),
            )
            server = stack.enter_context(Server(script))
            added = client_variables(server.url, os.environ, dummy_key=True, openai=how.openai)
            ended = False

            def hangs() -> bool:
                nonlocal ended
                ended = ended or time.monotonic() - script.heard_at > how.timeout_s
                return ended

            code = relay.run(how.command, {**os.environ, **added}, output=output.fileno(), hangs=hangs)
            run = script.run
            run.exit_code = None if ended else code
            run.trace.add(
                "exit", "the command was ended" if ended else f"the command ended with {code}", code=code
            )
            if proposed.proposal is Proposal.VALID and run.verdict(drilled.baseline) is not Verdict.RAN:
                _show_tail(output, drilled.target)
        return run


def _show_tail(output: IO[bytes], target: Target) -> None:
    """What the command said when it did not get to the result of a valid call."""
    output.seek(max(0, output.seek(0, os.SEEK_END) - _TAIL))
    said = "\n".join(output.read().decode(errors="replace").strip().splitlines()[-_TAIL_LINES:])
    click.echo(
        f"the command did not bring a result of {target.function} (exchange {target.exchange}); it said:",
        err=True,
    )
    click.echo(said or "(nothing)", err=True)
