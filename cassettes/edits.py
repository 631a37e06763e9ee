"""Replacements in a body: applied all at once, and the pieces of a stream cut again where they were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .events import Span
from .models import Chunk


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement: the bytes from `start` to `end` give way to `text`."""

    start: int
    end: int
    text: bytes


def without_overlaps(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in order; those that overlap become one, which says what any of them said."""
    result: list[Edit] = []
    for edit in sorted(edits, key=lambda item: (item.start, item.end)):
        if result and edit.start < result[-1].end:
            last = result[-1]
            result[-1] = Edit(last.start, max(edit.end, last.end), max(last.text, edit.text, key=len))
        else:
            result.append(edit)
    return result


def apply_edits(body: bytes, edits: Sequence[Edit]) -> tuple[bytes, list[Span]]:
    """The body after its edits, and where their texts stand in it."""
    parts: list[bytes] = []
    spans: list[Span] = []
    length = after = 0
    for edit in edits:
        parts += (body[after : edit.start], edit.text)
        start = length + edit.start - after
        length = start + len(edit.text)
        spans.append((start, length))
        after = edit.end
    parts.append(body[after:])
    return b"".join(parts), spans


def cut_again(chunks: Sequence[Chunk], body: bytes, edits: Sequence[Edit]) -> tuple[Chunk, ...]:
    """The pieces of an edited body, cut where they were; a boundary inside a replaced secret moves behind its marker.

    A piece that held nothing but the rest of a secret stays as an empty one, with its time.
    """
    result: list[Chunk] = []
    before = position = shift = following = 0
    for chunk in chunks:
        position += len(chunk.data)
        while following < len(edits) and edits[following].start < position:
            edit = edits[following]
            shift += len(edit.text) - (edit.end - edit.start)
            following += 1
        inside = (
            edits[following - 1].end - position if following and edits[following - 1].end > position else 0
        )
        boundary = position + inside + shift
        result.append(Chunk(chunk.offset_ms, body[before:boundary]))
        before = boundary
    return tuple(result)
