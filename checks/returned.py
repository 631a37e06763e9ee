"""What was issued beside what came back: the parts of an answer paired with those of a model run in a later request."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .conversation import PartAt, Run
from .faces import squeezed_text
from .ledger import Record
from .parts import KEYS, call_of, is_media, signature_of, value_key


@dataclass(frozen=True, eq=False)
class IssuedPart:
    """A part that an answer issued, in normal form."""

    value: dict[str, Any]

    @property
    def signature(self) -> str | None:
        """Its thought signature, None where it has none."""
        return signature_of(self.value)

    @property
    def call(self) -> dict[str, Any] | None:
        """Its function call, None where it is none."""
        return call_of(self.value)

    @property
    def thought(self) -> bool:
        """Whether it is a thought, which need not come back."""
        return bool(self.value.get("thought"))


@dataclass(frozen=True, eq=False)
class Returned:
    """A model run of a request and the recorded answer that it should be.

    `previous` is the one before it in the history. A client may bring one answer back in several runs, with the
    responses to each call behind it: then the runs share what was issued between them. `in_place` says that the run stands
    after the same words of the client as when it was issued. `doubtful` says that only its place speaks for the run, where
    another request had brought the answer back: it may be a summary of what the client left out.
    """

    record: Record
    variant: int
    run: Run
    previous: Returned | None = None
    in_place: bool = True
    doubtful: bool = False

    def __post_init__(self) -> None:
        """Work the links out at once, while those of the answer before are known: later it could go too deep."""
        _ = self.skip

    @cached_property
    def skip(self) -> tuple[int, Returned | None]:
        """How many answers stand in front of this one, and one of them far back: the links of a skip list."""
        before = self.previous
        if before is None:
            return 0, None
        depth, far = before.skip
        if far is None:
            return depth + 1, before
        far_depth, farther = far.skip
        equal = farther is not None and depth - far_depth == far_depth - farther.skip[0]
        return depth + 1, farther if equal else before

    def holds(self, record: Record) -> bool:
        """Whether this or an answer before it in the history is an exchange's; numbers only fall towards the front."""
        answer: Returned | None = self
        while answer is not None and answer.record.number > record.number:
            far = answer.skip[1]
            answer = far if far is not None and far.record.number >= record.number else answer.previous
        return answer is not None and answer.record is record

    @cached_property
    def started(self) -> Returned | None:
        """The run before this one that holds an earlier piece of the same answer."""
        before = self.previous
        return before if before and (before.record, before.variant) == (self.record, self.variant) else None

    @cached_property
    def pieces(self) -> list[Returned]:
        """The runs that hold pieces of this answer, up to this one, in order."""
        found: list[Returned] = []
        piece: Returned | None = self
        while piece is not None:
            found.append(piece)
            piece = piece.started
        return found[::-1]

    @cached_property
    def issued(self) -> list[IssuedPart]:
        """All parts of the answer, thoughts included."""
        first = self.pieces[0]
        return (
            [IssuedPart(part) for part in first.record.variants[first.variant]]
            if first is self
            else first.issued
        )

    @cached_property
    def sent(self) -> list[PartAt]:
        """The parts of the run; streamed arguments are one call at its first part."""
        return self.run.whole

    @cached_property
    def pairs(self) -> list[tuple[IssuedPart, PartAt | None]]:
        """Every issued part that is no thought and not in an earlier piece, with the part that came back for it."""
        issued = self.started.missing if self.started else [part for part in self.issued if not part.thought]
        left = [at for at in self.sent if not at.value.get("thought")]
        found: list[PartAt | None] = [None] * len(issued)
        for key in KEYS:
            free: dict[Any, list[PartAt]] = defaultdict(list)
            for at in reversed(left):
                free[key(at.value)].append(at)
            for index, part in enumerate(issued):
                wanted = key(part.value) if found[index] is None else None
                if wanted is not None and free.get(wanted):
                    found[index] = free[wanted].pop()
            taken = {_place(at) for at in found if at}
            left = [at for at in left if _place(at) not in taken]
        return list(zip(issued, found, strict=True))

    @cached_property
    def missing(self) -> list[IssuedPart]:
        """The issued parts, thoughts aside, that did not come back in this piece or an earlier one."""
        return [issued for issued, at in self.pairs if at is None]

    @cached_property
    def extra(self) -> list[PartAt]:
        """Parts of the run that no issued part stands for, thoughts aside."""
        return [at for at in self.sent if not at.value.get("thought") and self.issued_for(at) is None]

    @cached_property
    def same_text(self) -> bool:
        """Whether the texts of all pieces, joined, are those that were issued; white space and thoughts aside."""
        return self.text in self.issued_texts

    @cached_property
    def text(self) -> str:
        """The text of all pieces, without white space and thoughts."""
        return "".join(squeezed_text(at.value for at in piece.sent) for piece in self.pieces)

    @cached_property
    def issued_texts(self) -> tuple[str, str]:
        """The issued text, with and without what the request had put in front of it."""
        parts = [part.value for part in self.issued]
        return squeezed_text(parts), squeezed_text(parts[len(self.record.prefill) :])

    def issued_for(self, at: PartAt) -> IssuedPart | None:
        """The issued part that a part of the run came back for."""
        return self._partners.get(_place(at))

    @cached_property
    def _partners(self) -> dict[tuple[int, int], IssuedPart]:
        return {_place(at): issued for issued, at in self.pairs if at}

    def may_carry(self, issued: dict[str, Any], at: PartAt) -> bool:
        """Whether a part of the run may carry the signature of a part of the answer.

        Texts may be joined and cut, and their signature goes with any of them. A signature that arrived on a thought
        may be moved to a call, since thoughts are left out.
        """
        sent = at.value
        if "text" in issued or set(issued) == {"thoughtSignature"}:
            moved = bool(issued.get("thought")) and call_of(sent) is not None
            return moved or "text" in sent or set(sent) == {"thoughtSignature"}
        if is_media(issued):
            return is_media(sent)
        partner = self.issued_for(at)
        return partner is not None and value_key(partner.value) == value_key(issued)

    def keeps(self, issued: dict[str, Any]) -> bool:
        """Whether the signature of a part of the answer came back where it belongs, in this piece or an earlier one."""
        signature = signature_of(issued)
        return any(
            at.signature == signature and piece.may_carry(issued, at)
            for piece in self.pieces
            for at in piece.sent
        )

    @cached_property
    def signatures(self) -> frozenset[str]:
        """The signatures that came back, wherever they sit."""
        return frozenset(at.signature for piece in self.pieces for at in piece.sent if at.signature)


def _place(at: PartAt) -> tuple[int, int]:
    return at.content, at.part
