"""What became of the requests of each test, and the lines that a test run shows of it in the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from .lines import runs

REPLAY: Final = "replay"
RECORD: Final = "record"
NEW: Final = "new"
LIVE: Final = "live"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: its cassette as people read its path, and counts. Plain values, since workers send it to their master.

    `asked` counts its requests, `repeated` those that an exchange answered again, `missed` and `refused` those that got
    no recorded answer, `recorded` those that were sent and recorded beside others that were not; `errors` and `warnings` count violations, `suppressed` those that a selection left out. `unused`
    are the exchanges that it did not ask for. `kept` says whether its recording became its cassette.
    """

    test: str
    mode: str
    cassette: str = ""
    exchanges: int = 0
    asked: int = 0
    repeated: int = 0
    missed: int = 0
    refused: int = 0
    recorded: int = 0
    errors: int = 0
    warnings: int = 0
    suppressed: int = 0
    unused: tuple[int, ...] = ()
    kept: bool = False

    def plain(self) -> dict[str, Any]:
        """As a mapping of what every serialiser knows."""
        return {**asdict(self), "unused": list(self.unused)}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Outcome:
        """From what `plain` gave."""
        return cls(**{**plain, "unused": tuple(plain["unused"])})

    @property
    def troubled(self) -> bool:
        """Whether there is anything to say that its test should not pass with."""
        return bool(self.missed or self.refused or self.errors)


def summary_lines(outcomes: Iterable[Outcome], *, verbose: bool = False) -> Iterator[str]:
    """The end of a test run: what was replayed, recorded and called, and which tests and cassettes to look at.

    Args:
        outcomes: of all tests.
        verbose: whether to list every test that was replayed.
    """
    by_mode: dict[str, list[Outcome]] = {REPLAY: [], RECORD: [], NEW: [], LIVE: []}
    for outcome in outcomes:
        by_mode[outcome.mode].append(outcome)
    if replayed := by_mode[REPLAY]:
        yield from _replayed(replayed, verbose=verbose)
    yield from map(_recorded, by_mode[RECORD])
    if mixed := by_mode[NEW]:
        yield from _mixed(mixed, verbose=verbose)
    if live := by_mode[LIVE]:
        yield f"{_count(len(live), 'test')} called the live API; nothing was recorded"


def counted(outcome: Outcome) -> str:
    """What was asked, in a few words: ``3 requests, 1 miss``."""
    words = [_count(outcome.asked, "request")]
    words += [f"{outcome.repeated} answered by repeating an exchange"] if outcome.repeated else []
    words += [_count(outcome.missed, "miss", "misses")] if outcome.missed else []
    words += [f"{outcome.refused} refused as the API would"] if outcome.refused else []
    words += [f"{outcome.recorded} sent and recorded"] if outcome.recorded else []
    words += [_count(outcome.errors, "error")] if outcome.errors else []
    words += [_count(outcome.warnings, "warning")] if outcome.warnings else []
    words += [f"{outcome.suppressed} suppressed"] if outcome.suppressed else []
    return ", ".join(words)


def _replayed(outcomes: list[Outcome], *, verbose: bool) -> Iterator[str]:
    yield f"{_count(len(outcomes), 'test')} replayed: {counted(_total(outcomes))}"
    yield from _each(outcomes, verbose=verbose)
    yield from _unused(outcomes)


def _mixed(outcomes: list[Outcome], *, verbose: bool) -> Iterator[str]:
    yield f"{_count(len(outcomes), 'test')} replayed as far as recorded: {counted(_total(outcomes))}"
    yield from _each(outcomes, verbose=verbose)
    for outcome in outcomes:
        if outcome.recorded and outcome.kept:
            yield f"recorded {outcome.cassette}: {_count(outcome.recorded, 'more exchange')}"
        elif outcome.recorded:
            yield f"not recorded, since it did not pass: {outcome.test}"
    yield from _unused(outcomes)


def _total(outcomes: list[Outcome]) -> Outcome:
    counts = ("asked", "repeated", "missed", "refused", "recorded", "errors", "warnings", "suppressed")
    total: dict[str, Any] = {name: sum(getattr(outcome, name) for outcome in outcomes) for name in counts}
    return Outcome("", "", **total)


def _each(outcomes: list[Outcome], *, verbose: bool) -> Iterator[str]:
    for outcome in outcomes:
        if outcome.exchanges and not outcome.asked:
            yield f"{outcome.test}: no request came to gemtape; was the client made before the test began?"
        elif verbose or outcome.troubled:
            yield f"{outcome.test}: {counted(outcome)}"


def _unused(outcomes: list[Outcome]) -> Iterator[str]:
    """Exchanges that no test asked for: several tests may share a cassette."""
    unused: dict[str, set[int]] = {}
    exchanges: dict[str, int] = {}
    for outcome in outcomes:
        numbers = set(outcome.unused)
        unused[outcome.cassette] = unused.get(outcome.cassette, numbers) & numbers
        exchanges[outcome.cassette] = outcome.exchanges
    for cassette, numbers in unused.items():
        if numbers:
            known = _count(exchanges[cassette], "exchange")
            yield f"{cassette}: {len(numbers)} of {known} unused: {runs(tuple(sorted(numbers)))}"


def _recorded(outcome: Outcome) -> str:
    if not outcome.kept:
        return f"not recorded, since it did not pass: {outcome.test}"
    if not outcome.exchanges:
        return f"recorded {outcome.cassette}: nothing, since no request of {outcome.test} came to gemtape"
    return f"recorded {outcome.cassette}: {_count(outcome.exchanges, 'exchange')}"


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
