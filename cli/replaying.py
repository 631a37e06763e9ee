"""A replay beside the user's command: the variables that lead to it, and the verdict once the command has ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Final

from ..cassettes.environment import client_variables
from ..checks.finding import Severity
from ..replay.answering import Options, Verdict
from ..replay.deck import Deck
from ..replay.lines import summary
from ..replay.server import Server
from ..replay.watch import Watch
from .beside import no_traffic, run_beside

_SHOWN: Final = 50
"""Misses and violations that are printed."""


def play_beside(
    command: Sequence[str],
    target: str,
    options: Options,
    *,
    host: str,
    port: int,
    threshold: Severity | None,
    openai: bool,
) -> tuple[int, list[str]]:
    """Run a command while a cassette is played to it.

    Args:
        command: the program and its arguments.
        target: a cassette, or a folder of them.
        options: how cassettes are played.
        host: the address to listen on.
        port: the port; 0 takes a free one.
        threshold: the severity of a violation that fails the run, as misses do; None: nothing does.
        openai: whether to lead OpenAI clients here too.

    Returns:
        The exit code: the command's if it is not 0, else 1 if the run failed; and the lines of the verdict.

    Raises:
        CassetteError: the target is missing or cannot be read.
        SetupError: the address cannot be listened on, or the command cannot be started.
    """
    deck = Deck(target, options)
    watch = Watch(deck, options)
    variables = partial(client_variables, dummy_key=True, openai=openai)

    @contextmanager
    def door() -> Iterator[str]:
        with Server(deck, host, port, watch.heard) as server:
            yield server.url

    with closing(deck):
        code = run_beside(command, door(), variables)
    lines = list(_verdict(deck, watch, threshold, variables("", {})))
    return code or int(watch.fails(threshold)), lines


def _verdict(
    deck: Deck, watch: Watch, threshold: Severity | None, variables: Mapping[str, str]
) -> Iterator[str]:
    complaints = watch.complaints(threshold or Severity.ERROR)
    yield from complaints[:_SHOWN]
    if len(complaints) > _SHOWN:
        yield f"and {len(complaints) - _SHOWN} more"
    yield from summary(deck.tallies(), deck.lost)
    if not watch.asked:
        yield no_traffic(variables)
    yield f"gemtape: {_counts(watch)}"


def _counts(watch: Watch) -> str:
    misses, refused = watch.verdicts[Verdict.MISS], watch.verdicts[Verdict.REJECTED]
    words = [
        f"{watch.asked} request{'' if watch.asked == 1 else 's'}",
        f"{misses} miss{'' if misses == 1 else 'es'}",
    ]
    if refused:
        words.append(f"{refused} refused")
    for severity in (Severity.ERROR, Severity.WARNING):
        number = watch.count(severity)
        words.append(f"{number} {severity}{'' if number == 1 else 's'}")
    if watch.suppressed:
        words.append(f"{watch.suppressed} suppressed")
    return ", ".join(words)
