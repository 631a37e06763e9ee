"""What the recorded answers issued, and which of them a later request has in front of it.

A request continues an exchange where its own contents (prompts and function responses, in match form) begin with that
exchange's: this never relies on model contents being intact. Where the client rewrote its own contents, signatures, call
ids and finally equal calls say which answer a model content came from. An answer counts from the moment it ended.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..cassettes.canonical import stored_form
from ..cassettes.entry import Entry
from ..cassettes.folding import Answer
from ..cassettes.matchform import match_content
from ..cassettes.pairing import named
from ..cassettes.turns import Turn
from .conversation import Run, client_content, run_of

_CLIENT = "client"


@dataclass(frozen=True, eq=False)
class Record:
    """One judged exchange: the history that was sent and what the answer issued.

    `conversation` numbers from 1 the conversations of a cassette.
    """

    number: int
    conversation: int
    model: str
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
    tools: Turn | None = None
    """The last tool that the request declares; the root of the chain where it declares none."""

    @cached_property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of the model run that a faithful client has after this exchange, in normal form.

        A request that ends with model contents gets an answer that goes on from them: they come first.
        """
        run = run_of(self.history)
        sent = [at.value for at in run.parts] if run and run.role == "model" else []
        return sent + [part for part in self.answer.parts if isinstance(part, dict)]


class Origin(NamedTuple):
    """The part of an answer that issued something."""

    record: Record
    part: int


class Ledger:
    """All exchanges of a cassette that were judged so far."""

    def __init__(self) -> None:
        self.records: dict[int, Record] = {}
        self.conversations = 0
        self._by_client: dict[bytes, list[Record]] = defaultdict(list)
        self._by_signature: dict[str, Origin] = {}
        self._by_id: dict[str, list[Origin]] = defaultdict(list)
        self._by_call: dict[bytes, list[Origin]] = defaultdict(list)

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
            model=entry.model,
            history=entry.layout.history,
            answer=entry.answer,
            started_at=entry.started_at,
            ended_at=entry.ended_at,
            returns=_must_return(entry),
            continues=continues,
            calling_mode=calling_mode,
            tools=entry.layout.tools,
        )
        self.records[record.number] = record
        self._by_client[client_digest(record.history)].append(record)
        for index, part in enumerate(record.answer.parts):
            if isinstance(part, dict):
                self._index(Origin(record, index), part)
        return record

    def answers_after(self, turn: Turn, now: float) -> list[Record]:
        """The answers to requests with the client contents up to `turn`, ended by `now` and to be brought back."""
        return [
            record
            for record in self._by_client.get(client_digest(turn), ())
            if record.returns and record.ended_at <= now
        ]

    def by_signature(self, signature: str) -> Origin | None:
        """Where a signature (in normal form) was issued first."""
        return self._by_signature.get(signature)

    def by_call_id(self, call_id: str) -> Origin | None:
        """Where a call id was issued last."""
        origins = self._by_id.get(call_id)
        return origins[-1] if origins else None

    def by_call(self, call: dict[str, Any]) -> Origin | None:
        """Where an equal call (name and arguments) was issued last."""
        origins = self._by_call.get(_call_key(call))
        return origins[-1] if origins else None

    def issuer(self, run: Run, now: float) -> Record | None:
        """The exchange whose answer a model run is, None where no recorded one fits."""
        candidates = self.answers_after(run.first.parent or run.first, now)
        if not candidates:
            anchored = self._anchor(run)
            return (
                anchored if anchored is not None and anchored.returns and anchored.ended_at <= now else None
            )
        return max(candidates, key=lambda record: (_likeness(record, run), record.ended_at, record.number))

    def _anchor(self, run: Run) -> Record | None:
        for at in run.parts:
            origin = self.by_signature(at.signature) if at.signature else None
            if origin:
                return origin.record
        for call in run.calls:
            origin = self.by_call_id(call.named.id) if call.named.id else None
            if origin:
                return origin.record
        for call in run.calls:
            origin = self.by_call(call.value)
            if origin:
                return origin.record
        return None

    def _index(self, origin: Origin, part: dict[str, Any]) -> None:
        signature = part.get("thoughtSignature")
        if isinstance(signature, str) and signature:
            self._by_signature.setdefault(signature, origin)
        call = part.get("functionCall")
        if isinstance(call, dict):
            call_id = named(call).id
            if call_id:
                self._by_id[call_id].append(origin)
            self._by_call[_call_key(call)].append(origin)


def client_digest(turn: Turn) -> bytes:
    """The digest of the client's own contents up to a turn, in match form."""
    missing: list[Turn] = []
    digest = b""
    for step in turn.back():
        known = step.notes.get(_CLIENT)
        if known is not None:
            digest = known
            break
        missing.append(step)
    for step in reversed(missing):
        if client_content(step):
            digest = hashlib.sha256(digest + stored_form(match_content(step))).digest()
        step.notes[_CLIENT] = digest
    return digest


def _must_return(entry: Entry) -> bool:
    response = entry.response
    whole = response is not None and response.status == 200 and not response.cut and entry.failure is None
    return whole and any(_says_something(part) for part in entry.answer.parts)


def _says_something(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and not part.get("thought")
        and part.keys() - {"thoughtSignature"} != set()
        and part.get("text") != ""
    )


def _call_key(call: dict[str, Any]) -> bytes:
    return hashlib.sha256(stored_form([call.get("name"), call.get("args", {})])).digest()


def _likeness(record: Record, run: Run) -> tuple[int, int, int]:
    """How much of an answer a model run has: signatures and ids, then calls, then texts."""
    marks = set(_marks(record.parts)) & set(_marks(at.value for at in run.parts))
    issued = {
        _call_key(part["functionCall"]) for part in record.parts if isinstance(part.get("functionCall"), dict)
    }
    calls = issued & {_call_key(call.value) for call in run.calls}
    texts = {part.get("text") for part in record.parts} & {at.value.get("text") for at in run.parts} - {
        None,
        "",
    }
    return len(marks), len(calls), len(texts)


def _marks(parts: Iterable[dict[str, Any]]) -> Iterable[str]:
    for part in parts:
        signature = part.get("thoughtSignature")
        if isinstance(signature, str) and signature:
            yield "signature " + signature
        call_id = named(part.get("functionCall")).id
        if call_id:
            yield "id " + call_id
