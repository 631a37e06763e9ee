"""What went wrong most in a run whose exchanges all failed: a wrong key and the like make a report that says nothing."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from typing import Final

from ..cassettes.entry import Entry
from ..cassettes.models import Failure
from .lines import FAILURES, harmless, without_secrets

_LOWEST_ERROR: Final = 400
_LONGEST: Final = 200


class Failing:
    """Counts the exchanges of a run by how they failed, until one succeeds."""

    def __init__(self) -> None:
        self._asked = 0
        self._succeeded = False
        self._failed: Counter[int | Failure] = Counter()
        self._words: dict[int | Failure, str] = {}

    def note(self, entry: Entry) -> None:
        """Take in an exchange; one whose client left is no failure that the user has to be told of."""
        self._asked += 1
        error = entry.answer.error or {}
        code = error.get("code")
        if entry.status >= _LOWEST_ERROR:
            self._add(entry.status, entry, error)
        elif error:  # in the middle of a stream
            self._add(code if isinstance(code, int) else entry.status, entry, error)
        elif entry.failure is None:
            self._succeeded = True
        elif entry.failure is not Failure.CLIENT_GONE:
            self._add(entry.failure, entry, error)

    def line(self) -> str:
        """What went wrong most, in the words that came first; empty where something succeeded or nothing failed."""
        if self._succeeded or not self._failed:
            return ""
        (reason, most), failed = self._failed.most_common(1)[0], self._failed.total()
        if failed < self._asked:
            who = f"{failed} of {self._asked} exchanges"
        else:
            who = f"all {failed} exchanges" if failed > 1 else "the only exchange"
        return f"{who} failed{f', {most} of them' if most < failed else ''}: {self._words[reason]}"

    def _add(self, reason: int | Failure, entry: Entry, error: dict[str, object]) -> None:
        self._failed[reason] += 1
        if reason not in self._words:
            self._words[reason] = _told(reason, entry, error.get("message"))


def _told(reason: int | Failure, entry: Entry, message: object) -> str:
    if isinstance(reason, Failure):
        words = f"{FAILURES[reason]} ({entry.upstream})" if entry.upstream else FAILURES[reason]
    elif isinstance(message, str) and message.strip():
        words = f"{reason} {' '.join(message.split())}"
    else:
        words = f"{reason} {HTTPStatus(reason).phrase}" if reason in list(HTTPStatus) else str(reason)
    words = harmless(without_secrets(words))
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
