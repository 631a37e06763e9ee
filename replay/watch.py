"""The verdict on what was asked in a replay: misses, refusals, and what the checks say of the requests.

A replay serves whatever was recorded; that a test passed with it is not all there is to know. Each request is judged
together with the answer it got, as a recorder would, so that a client is found out that lost or changed what an answer
gave it. Code that swallows the error of a miss does not hide it from here.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Final

from ..cassettes.models import Request
from ..cassettes.naming import cassette_path
from ..cassettes.routes import parse_route, split_prefix
from ..checks.complaints import Complaints
from ..checks.finding import Severity
from ..checks.hearing import Hearing
from .answering import Options, Reply, Verdict
from .deck import Asked, Deck
from .lines import printable

logger = logging.getLogger(__name__)

FAIL_ON: Final = {"error": Severity.ERROR, "warning": Severity.WARNING, "never": None}
"""The severities that a run can be told to fail on, by name; what is worse fails it too."""
_RESET: Final = "/_gemtape/reset"
_UNANSWERED: Final = {Verdict.MISS: "miss", Verdict.REJECTED: "refused as the API would"}
_LONGEST: Final = 3000
_PATH: Final = 160


@dataclass(slots=True)
class _Session:
    hearing: Hearing
    asked: int = 0


class Watch:
    """Follows the requests to a deck: give its `heard` to a server or a transport. Safe for use by several threads."""

    def __init__(self, deck: Deck, options: Options) -> None:
        """Judge with the rules that `options` select."""
        self._deck = deck
        self._options = options
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._complaints = Complaints()
        self.verdicts: Final[Counter[Verdict]] = Counter()
        """How many requests got what."""
        self.suppressed = 0
        """Violations that the selection left out."""

    def heard(self, asked: Asked, reply: Reply) -> None:
        """Take note of a request and its reply. Never raises."""
        with self._lock:
            try:
                self._note(asked, reply)
            except Exception:
                logger.exception("gemtape could not judge a request")

    @property
    def asked(self) -> int:
        """How many requests came, those about gemtape itself not counted."""
        with self._lock:
            return self.verdicts.total()

    def count(self, severity: Severity) -> int:
        """How many different violations of this severity the requests had."""
        with self._lock:
            return self._complaints.count(severity)

    def fails(self, threshold: Severity | None) -> bool:
        """Whether there was a miss, a refusal, or a violation of this severity or worse; None: never."""
        with self._lock:
            return self._complaints.fails(threshold)

    def complaints(self, threshold: Severity | None = Severity.ERROR) -> list[str]:
        """Each miss, refusal and violation in a paragraph; violations of the given severity or worse, None: of none."""
        with self._lock:
            return [printable(text, _LONGEST) for text in self._complaints.paragraphs(threshold)]

    def _note(self, asked: Asked, reply: Reply) -> None:
        if reply.verdict is None:
            if asked.path.endswith(_RESET):
                self._sessions.pop(reply.label, None)
            return
        self.verdicts[reply.verdict] += 1
        session = self._sessions.get(reply.label)
        if session is None:
            options = self._options
            session = self._sessions[reply.label] = _Session(
                Hearing(options.redactor, options.selection, options.settings)
            )
        session.asked += 1
        path = split_prefix(asked.path)[1]
        where = f" in {reply.label}" if reply.label else ""
        what = f"request {session.asked}{where}, {asked.method} {printable(path, _PATH)}"
        if reply.verdict in _UNANSWERED:
            self._complaints.unanswered(f"{_UNANSWERED[reply.verdict]}  {what}", reply.note)
        if parse_route(path).generates:
            headers = (("content-type", asked.content_type),)
            request = Request(asked.method, path, asked.query, headers, asked.body)
            kept, suppressed = session.hearing.violations(request, reply.answer, self._cassette(reply.label))
            self.suppressed += suppressed
            told = reply.note if reply.verdict is Verdict.REJECTED else ""
            self._complaints.violations(
                [item for item in kept if not told.startswith(f"{item.rule} at {item.pointer}: ")],
                what,
                reply.label,
            )

    def _cassette(self, label: str) -> str:
        """The path of the cassette, by which a selection may make a difference."""
        name = label.rpartition("@")[0].rstrip("/") if "@" in label else label
        return str(
            cassette_path(self._deck.target, name) if self._deck.folder and name else self._deck.target
        )
