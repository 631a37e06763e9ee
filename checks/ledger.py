"""What the recorded answers issued, found again by client contents, signatures, call ids and calls.

Which of them a request goes on from is for `linking` to say.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from ..cassettes.entry import Entry
from ..cassettes.folding import Answer
from ..cassettes.pairing import named
from ..cassettes.routes import Surface
from ..cassettes.turns import Turn
from .asker import Asker, asker_of
from .clientside import client_digest, parts_since_model
from .conversation import run_of
from .faces import Face, call_key, face_of

MOST: Final = 64
"""Exchanges looked at, where many were asked the same or issued the same: the latest."""
_WHOLE: Final = frozenset({"", "STOP", "FINISH_REASON_UNSPECIFIED"})
"""Finish reasons of an answer that a client has to bring back; others stopped it on its way, or withheld it."""


@dataclass(frozen=True, eq=False)
class Record:
    """One judged exchange: the history that was sent and what the answer issued.

    `conversation` numbers from 1 the conversations of a cassette.
    """

    number: int
    conversation: int
    surface: Surface
    asker: Asker
    history: Turn
    answer: Answer
    started_at: float
    ended_at: float
    returns: bool
    """Whether the client got a whole answer with something in it, which a later request has to bring back."""
    continues: Record | None = None
    """The exchange that this one continues, None where it starts a conversation."""
    calling_mode: str = ""
    """The function calling mode of the request, empty where it sets none."""

    @property
    def model(self) -> str:
        """The model asked for."""
        return self.asker.model

    @property
    def tools(self) -> Turn:
        """The last tool that the request declares; the root of the chain where it declares none."""
        return self.asker.tools

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of the model run that a faithful client has after this exchange, in normal form."""
        return self.variants[0]

    @cached_property
    def variants(self) -> list[list[dict[str, Any]]]:
        """The parts for each candidate, the first in front.

        A request that ends with model contents gets an answer that goes on from them: they come first.
        """
        return [self.prefill + _objects(content) for content in self.answer.variants]

    @cached_property
    def prefill(self) -> list[dict[str, Any]]:
        """The parts of the model contents that the request ends with."""
        run = run_of(self.history)
        return [at.value for at in run.parts] if run and run.role == "model" else []

    @cached_property
    def faces(self) -> list[Face]:
        """What the variants are recognised by."""
        return [face_of(parts) for parts in self.variants]


class Origin(NamedTuple):
    """The part of an answer that issued something: the candidate and the index in its parts."""

    record: Record
    variant: int
    part: int

    @property
    def value(self) -> dict[str, Any]:
        """The part, in normal form."""
        return self.record.variants[self.variant][self.part]


class Ledger:
    """All exchanges of a cassette that were judged so far."""

    def __init__(self) -> None:
        self.records: dict[int, Record] = {}
        self.conversations = 0
        self._by_client: dict[bytes, list[Record]] = defaultdict(list)
        self._by_signature: dict[str, list[Origin]] = defaultdict(list)
        self._by_id: dict[str, list[Origin]] = defaultdict(list)
        self._by_call: dict[bytes, list[Origin]] = defaultdict(list)
        self._by_text: dict[bytes, list[Record]] = defaultdict(list)
        self._brought_back: set[int] = set()

    def remember(
        self, entry: Entry, conversation: int, continues: Record | None = None, calling_mode: str = ""
    ) -> Record:
        """Note what an exchange issued; `conversation` 0 starts a new one."""
        if not conversation:
            self.conversations += 1
            conversation = self.conversations
        record = Record(
            number=entry.number,
            conversation=conversation,
            surface=entry.route.backend,
            asker=asker_of(entry),
            history=entry.layout.history,
            answer=entry.answer,
            started_at=entry.started_at,
            ended_at=entry.ended_at,
            returns=_must_return(entry),
            continues=continues,
            calling_mode=calling_mode,
        )
        self.records[record.number] = record
        self._by_client[client_digest(record.history)].append(record)
        for variant, (parts, face) in enumerate(zip(record.variants, record.faces, strict=True)):
            if face.text and not face.calls:
                self._by_text[face.text].append(record)
            for index in range(len(record.prefill), len(parts)):
                self._index(Origin(record, variant, index), parts[index])
        return record

    def note_return(self, record: Record) -> None:
        """Note that a request brought back what an exchange answered."""
        self._brought_back.add(record.number)

    def came_back(self, record: Record) -> bool:
        """Whether a request brought back what an exchange answered."""
        return record.number in self._brought_back

    def asked_with(self, digest: bytes, parts: int | None = None) -> list[Record]:
        """The latest exchanges whose requests hold these client contents and no others.

        `parts`, where it is given, is the most that the client may have said in them since the model spoke last.
        """
        latest = self._by_client.get(digest, [])[-MOST:] if digest else []
        if parts is None:
            return latest
        return [record for record in latest if parts_since_model(record.history) <= parts]

    def by_signature(self, signature: str) -> Origin | None:
        """Where a signature (in normal form) was issued first."""
        return next(iter(self.origins(signature)), None)

    def origins(self, signature: str) -> list[Origin]:
        """Where a signature (in normal form) was issued."""
        return self._by_signature.get(signature, [])

    def ids(self, call_id: str) -> list[Origin]:
        """Where a call id was issued."""
        return self._by_id.get(call_id, [])

    def calls(self, key: bytes) -> list[Origin]:
        """Where calls with this key were issued."""
        return self._by_call.get(key, [])

    def texts(self, text: bytes) -> list[Record]:
        """The exchanges whose answer was a text alone, by its digest as a face has it."""
        return self._by_text.get(text, [])

    def _index(self, origin: Origin, part: dict[str, Any]) -> None:
        signature = part.get("thoughtSignature")
        if isinstance(signature, str) and signature:
            self._by_signature[signature].append(origin)
        call = part.get("functionCall")
        if isinstance(call, dict):
            call_id = named(call).id
            if call_id:
                self._by_id[call_id].append(origin)
            self._by_call[call_key(call)].append(origin)


def _must_return(entry: Entry) -> bool:
    response, answer = entry.response, entry.answer
    whole = response is not None and response.status == 200 and not response.cut and entry.failure is None
    if not whole or answer.error is not None or answer.finish_reason not in _WHOLE:
        return False
    return any(_says_something(part) for part in answer.parts)


def _says_something(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and not part.get("thought")
        and part.keys() - {"thoughtSignature"} != set()
        and part.get("text") != ""
    )


def _objects(content: Any) -> list[dict[str, Any]]:
    parts = content.get("parts") if isinstance(content, dict) else None
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
