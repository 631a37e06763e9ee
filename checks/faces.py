"""What an answer, or a model run of a request, is recognised by: its marks, its calls and its text."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..cassettes.canonical import stored_form
from ..cassettes.pairing import named


class Face(NamedTuple):
    """What parts are recognised by: signatures and call ids, calls by `call_key`, names of calls, a digest of the text."""

    marks: frozenset[str]
    calls: Counter[bytes]
    names: Counter[str]
    text: bytes

    def likeness(self, other: Face) -> tuple[int, int, int]:
        """What two faces have in common: equal calls and the whole text, then marks, then names of calls."""
        return (
            (self.calls & other.calls).total() + int(self.text == other.text != b""),
            len(self.marks & other.marks),
            (self.names & other.names).total(),
        )

    def within(self, other: Face) -> bool:
        """Whether another face has all its calls and its text; an empty face is nowhere."""
        return bool(self.calls or self.text) and self.calls <= other.calls and self.text in (b"", other.text)


def face_of(parts: Iterable[dict[str, Any]]) -> Face:
    """What parts in normal form are recognised by; thoughts count only for their signatures."""
    known = list(parts)
    calls = [
        part["functionCall"]
        for part in known
        if isinstance(part.get("functionCall"), dict) and part.get("thought") is not True
    ]
    names = (call.get("name") for call in calls)
    text = squeezed_text(known)
    return Face(
        frozenset(_marks(known)),
        Counter(map(call_key, calls)),
        Counter(name for name in names if isinstance(name, str)),
        text_key(text),
    )


def text_key(text: str) -> bytes:
    """What equal squeezed texts have in common; empty for the empty text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest() if text else b""


def call_key(call: dict[str, Any]) -> bytes:
    """What equal calls have in common: name and arguments, where null is as good as absent."""
    return hashlib.sha256(stored_form([call.get("name"), without_nulls(call.get("args", {}))])).digest()


def without_nulls(value: Any) -> Any:
    """A JSON value without the members that are null: serialisers drop them, and they say no more than absence."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def squeezed_text(parts: Iterable[dict[str, Any]]) -> str:
    """The texts joined, without white space, which joining and trimming may change; thoughts aside."""
    texts = (part.get("text") for part in parts if not part.get("thought"))
    return "".join("".join(text.split()) for text in texts if isinstance(text, str))


def _marks(parts: Iterable[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        signature = part.get("thoughtSignature")
        if isinstance(signature, str) and signature:
            yield "signature " + signature
        call_id = named(part.get("functionCall")).id
        if call_id:
            yield "id " + call_id
