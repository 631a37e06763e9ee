"""What was issued beside what came back: the parts of an answer paired with those of a model run in a later request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..cassettes.pairing import named
from .conversation import PartAt, Run
from .ledger import Record


@dataclass(frozen=True)
class IssuedPart:
    """A part that an answer issued, in normal form."""

    value: dict[str, Any]

    @property
    def signature(self) -> str | None:
        """Its thought signature, None where it has none."""
        signature = self.value.get("thoughtSignature")
        return signature if isinstance(signature, str) and signature else None

    @property
    def call(self) -> dict[str, Any] | None:
        """Its function call, None where it is none."""
        call = self.value.get("functionCall")
        return call if isinstance(call, dict) else None


@dataclass(frozen=True)
class Returned:
    """A model run of a request and the recorded answer that it should be."""

    record: Record
    run: Run

    @cached_property
    def pairs(self) -> list[tuple[IssuedPart, PartAt | None]]:
        """Every issued part that is no thought, with the part that came back for it, None where none did."""
        issued = [IssuedPart(part) for part in self.record.parts if not part.get("thought")]
        left = [at for at in self.run.parts if not at.value.get("thought")]
        found: list[PartAt | None] = [None] * len(issued)
        for same in (_same_call_id, _same_value, _same_signature, _same_call_name):
            for index, part in enumerate(issued):
                if found[index] is None:
                    found[index] = _take(left, part.value, same)
        return list(zip(issued, found, strict=True))

    @cached_property
    def extra(self) -> list[PartAt]:
        """Parts of the run that no issued part stands for, thoughts aside."""
        taken = {id(at.value) for _, at in self.pairs if at}
        return [at for at in self.run.parts if id(at.value) not in taken and not at.value.get("thought")]

    @cached_property
    def same_text(self) -> bool:
        """Whether the texts, joined, are those that were issued; thoughts aside."""
        return _text(self.record.parts) == _text([at.value for at in self.run.parts])


def _take(
    left: list[PartAt], issued: dict[str, Any], same: Callable[[dict[str, Any], dict[str, Any]], bool]
) -> PartAt | None:
    for at in left:
        if same(issued, at.value):
            left.remove(at)
            return at
    return None


def _call(part: dict[str, Any]) -> dict[str, Any] | None:
    call = part.get("functionCall")
    return call if isinstance(call, dict) else None


def _same_call_id(issued: dict[str, Any], sent: dict[str, Any]) -> bool:
    first, second = named(_call(issued)), named(_call(sent))
    return first.id is not None and first.id == second.id and first.name == second.name


def _same_value(issued: dict[str, Any], sent: dict[str, Any]) -> bool:
    return _bare(issued) == _bare(sent)


def _same_signature(issued: dict[str, Any], sent: dict[str, Any]) -> bool:
    signature = issued.get("thoughtSignature")
    return bool(signature) and signature == sent.get("thoughtSignature") and _kind(issued) == _kind(sent)


def _same_call_name(issued: dict[str, Any], sent: dict[str, Any]) -> bool:
    first, second = _call(issued), _call(sent)
    return first is not None and second is not None and first.get("name") == second.get("name")


def _bare(part: dict[str, Any]) -> dict[str, Any]:
    """A part without its signature and, where it is a call, without its id."""
    bare = {key: value for key, value in part.items() if key != "thoughtSignature"}
    call = _call(part)
    if call is not None:
        bare["functionCall"] = {"args": {}, **{key: value for key, value in call.items() if key != "id"}}
    return bare


def _kind(part: dict[str, Any]) -> frozenset[str]:
    return frozenset(part.keys() - {"thoughtSignature", "thought"})


def _text(parts: list[dict[str, Any]]) -> str:
    texts = (part.get("text") for part in parts if not part.get("thought"))
    return "".join(text for text in texts if isinstance(text, str))
