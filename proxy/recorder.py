"""From what passed to what is stored: commits exchanges to their cassettes and says a line about each."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ..cassettes.answers import Answer
from ..cassettes.errors import CassetteError
from ..cassettes.models import Exchange, Failure
from .errors import Enforced, Refused
from .lines import exchange_line, harmless, printable, replay_line, without_secrets
from .recording import Recording
from .tape import Tape
from .tapes import Tapes

logger = logging.getLogger(__name__)

Say = Callable[[str], None]
"""Shows one line to the user."""


class Recorder:
    """Stores what the addon hands over."""

    def __init__(self, tapes: Tapes, say: Say, *, only_success: bool = False) -> None:
        self.tapes = tapes
        self.say = say
        self._only_success = only_success

    def admit(self, recording: Recording) -> Answer | None:
        """Choose the request's cassette and make sure that it can be written; the last moment to refuse cleanly.

        Returns:
            The recorded answer, where one is to be given; None where the request is to be sent.

        Raises:
            Refused: it cannot, and so the request must not reach the upstream; or the API is known to refuse it, and it
                need not; or it may be answered from the cassette only, which holds no answer.
        """
        try:
            tape = self.tapes.tape(recording.name)
            if note := tape.take_note():
                self.say(note)
            replay = tape.choose(recording.request(), recording.session)
            if replay is not None:
                self.say(replay_line(recording.name, replay.entry, replay.violations, replay.note))
                return replay.answer
            tape.check_writable()
            rejection = tape.rejection(recording.request())
        except CassetteError as error:
            self.tapes.unrecorded += 1
            raise Refused(412, f"not recorded, so not sent: {error}") from error
        if rejection is not None:
            self.tapes.enforced += 1
            raise Enforced(rejection)
        recording.tape = tape
        return None

    def store(self, recording: Recording, failure: Failure | None = None) -> bool:
        """Store an exchange once, whole or as far as it came, and say its line. Never raises.

        Returns:
            Whether the client may take the answer for whole: False when it could not be stored.
        """
        if recording.settled or recording.tape is None:
            return not recording.rejected
        recording.settled = True
        try:
            self.say(self._stored(recording, recording.tape, recording.exchange(failure)))
        except Exception as error:
            recording.rejected = True
            self.tapes.unrecorded += 1
            if not isinstance(error, CassetteError):
                logger.exception("gemtape could not store an exchange")
            self.warn(f"NOT RECORDED  {printable(recording.api_path)}: {error}")
        recording.release()
        return not recording.rejected

    def warn(self, line: str) -> None:
        """Say what went wrong, without what the cause may have quoted: secrets, and what a terminal obeys."""
        self.say(harmless(without_secrets(line)))

    def _stored(self, recording: Recording, tape: Tape, exchange: Exchange) -> str:
        if self._only_success and not _succeeded(exchange):
            self.tapes.left_out += 1
            entry, violations = tape.clean(exchange), []
        else:
            entry, violations = tape.store(exchange)
        self.tapes.failing.note(entry)
        return exchange_line(recording.name, entry, violations, recording.head_ms)


def _succeeded(exchange: Exchange) -> bool:
    return 200 <= exchange.status < 300 and exchange.failure is None
